//! The tables and examples of `docs/` against the program: every key, variable, value and shape the
//! program has is on its page, and every one on a page is one the program has.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use metier_testing::{World, project_root};
use serde_json::Value;

use crate::{METIER, metier, walkthrough};

/// The text of a file of the project.
fn file(path: &str) -> String {
    fs::read_to_string(project_root().join(path)).unwrap()
}

/// The rows of the table whose first heading is `heading`, as cells.
fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let begin = format!("| {heading} |");
    let rows = page.lines().skip_while(|line| !line.starts_with(&begin)).skip(2);
    let rows: Vec<Vec<String>> = rows
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect();
    assert!(!rows.is_empty(), "no table with `{heading}`");
    rows
}

/// What stands between backticks.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// What the first cells of a table name.
fn named(page: &str, heading: &str) -> BTreeSet<String> {
    table(page, heading).iter().flat_map(|row| quoted(&row[0])).collect()
}

/// What a hint lists after `after`.
fn listed(stderr: &str, after: &str) -> BTreeSet<String> {
    assert!(stderr.contains(after), "{stderr}");
    let (_, list) = stderr.split_once(after).unwrap();
    list.lines().next().unwrap().split(", ").map(str::to_owned).collect()
}

#[test]
fn the_page_on_settings_has_every_key_of_the_file_and_no_other() {
    // U1, U5
    let page = file("docs/settings.md");
    let world = World::new();
    let said = |text: &str| {
        world.write("project/c.toml", text);
        metier(&world, &["list", "--config", "c.toml"])
    };
    let unknown = said("zzzzzzzzzz = 1\n").stderr;
    assert_eq!(named(&page, "key"), listed(&unknown, "the keys are "));
    let unknown = said("[clients.a]\nzzzzzzzzzz = 1\n").stderr;
    assert_eq!(named(&page, "key of `[clients.NAME]`"), listed(&unknown, "a client has "));
    let unknown = said("roots = [{ zzzzzzzzzz = 1 }]\n").stderr;
    for key in listed(&unknown, "a root has ") {
        assert!(page.contains(&format!("{key} = ")), "{key}");
    }
    let unknown = said("[hosts.codex]\nzzzzzzzzzz = 1\n").stderr;
    for key in listed(&unknown, "a host has ") {
        assert!(page.contains(&format!("hosts.HOST.{key}")), "{key}");
    }
}

#[test]
fn what_the_page_on_settings_calls_the_default_is_it_and_every_value_is_taken() {
    // U1, U5
    let page = file("docs/settings.md");
    let world = World::new();
    let help = metier(&world, &["--help"]).stdout;
    for row in table(&page, "key") {
        let key = quoted(&row[0]).remove(0);
        let lines = help.lines().skip_while(|line| line.split_whitespace().next() != Some(&key));
        // Help is folded; what it says about a key ends with its default.
        let end = lines.clone().find(|line| line.ends_with(']')).unwrap();
        let default = row[1].replace(['`', '"'], "");
        assert!(end.ends_with(&format!("[{default}]")), "{key} is {default}: {end}");
        let defaults = quoted(&row[1]).into_iter();
        let words = quoted(&row[2]).into_iter().filter(|word| word.starts_with('"'));
        for value in defaults.chain(words) {
            world.write("project/c.toml", format!("{key} = {value}\n"));
            let run = metier(&world, &["list", "--config", "c.toml"]);
            assert_eq!(run.code, 0, "{key} = {value}: {}", run.stderr);
        }
    }
}

#[test]
fn every_variable_is_on_the_page_and_in_the_example() {
    // U1, U5
    let help = metier(&World::new(), &["--help"]).stdout;
    let (_, section) = help.split_once("\nEnvironment").unwrap();
    let (section, _) = section.split_once("\nSettings file").unwrap();
    let name =
        |word: &str| word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let mut known = BTreeSet::new();
    for line in section.lines().skip(1) {
        let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        match words.split_first() {
            Some((first, rest)) if name(first) && rest.iter().all(|word| name(word)) => {
                known.extend(words.iter().map(ToString::to_string));
            }
            Some((first, _)) if name(first) => drop(known.insert((*first).to_string())),
            _ => {}
        }
    }
    assert!(known.contains("METIER_HOME") && known.contains("CODEX_HOME"), "{known:?}");
    assert_eq!(named(&file("docs/settings.md"), "variable"), known);
    let example = file(".env.example");
    let lines = example.lines().filter_map(|line| line.strip_prefix("# ")?.split_once('='));
    let lines: BTreeSet<String> =
        lines.map(|(name, _)| name.to_owned()).filter(|word| name(word)).collect();
    assert_eq!(lines, known);
}

/// The words of a list of keys in the source that reads policy files.
fn keys_in_source(path: &str, list: &str) -> BTreeSet<String> {
    let source = file(path);
    let (_, rest) = source.split_once(&format!("const {list}: [&str; ")).unwrap();
    let (_, rest) = rest.split_once("= [").unwrap();
    let (list, _) = rest.split_once("];").unwrap();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_page_on_policy_has_every_key_and_every_value_it_names_is_taken() {
    // S4, U5
    let page = file("docs/policy.md");
    let section = |title: &str| {
        let (_, rest) = page.split_once(&format!("\n## {title}\n")).unwrap();
        rest.split("\n## ").next().unwrap().to_owned()
    };
    let read = "crates/metier-policy/src/policy/read.rs";
    let scripts = "crates/metier-policy/src/policy/read_scripts.rs";
    let file_keys = section("Keys of a file");
    assert_eq!(named(&file_keys, "key"), keys_in_source(read, "KEYS"));
    let rule_keys = section("Keys of a rule");
    assert_eq!(named(&rule_keys, "key"), keys_in_source(read, "RULE_KEYS"));
    let script_keys = section("Keys of `[scripts]`");
    assert_eq!(named(&script_keys, "key"), keys_in_source(scripts, "KEYS"));
    let world = World::new();
    for (before, keys) in [("", &file_keys), ("[scripts]\n", &script_keys)] {
        for row in table(keys, "key") {
            for value in quoted(&row[1]) {
                let key = quoted(&row[0]).remove(0);
                let plain = value.starts_with('[') || ["true", "false", "1"].contains(&&*value);
                let value = if plain { value } else { format!("\"{value}\"") };
                let policy = format!("{before}{key} = {value}\n");
                world.write("project/p.toml", &policy);
                let run = metier(&world, &["guard", "Read", "{}", "--policy", "p.toml"]);
                assert!(!run.stdout.contains("p.toml:"), "{policy}: {}", run.stdout);
            }
        }
    }
}

#[test]
fn every_pattern_of_the_page_on_policy_fits_what_the_page_says() {
    // S3, S4, U5
    let page = file("docs/policy.md");
    let tried = [
        ("*", "Read(x)", ""),
        ("Bash(git:*)", "Bash(git)", "Bash(gitk)"),
        ("Bash(git *)", "Bash(git log -p)", "Bash(gitk)"),
        ("Bash(npm run test)", "Bash(npm run test)", "Bash(npm run test x)"),
        ("Read(./docs/**)", "Read(docs/a/b)", "Read(src/docs/a)"),
        ("Read(docs/)", "Read(docs/a/b)", "Read(doc/a)"),
        ("Read(.env)", "Read(a/.env)", "Read(/elsewhere/.env)"),
        ("Read(*.pem)", "Read(a/b.pem)", "Read(a/b.pem.txt)"),
        ("Read(~/.ssh/**)", "Read(/home/user/.ssh/id)", "Read(.ssh/id)"),
        ("Read(/etc/**)", "Read(/etc/passwd)", "Read(etc/passwd)"),
        (
            "WebFetch(domain:*.example.com)",
            "WebFetch(https://a.example.com/)",
            "WebFetch(https://example.com/)",
        ),
        ("mcp__github__*", "mcp__github__list", "mcp__other__list"),
    ];
    let patterns: BTreeSet<String> = tried.iter().map(|(pattern, ..)| (*pattern).into()).collect();
    assert_eq!(named(&page, "pattern"), patterns);
    let world = World::new();
    for (pattern, fits, other) in tried {
        // A rule's own examples are checked when its file is read.
        let not = if other.is_empty() { String::new() } else { format!("'{other}'") };
        let policy = format!(
            "[[rule]]\nverdict = 'deny'\npattern = '{pattern}'\nmatches = ['{fits}']\n\
             not_matches = [{not}]\n"
        );
        world.write("project/p.toml", policy);
        let run = metier(&world, &["guard", "Read", "{}", "--policy", "p.toml"]);
        assert!(!run.stdout.contains("p.toml:"), "{pattern}: {}", run.stdout);
    }
}

#[test]
fn the_examples_of_files_in_the_readme_are_taken() {
    // S4, U1, U5
    let readme = file("README.md");
    let world = World::new();
    let mut found = 0;
    for block in readme.split("\n\n").filter(|block| block.starts_with("    ")) {
        let text: String = block.lines().map(|line| format!("{}\n", line.trim_start())).collect();
        world.write("project/file.toml", &text);
        if text.starts_with("[[rule]]") || text.starts_with("[scripts]") {
            let run = metier(&world, &["guard", "Read", "{}", "--policy", "file.toml"]);
            assert_eq!(run.code, 0, "{text}{}", run.stdout);
            found += 1;
        } else if text.starts_with("default-roots") {
            // Its table stands behind an empty line.
            let (_, rest) = readme.split_once(block).unwrap();
            let table: String = rest
                .lines()
                .take_while(|line| !line.starts_with('#'))
                .fold(text.clone(), |all, line| format!("{all}{}\n", line.trim_start()));
            world.write("project/file.toml", &table);
            assert!(table.contains("[prompt]"), "{table}");
            let run = metier(&world, &["list", "--config", "file.toml"]);
            assert_eq!(run.code, 0, "{table}{}", run.stderr);
            found += 1;
        }
    }
    assert_eq!(found, 3);
}

/// A command of the page on JSON: what to type, the exit code, and the document it shows; a step of
/// a `console` block has none.
struct Shown {
    command: String,
    code: i32,
    document: Option<Value>,
}

/// The commands of the page in their order.
fn shown(page: &str) -> Vec<Shown> {
    let mut all = Vec::new();
    let mut blocks = page.split("\n```");
    while let (Some(_), Some(block)) = (blocks.next(), blocks.next()) {
        let (language, text) = block.split_once('\n').unwrap();
        if language == "console" {
            let steps = walkthrough::steps(&format!("```console\n{text}\n```\n"));
            let step = |command| Shown { command, code: 0, document: None };
            all.extend(steps.into_iter().map(|found| step(found.command)));
        }
        if language != "jsonc" {
            continue;
        }
        for example in format!("\n{text}").split("\n// ").skip(1) {
            let (command, document) = example.split_once('\n').unwrap();
            let code = command.split_once("# exit ").map_or(0, |(_, code)| code.parse().unwrap());
            let document = serde_json::from_str(document);
            assert!(document.is_ok(), "{command}: {document:?}");
            all.push(Shown { command: command.to_owned(), code, document: document.ok() });
        }
    }
    all
}

/// Where the shapes of two documents differ: keys, kinds, and lists one of which has nothing.
fn differences(place: &str, page: &Value, real: &Value, found: &mut Vec<String>) {
    match (page, real) {
        (Value::Null, _) | (_, Value::Null) => {}
        (Value::Object(page), Value::Object(real)) => {
            let keys: BTreeMap<&String, (Option<&Value>, Option<&Value>)> = page
                .keys()
                .chain(real.keys())
                .map(|key| (key, (page.get(key), real.get(key))))
                .collect();
            for (key, pair) in keys {
                let place = format!("{place}.{key}");
                match pair {
                    (Some(page), Some(real)) => differences(&place, page, real, found),
                    (None, _) => found.push(format!("{place} is not on the page")),
                    (_, None) => found.push(format!("{place} is not printed")),
                }
            }
        }
        (Value::Array(page), Value::Array(real)) => {
            if page.len() > real.len() {
                found.push(format!("{place} has fewer entries than on the page"));
            }
            for (index, (page, real)) in page.iter().zip(real).enumerate() {
                differences(&format!("{place}[{index}]"), page, real, found);
            }
        }
        (page, real) if std::mem::discriminant(page) == std::mem::discriminant(real) => {}
        (page, real) => found.push(format!("{place} is {real}, on the page {page}")),
    }
}

#[test]
fn every_document_of_the_page_on_json_has_the_keys_the_command_prints() {
    // U1, U5
    let page = file("docs/json.md");
    let world = World::new();
    let programs = world.path().join("bin");
    fs::create_dir(&programs).unwrap();
    std::os::unix::fs::symlink(METIER, programs.join("metier")).unwrap();
    let path = format!("PATH={}:/usr/bin:/bin", programs.display());
    let examples = shown(&page);
    assert!(examples.len() > 50, "{}", examples.len());
    for example in &examples {
        let script = format!("{path}\nexport PATH\n{}", example.command);
        let run = world.run("/bin/sh", &["-c", &script]);
        assert_eq!(run.code, example.code, "{}: {}", example.command, run.stderr);
        let Some(document) = &example.document else { continue };
        let real = serde_json::Deserializer::from_str(&run.stdout).into_iter().next();
        let real: Value = real.unwrap().unwrap();
        let mut found = Vec::new();
        differences("", document, &real, &mut found);
        assert!(found.is_empty(), "{}: {found:#?}\nit prints {real}", example.command);
    }
}

#[test]
fn the_page_on_json_has_every_command_that_prints_a_document() {
    // U1, U5
    let examples = shown(&file("docs/json.md"));
    let on_page: BTreeSet<&str> =
        examples.iter().filter_map(|example| example.command.split(' ').nth(1)).collect();
    let help = metier(&World::new(), &["--help"]).stdout;
    let (_, section) = help.split_once("\nCommands:\n").unwrap();
    let (section, _) = section.split_once("\nOptions:").unwrap();
    // These serve, speak another protocol, or print what is for a shell.
    let others = ["mcp", "chibi", "serve", "tour", "completions", "man", "help"];
    let commands = section.lines().filter(|line| !line.starts_with("   "));
    let commands: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() > 30, "{commands:?}");
    for command in commands {
        assert!(others.contains(&command) || on_page.contains(command), "{command}");
    }
}

#[test]
fn a_document_that_is_wrong_is_noticed() {
    // U5
    let check = |page: Value, real: Value, expect: &[&str]| {
        let mut found = Vec::new();
        differences("", &page, &real, &mut found);
        assert_eq!(found, expect);
    };
    use serde_json::json;
    check(json!({"a": 1, "b": null}), json!({"a": 2, "b": "x"}), &[]);
    check(json!({"a": 1}), json!({"b": 1}), &[".a is not printed", ".b is not on the page"]);
    check(json!({"a": "1"}), json!({"a": 1}), &[".a is 1, on the page \"1\""]);
    check(json!([{"a": 1}]), json!([]), &[" has fewer entries than on the page"]);
    check(json!([{"a": 1}]), json!([{"a": {}}, 7]), &["[0].a is {}, on the page 1"]);
    let page = "x\n\n```jsonc\n// metier list --json  # exit 3\n{}\n// metier\n[1,\n2]\n```\n";
    let found: Vec<(i32, Option<Value>)> =
        shown(page).into_iter().map(|shown| (shown.code, shown.document)).collect();
    assert_eq!(found, [(3, Some(json!({}))), (0, Some(json!([1, 2])))]);
}
