use metier_testing::World;

use crate::{metier, steady};

/// The tour with its temporary directory's name taken out.
fn tour(world: &World) -> String {
    let run = metier(world, &["tour"]);
    let text = steady(world, &run);
    let lines = text.lines().map(|line| match line.contains("` is removed;") {
        true => "`[SCRATCH]` is removed; nothing was left behind.",
        false => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_tour_shows_every_command_on_real_skills() {
    // U1, H5, D3, D6, D8, F4, F5, S1, S3, S6, J1, J3
    let mut world = World::new();
    let scratch = world.path().display().to_string();
    world.env("TMPDIR", &scratch);
    insta::assert_snapshot!(tour(&world));
}

#[test]
fn it_leaves_nothing_behind() {
    // U1
    let mut world = World::new();
    let scratch = world.path().display().to_string();
    world.env("TMPDIR", &scratch);
    let before = std::fs::read_dir(world.path()).unwrap().count();
    assert_eq!(metier(&world, &["tour"]).code, 0);
    assert_eq!(std::fs::read_dir(world.path()).unwrap().count(), before);
    assert_eq!(std::fs::read_dir(world.home()).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(world.project()).unwrap().count(), 0);
}

#[test]
fn neither_settings_nor_variables_of_the_user_change_it() {
    // U1
    let mut world = World::new();
    let plain = tour(&world);
    world.env("METIER_SKILLS", "none");
    world.env("CODEX_HOME", "/nowhere");
    world.skill("home/.agents/skills", "own", "The user's own. Use it.");
    assert_eq!(tour(&world), plain);
}

#[test]
fn what_it_shows_is_what_the_commands_say() {
    // U1
    let world = World::new();
    let document = metier(&world, &["tour", "--json"]).json();
    let steps = document["steps"].as_array().unwrap();
    let step = |command: &str| {
        let found = steps.iter().find(|s| s["command"].as_str().unwrap().starts_with(command));
        found.unwrap_or_else(|| panic!("no step `{command}`")).clone()
    };
    let own = "---\nname: hello-extended\ndescription: Greets the way this house does. Use when \
               somebody of the house is greeted.\n---\n\n# Greeting\n\nSay good morning, whatever \
               the hour.\n";
    world.write("home/.agents/skills/hello-extended/SKILL.md", own);
    world.write("project/.git/HEAD", "");
    let real = metier(&world, &["why", "hello-extended"]);
    let home = world.home().canonicalize().unwrap().display().to_string();
    assert_eq!(step("metier why")["output"].as_str().unwrap(), real.stdout.replace(&home, "~"));
    assert!(step("metier check")["output"].as_str().unwrap().contains("✗ failed"));
    assert_eq!(step("metier lint --fix")["exit"], 0);
}

#[test]
fn the_session_of_the_tour_is_a_real_one() {
    // S3, S6, J3
    let world = World::new();
    let document = metier(&world, &["tour", "--json"]).json();
    let steps = document["steps"].as_array().unwrap();
    let exits = |command: &str| -> Vec<u64> {
        let same = steps.iter().filter(|s| s["command"].as_str().unwrap().starts_with(command));
        same.map(|s| s["exit"].as_u64().unwrap()).collect()
    };
    assert_eq!(exits("metier use"), [0]);
    assert_eq!(exits("metier guard"), [0, 3], "git is allowed, what rides on it is not");
    assert_eq!(exits("metier replay"), [0, 3], "as written, then tampered with");
    let events = steps.iter().find(|s| s["command"] == "metier events").unwrap();
    assert!(events["output"].as_str().unwrap().contains("tool_restriction_violated"));
}
