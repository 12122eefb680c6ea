//! `metier run`: scripts as users run them, in real walls.

mod ends;
mod hooks;
mod law;
mod uv;
mod walls;

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use metier_testing::{Run, World, project_root};
use serde_json::{Value, json};

use crate::{METIER, frames, hermetic, transcript};

/// A world with a personal skill `tool` and these scripts.
fn world(scripts: &[(&str, &str)]) -> World {
    world_in("personal", "", scripts)
}

fn world_in(layer: &str, more: &str, scripts: &[(&str, &str)]) -> World {
    let world = World::new();
    let text = format!("---\nname: tool\ndescription: A tool. Use it.\n{more}---\n\nTool.\n");
    world.write(format!("roots/{layer}/tool/SKILL.md"), text);
    for (path, text) in scripts {
        world.write(format!("roots/{layer}/tool/scripts/{path}"), text);
    }
    world
}

fn policy(world: &World, text: &str) {
    world.write("home/.config/metier/policy.toml", text);
}

fn run(world: &World, script: &str, more: &[&str]) -> Run {
    hermetic_before(world, &["run", "tool", script], more)
}

/// As `hermetic`, with words that must come last.
fn hermetic_before(world: &World, words: &[&str], last: &[&str]) -> Run {
    let mut roots = vec!["--no-default-roots".to_owned()];
    for layer in ["personal", "project", "bundled"] {
        let root = world.path().join("roots").join(layer);
        if root.exists() {
            roots.push(format!("--root={layer}={}", root.display()));
        }
    }
    let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
    world.run(METIER, &[words, &roots, last].concat())
}

fn finished(world: &World) -> Value {
    let all = frames(world);
    let last = all.iter().rev().find(|frame| frame["type"] == "script_finished");
    last.unwrap()["payload"].clone()
}

#[test]
fn a_script_runs_by_any_spelling_of_its_name_without_an_execute_bit() {
    // R2, R3
    let world = world(&[("MixedCase.py", "import sys\nprint('args', sys.argv[1:])\n")]);
    for name in ["MixedCase", "mixedcase", "MIXEDCASE.PY", "scripts/MixedCase.py"] {
        let run = run(&world, name, &["--", "a b", "--flag"]);
        assert_eq!((run.stdout.as_str(), run.code), ("args ['a b', '--flag']\n", 0), "{name}");
    }
    let listed = hermetic(&world, &["scripts", "tool", "--json"]).json();
    assert_eq!(listed["result"]["tool"][0]["name"], "MixedCase");
    assert_eq!(listed["message"], "Found 1 scripts in 'tool'");
}

#[test]
fn every_interpreter_of_this_machine_runs_its_scripts_and_a_missing_one_says_how_to_get_it() {
    // R3
    let scripts = [
        ("a.py", "print('ran')\n", "python3"),
        ("b.sh", "[[ 1 == 1 ]] && echo ran\n", "bash"),
        ("c.js", "console.log('ran')\n", "node"),
        ("d.mjs", "import 'node:fs'; console.log('ran')\n", "node"),
        ("e.rb", "puts 'ran'\n", "ruby"),
        ("f.pl", "print \"ran\\n\";\n", "perl"),
        ("g", "#!/usr/bin/env -S python3 -u\nprint('ran')\n", "python3"),
        ("h.odd", "#!/bin/sh\necho ran\n", "sh"),
        ("i", "#!/usr/bin/env no-such-interpreter\n", "no-such-interpreter"),
    ];
    let world = world(&scripts.map(|(path, text, _)| (path, text)));
    let installed = |name: &str| {
        ["/usr/local/bin", "/usr/bin", "/bin"].iter().any(|d| Path::new(d).join(name).exists())
    };
    let mut ran = 0;
    for (path, _, interpreter) in scripts {
        let answer = run(&world, path, &["--json", "--text"]);
        let json = answer.json();
        if installed(interpreter) {
            assert_eq!((&json["result"], answer.code), (&json!("ran\n"), 0), "{path}: {json}");
            ran += 1;
        } else {
            assert_eq!((&json["error"], answer.code), (&json!("interpreter_missing"), 1), "{path}");
            assert!(json["message"].as_str().unwrap().contains("hint: install"), "{json}");
        }
    }
    assert!(ran >= 3, "a shell, perl and one more are on every machine that builds this");
}

#[test]
fn a_compiled_program_runs_by_its_execute_bit() {
    // R2, R3
    let world = world(&[]);
    let directory = world.path().join("roots/personal/tool/bin");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::copy("/bin/echo", directory.join("say")).unwrap();
    let run = run(&world, "say", &["--", "hello"]);
    assert_eq!((run.stdout.as_str(), run.code), ("hello\n", 0), "{}", run.stderr);
    let mode = std::fs::metadata(directory.join("say")).unwrap().permissions().mode();
    assert_ne!(mode & 0o111, 0);
}

#[test]
fn a_script_that_exits_1_with_valid_json_loses_nothing() {
    // R3
    let world = world(&[("status.sh", "echo '{\"active\": false}'\necho off >&2\nexit 1\n")]);
    let run_json = run(&world, "status", &["--json"]);
    assert_eq!(run_json.code, 1);
    assert_eq!(
        run_json.json(),
        json!({
            "success": false,
            "error": "execution_failed",
            "message": "Script failed with exit code 1\nstderr: off",
            "exit_code": 1,
            "stdout": { "active": false },
            "stderr": "off",
        })
    );
    let text = run(&world, "status", &[]);
    assert_eq!(text.stdout, "{\"active\": false}\n");
    assert!(text.stderr.contains("off\n`scripts/status.sh`: exit code 1"), "{}", text.stderr);
    assert_eq!(run(&world, "status", &["--passthrough"]).code, 1);
}

#[test]
fn the_scripts_own_exit_code_is_passed_on_when_asked() {
    // R3, U1
    let world = world(&[("end.sh", "exit 42\n")]);
    assert_eq!(run(&world, "end", &["--passthrough"]).code, 42);
    assert_eq!(run(&world, "end", &[]).code, 1);
}

#[test]
fn json_mode_appends_the_flag_last_and_text_mode_does_not() {
    // R3
    let world = world(&[("show.py", "import json, sys\nprint(json.dumps(sys.argv[1:]))\n")]);
    let json_mode = run(&world, "show", &["--json", "--", "a"]).json();
    assert_eq!(json_mode["result"], json!(["a", "--json"]));
    assert_eq!(json_mode["message"], "Executed show script");
    let text = run(&world, "show", &["--json", "--text", "--", "a"]).json();
    assert_eq!(text["result"], "[\"a\"]\n");
}

#[test]
fn bytes_that_are_no_text_come_through_and_are_said_in_json() {
    // R3
    let world = world(&[("raw.py", "import sys\nsys.stdout.buffer.write(b'caf\\xe9')\n")]);
    let answer = run(&world, "raw", &["--json", "--text"]).json();
    assert_eq!(answer["result"], "caf\u{fffd}");
    assert_eq!(run(&world, "raw", &["--json"]).json()["error"], "parse_error");
    let mut command = world.command(METIER);
    let root = format!("--root=personal={}", world.path().join("roots/personal").display());
    let output = command
        .args(["run", "tool", "raw", "--raw", "--no-default-roots", &root])
        .output()
        .unwrap();
    assert_eq!(output.stdout, b"caf\xe9");
}

#[test]
fn a_flood_is_cut_at_the_limit_and_said() {
    // R4
    let world =
        world(&[("flood.py", "import sys\nfor _ in range(3000): sys.stdout.write('x' * 1024)\n")]);
    let answer = run(&world, "flood", &["--json", "--text"]).json();
    assert_eq!(answer["result"].as_str().unwrap().len(), 1 << 20);
    assert_eq!(answer["truncated"], json!({ "kept": 1 << 20, "total": 3000 * 1024 }));
    let text = run(&world, "flood", &[]);
    assert!(text.stderr.contains("output cut after 1048576 of 3072000 bytes"), "{}", text.stderr);
}

#[test]
fn arguments_are_limited_to_the_byte() {
    // R3, R4
    let world = world(&[("ok.sh", "echo ok\n")]);
    let check = |args: &[&str], error: Option<&str>| {
        let answer = run(&world, "ok", &[&["--json", "--text", "--"], args].concat()).json();
        assert_eq!(answer["error"].as_str(), error, "{answer}");
    };
    check(&["é".repeat(2048).as_str()], None);
    check(&["é".repeat(2049).as_str()], Some("args_too_large"));
    check(&["a"; 100], None);
    check(&["a"; 101], Some("args_too_large"));
}

#[test]
fn input_is_a_file_metiers_own_or_nothing() {
    // R4
    let world = world(&[("count.py", "import sys\nprint(len(sys.stdin.read()))\n")]);
    assert_eq!(run(&world, "count", &[]).stdout, "0\n");
    world.write("project/in.txt", "four");
    assert_eq!(run(&world, "count", &["--stdin", "in.txt"]).stdout, "4\n");
    let root = format!("--root=personal={}", world.path().join("roots/personal").display());
    let mut child = world
        .command(METIER)
        .args(["run", "tool", "count", "--stdin", "-", "--no-default-roots", &root])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"sixsix").unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"6\n");
    assert_eq!(run(&world, "count", &["--stdin", "gone.txt"]).code, 1);
    // Nobody waits for the end of what has none.
    let endless = std::fs::File::open("/dev/zero").unwrap();
    let refused = world
        .command(METIER)
        .args(["run", "tool", "count", "--stdin", "-", "--no-default-roots", &root])
        .stdin(endless)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("it has more than 67108864 bytes\n"), "{said}");
    assert!(said.contains("hint: `--stdin FILE` has no such limit"), "{said}");
}

#[test]
fn a_dry_run_shows_walls_and_command_and_does_nothing() {
    // R6
    let script = [("a.py", "print(1)\n")];
    let world = world_in("bundled", "permissions:\n  network: true\n  env: [TOKEN]\n", &script);
    let shown = run(&world, "a", &["--dry-run", "--timeout", "5", "--", "it's"]);
    let roots = "roots/bundled/tool";
    assert_eq!(
        transcript(&world, &shown),
        format!(
            "exit 0\n--- stdout\n\
             command      /usr/bin/python3 [WORLD]/{roots}/scripts/a.py 'it'\\''s'\n\
             start        [WORLD]/{roots}/scripts\n\
             policy       allow\n\
             walls        prefer\n\
             read         the system's programs and libraries\n             [WORLD]/{roots}\n\
             write        a private directory of 512 MiB\n\
             network      everything\n\
             environment  LANG LC_ALL NO_COLOR PAGER PATH PYTHONDONTWRITEBYTECODE TERM\n\
             time         5000 ms, 60 s of CPU a process\n\
             memory       2 GiB, 256 processes\n\
             files        256 MiB each, 1024 open\n\
             output       1 MiB and 256 KiB of errors\n"
        )
    );
    let json = run(&world, "a", &["--dry-run", "--json"]).json();
    assert_eq!(json["confinement"]["network"], "full");
    assert_eq!(json["verdict"], "allow");
    assert_eq!(frames(&world), Vec::<Value>::new(), "not even a session begins");
}

#[test]
fn a_run_is_an_intent_and_a_result_with_what_it_used() {
    // J1, R4
    let world = world(&[("a.py", "print('x' * 10)\n")]);
    run(&world, "a", &["--", "arg"]);
    let all = frames(&world);
    let kinds: Vec<&str> = all.iter().rev().take(3).map(|f| f["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["script_finished", "script_started", "tool_execution_in_skill"]);
    let started = &all[all.len() - 2]["payload"];
    assert_eq!((&started["script"], &started["purpose"]), (&json!("scripts/a.py"), &json!("run")));
    assert_eq!((&started["args"], &started["interpreter"]), (&json!(["arg"]), &json!("python3")));
    assert_eq!(started["digest"].as_str().unwrap().len(), 64);
    assert_eq!(started["confinement"]["network"], "off");
    let done = finished(&world);
    assert_eq!((&done["exit_code"], &done["stdout_bytes"]), (&json!(0), &json!(11)));
    assert!(done["max_rss"].as_u64().unwrap() > 1 << 20, "{done}");
    assert_eq!(done["stdout_digest"].as_str().unwrap().len(), 64);
    assert_eq!(done.get("error"), None);
}

#[test]
fn metrics_count_scripts_and_their_failures() {
    // J4
    let world = world(&[("a.sh", "exit 0\n"), ("b.sh", "exit 1\n")]);
    for script in ["a", "a", "b"] {
        run(&world, script, &[]);
    }
    let counted = hermetic(&world, &["metrics", "--json"]).json()["total"].clone();
    assert_eq!((&counted["scripts_run"], &counted["scripts_failed"]), (&json!(3), &json!(1)));
    let status = hermetic(&world, &["status", "--json"]).json();
    assert_eq!(status["counters"]["scripts_run"], 3);
}

#[test]
fn help_runs_once_and_is_kept_until_the_script_changes() {
    // R3
    let world = world(&[("a.py", "print('usage: a X\\n\\nmore')\n")]);
    let ask = || hermetic(&world, &["help-script", "tool", "A"]).stdout;
    assert_eq!(ask(), "usage: a X\n\nmore\n");
    assert_eq!(ask(), "usage: a X\n\nmore\n");
    let started = |world: &World| {
        frames(world).iter().filter(|frame| frame["type"] == "script_started").count()
    };
    assert_eq!(started(&world), 1);
    world.write("roots/personal/tool/scripts/a.py", "print('usage: new')\n");
    assert_eq!(ask(), "usage: new\n");
    assert_eq!(started(&world), 2);
    // What it says may come from any file of the skill.
    world.write("roots/personal/tool/scripts/beside.py", "TEXT = 1\n");
    assert_eq!(ask(), "usage: new\n");
    assert_eq!(started(&world), 3);
    let json = hermetic(&world, &["help-script", "tool", "a", "--json"]).json();
    assert_eq!(json["result"], json!({ "help_text": "usage: new\n", "usage": "usage: new" }));
    let missing = hermetic(&world, &["help-script", "tool", "zzz", "--json"]);
    assert_eq!((missing.code, &missing.json()["error"]), (1, &json!("not_found")));
}

#[test]
fn help_that_fails_says_so_and_is_not_kept() {
    // R3
    let world = world(&[("a.sh", "echo no >&2; exit 2\n")]);
    for _ in 0..2 {
        let json = hermetic(&world, &["help-script", "tool", "a", "--json"]);
        assert_eq!((json.code, &json.json()["error"]), (1, &json!("execution_failed")));
    }
    let text = hermetic(&world, &["help-script", "tool", "a"]);
    assert_eq!(text.stdout, "no\n");
    assert_eq!(text.code, 1);
}

#[test]
fn a_bundled_script_runs_from_a_verified_place() {
    // B1, R3
    let world = World::new();
    let args = ["run", "hello-extended", "advanced_greeting", "--json", "--", "--name", "Ada"];
    let answer = world.run(METIER, &args);
    assert_eq!(answer.code, 0, "{}", answer.stdout);
    assert!(answer.json()["result"].to_string().contains("Ada"), "{}", answer.stdout);
    let place = world.home().join(".local/share/metier/bundled");
    let mut entries = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
    let copy = entries.find(|path| path.is_dir()).unwrap();
    let script = copy.join("scripts/advanced_greeting.py");
    std::fs::write(&script, "print('{\"evil\": true}')").unwrap();
    let again = world.run(METIER, &args);
    assert_eq!(again.json(), answer.json());
}

#[test]
fn what_a_script_prints_moves_no_terminal_in_messages() {
    // U2, R3
    let world = world(&[("esc.sh", "printf '\\033[2Jerr\\n' >&2; printf '\\033[2Jout\\n\\377'\n")]);
    let shown = run(&world, "esc", &[]);
    assert!(!shown.stdout.contains('\u{1b}') && shown.stdout.contains("out"), "{:?}", shown.stdout);
    assert!(run(&world, "esc", &["--raw"]).stdout.contains('\u{1b}'));
    assert!(!shown.stderr.contains('\u{1b}'), "{:?}", shown.stderr);
    assert!(shown.stderr.contains("err"), "{:?}", shown.stderr);
}
