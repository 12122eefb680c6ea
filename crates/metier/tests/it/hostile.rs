use metier_format::text::is_live;
use metier_testing::World;

use crate::{hermetic, metier};

/// A description that would clear the screen, ring, turn text around and hide letters.
const HOSTILE: &str = "Red \u{1b}]0;title\u{7}\u{9b}2J\u{202e}txet\u{2066} \u{200b}\u{e0041}end";

fn world() -> World {
    let world = World::new();
    // YAML escapes bring what a file may not hold raw.
    let escaped: String = HOSTILE
        .chars()
        .map(|c| if is_live(c) { format!("\\U{:08x}", c as u32) } else { c.to_string() })
        .collect();
    let text = format!(
        "---\nname: hostile\ndescription: \"{escaped}\"\ntags: [\"{escaped}\"]\nx-odd: \"{escaped}\"\n\
         license: \"{escaped}\"\n---\n\nBody {HOSTILE}\n"
    );
    world.write("roots/personal/hostile/SKILL.md", text);
    world.write("roots/personal/hostile/scripts/\u{1b}[31m.py", "");
    world.write("roots/personal/ev\u{1b}[31mil/SKILL.md", "---\nname: x\n---\n");
    world.write("roots/personal/raw/SKILL.md", format!("---\nname: raw{HOSTILE}\n---\n"));
    world
}

#[test]
fn no_command_prints_a_live_character_of_a_skill() {
    // D5, U1, F4
    let world = world();
    let personal = world.path().join("roots/personal");
    let personal = personal.to_str().unwrap();
    let query = format!("red {HOSTILE}");
    for args in [
        &["list"][..],
        &["list", "--all", "--verbose"],
        &["list", "--json", "--all"],
        &["list", "--all", "--skills", "none", "--color", "always"],
        &["check"],
        &["check", "--json"],
        &["show", "hostile"],
        &["show", "hostile", "--json"],
        &["show", HOSTILE],
        &["why", "hostile"],
        &["why", "hostile", "--json"],
        &["why", "raw"],
        &["prompt", "--location"],
        &["prompt", "--style", "markdown", "--guide"],
        &["prompt", "--style", "tool"],
        &["prompt", "--style", "json"],
        &["prompt", "--report", "--budget", "40"],
        &[],
        &["search", &query],
        &["search", &query, "--json"],
        &["lint", personal],
        &["lint", personal, "--json"],
        &["lint", personal, "--format", "sarif"],
        &["props", &format!("{personal}/hostile")],
        &["props", &format!("{personal}/raw")],
        &["list", "--skills", HOSTILE],
        &["use", "hostile", HOSTILE],
        &["use", HOSTILE],
        &["status"],
        &["read", "hostile", HOSTILE],
        &["read", HOSTILE, "x", "--json"],
        &["guard", HOSTILE, &format!("{{\"x\": \"{}\"}}", "\u{9b}2J\u{202e}")],
        &["guard", "Bash", HOSTILE, "--json"],
        &["release", HOSTILE],
        &["events"],
        &["events", "--json"],
        &["replay", "--verify"],
        &["replay", "--json"],
        &["replay", HOSTILE],
        &["metrics", "--prometheus"],
    ] {
        let run = hermetic(&world, args);
        assert!(matches!(run.code, 0 | 1 | 3 | 4), "{args:?} ended with {}", run.code);
        let colours = args.contains(&"always");
        for stream in [&run.stdout, &run.stderr] {
            let text = if colours { without_colours(stream) } else { stream.clone() };
            let live = text.chars().find(|c| *c != '\n' && is_live(*c));
            assert_eq!(live, None, "{args:?} printed it:\n{text}");
        }
    }
}

/// Our own colours taken out: `ESC [ digits m`, nothing else.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        match rest.strip_prefix('m') {
            Some(rest) => plain.push_str(rest),
            None => plain.push_str("\u{1b}["),
        }
    }
    plain
}

#[test]
fn json_keeps_what_the_text_really_is() {
    // D5
    let world = world();
    let document = hermetic(&world, &["list", "--json"]).json();
    assert_eq!(document["skills"][0]["description"], HOSTILE);
}

#[test]
fn names_in_paths_and_flags_are_harmless_too() {
    // U1
    let world = World::new();
    let run = metier(&world, &["lint", "\u{1b}[31mgone"]);
    assert_eq!(run.code, 1);
    assert!(!run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
    let run = metier(&world, &["list", "--config", "\u{1b}[31mgone"]);
    assert_eq!(run.code, 2);
    assert!(!run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
    for args in [
        &[HOSTILE][..],
        &["list", HOSTILE],
        &["list", &format!("--{HOSTILE}")],
        &["list", "--color", HOSTILE],
        &["list", "--root", &format!("{HOSTILE}=here")],
        &["prompt", "--budget", HOSTILE],
        &["why", "pdf", "--as", HOSTILE],
    ] {
        let run = metier(&world, args);
        assert_eq!(run.code, 2, "{args:?}");
        let live = run.stderr.chars().find(|c| *c != '\n' && is_live(*c));
        assert_eq!(live, None, "{args:?} printed it:\n{}", run.stderr);
    }
}
