use super::*;
use crate::shell::{self, Surroundings};

const KNOWN: [&str; 4] = ["hooks.json", ".codex", "config.toml", "stamps"];

fn check(command: &str, expected: &[&str]) {
    let around = Surroundings { home: Some("/home/user"), depth: 0 };
    let commands = shell::parse(command, around).expect("a command");
    let word = commands.iter().find(|it| it.argv.len() > 1).expect("words").argv[1].clone();
    let found = paths(&word, &KNOWN, command);
    let found: Vec<String> = found.iter().map(|path| path.join("/")).collect();
    assert_eq!(found, expected, "{command}");
}

#[test]
fn a_path_of_which_parts_are_open_is_written_out_with_the_names_it_may_have() {
    // S3, S4, U5
    let table: [(&str, &[&str]); 25] = [
        ("rm hooks.json", &["hooks.json"]),
        ("rm ./a/../Hooks.json", &["hooks.json"]),
        ("rm hooks.jso?", &["hooks.json"]),
        ("rm hooks*", &["hooks.json"]),
        ("rm hooks.*", &["hooks.json"]),
        ("rm [h]ooks.json", &["hooks.json"]),
        ("rm hooks.{json,}", &["hooks.json", "hooks."]),
        ("rm .cod*/hooks.json", &[".codex/hooks.json"]),
        ("rm .cod*/conf*", &[".codex/config.toml"]),
        ("f=hooks; rm $f.json", &["hooks.json"]),
        ("rm $PWD/hooks.json", &["hooks.json"]),
        ("rm \"$(pwd)/hooks.json\"", &["hooks.json"]),
        ("rm \"$X/hooks.json\"", &["hooks.json"]),
        ("rm ~+/hooks.json", &["hooks.json"]),
        ("rm /proc/self/cwd/hooks.json", &["hooks.json"]),
        ("rm /proc/$X/cwd/hooks.json", &["hooks.json"]),
        ("rm stam??", &["stamps"]),
        ("rm *.json", &["*.json"]),
        ("rm *", &["*"]),
        ("rm h*.json", &["h*.json"]),
        ("rm $f.json", &["….json"]),
        ("rm a*.json", &["a*.json"]),
        ("rm /x/hooks.json", &[]),
        ("rm ~/hooks*", &[]),
        ("rm ~other/hooks.json", &[]),
    ];
    for (command, expected) in table {
        check(command, expected);
    }
}

#[test]
fn many_wildcards_end_soon() {
    // S3, F4
    check(&format!("rm {}", "h*".repeat(1000)), &["h*".repeat(1000).as_str()]);
    let many = vec!["hook*"; 100].join("/");
    let around = Surroundings::default();
    let commands = shell::parse(&format!("rm {many}"), around).expect("a command");
    let known = ["hooks.json", "hooked", "hooking"];
    assert_eq!(paths(&commands[0].argv[1], &known, "").len(), MAX_READINGS);
}
