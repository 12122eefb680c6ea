//! `metier run`: scripts as users run them, in real walls.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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
    let output =
        command.args(["run", "tool", "raw", "--no-default-roots", &root]).output().unwrap();
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
}

#[test]
fn a_script_sees_its_skill_and_nothing_of_the_user() {
    // R5, R6
    let probe = "import json, os, socket, sys\n\
        def tried(act):\n    try:\n        act()\n        return True\n    except OSError:\n        return False\n\
        home = sys.argv[1]\n\
        connect = lambda: socket.create_connection(('127.0.0.1', int(sys.argv[2])), 1)\n\
        print(json.dumps({\n\
        'env': 'canary' in repr(os.environ),\n\
        'secret': tried(lambda: open(home + '/.ssh/id').read()),\n\
        'skill': tried(lambda: open('../SKILL.md').read()),\n\
        'write_skill': tried(lambda: open('x', 'w')),\n\
        'write_project': tried(lambda: open(home + '/../project/x', 'w')),\n\
        'scratch': tried(lambda: open(os.environ['TMPDIR'] + '/x', 'w')),\n\
        'network': tried(connect)}))\n";
    let mut world = world(&[("probe.py", probe)]);
    world.env("MY_API_KEY", "canary-5512");
    let home = world.home().display().to_string();
    world.write("home/.ssh/id", "secret");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let answer = run(&world, "probe", &["--json", "--", &home, &port]).json();
    assert_eq!(
        answer["result"],
        json!({
            "env": false, "secret": false, "skill": true, "write_skill": false,
            "write_project": false, "scratch": true, "network": false,
        }),
        "{answer}"
    );
    let enforced = finished(&world)["enforced"].clone();
    for wall in ["filesystem", "network", "syscalls", "processes", "tree"] {
        assert_ne!(enforced[wall], "none", "{enforced}");
    }
}

#[test]
fn a_variable_passes_when_skill_and_policy_name_it_and_reaches_no_journal() {
    // R5
    let script = [("show.sh", "echo \"$KALSHI_KEY|$OTHER_KEY\"\n")];
    let mut world = world_in("personal", "permissions:\n  env: [\"KALSHI_*\"]\n", &script);
    world.env("KALSHI_KEY", "canary-8837");
    world.env("OTHER_KEY", "canary-9938");
    let held = run(&world, "show", &[]);
    assert_eq!(held.stdout, "|\n");
    assert!(held.stderr.contains("`KALSHI_KEY`, which policy does not pass on"), "{}", held.stderr);
    policy(&world, "[scripts]\nenv = [\"KALSHI_*\", \"OTHER_KEY\"]\n");
    assert_eq!(run(&world, "show", &["--", "canary-8837"]).stdout, "canary-8837|\n");
    let journal = frames(&world).iter().map(Value::to_string).collect::<String>();
    assert!(!journal.contains("canary-"), "{journal}");
}

#[test]
fn the_network_opens_for_an_approved_skill_that_asks_and_a_policy_that_lets_it() {
    // R6
    let connect = "import socket, sys\nsocket.create_connection(('127.0.0.1', int(sys.argv[1])), 2)\nprint('reached')\n";
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let check = |layer: &str, asks: &str, law: &str, reached: bool| {
        let more = format!("permissions:\n  network: {asks}\n");
        let world = world_in(layer, &more, &[("reach.py", connect)]);
        policy(&world, law);
        let run = run(&world, "reach", &["--", &port]);
        assert_eq!(run.stdout == "reached\n", reached, "{layer} {asks} {law}: {}", run.stderr);
    };
    check("bundled", "true", "", true);
    check("bundled", "[localhost]", "[scripts]\nnetwork = \"any\"\n", true);
    check("bundled", "[]", "", false);
    check("bundled", "true", "[scripts]\nnetwork = \"off\"\n", false);
    check("personal", "true", "[scripts]\nnetwork = \"any\"\n", false);
}

#[test]
fn a_list_of_hosts_is_refused_and_not_pretended() {
    // R6
    let more = "permissions:\n  network: [api.example.com]\n";
    let world = world_in("bundled", more, &[("a.sh", "echo ran\n")]);
    let refused = run(&world, "a", &[]);
    assert_eq!((refused.code, refused.stdout.as_str()), (3, ""));
    assert!(refused.stderr.contains("list of hosts"), "{}", refused.stderr);
    assert!(refused.stderr.contains("network = \"any\""), "{}", refused.stderr);
    assert_eq!(finished(&world)["error"], "permission_denied");
}

#[test]
fn the_project_is_written_only_where_policy_says_so() {
    // R6
    let script = [("write.sh", "echo x > \"$1/made\"\n")];
    let world = world_in("bundled", "", &script);
    let project = world.project().display().to_string();
    assert_ne!(run(&world, "write", &["--", &project]).code, 0);
    policy(&world, "[scripts]\nproject = \"read\"\n");
    assert_ne!(run(&world, "write", &["--", &project]).code, 0);
    policy(&world, "[scripts]\nproject = \"write\"\n");
    let allowed = run(&world, "write", &["--", &project]);
    assert_eq!(allowed.code, 0, "{}", allowed.stderr);
    assert!(world.project().join("made").exists());
}

#[test]
fn policy_denies_scripts_by_skill_and_by_name_and_the_refusal_is_recorded() {
    // S4, R3
    let world = world(&[("a.sh", "echo a\n"), ("b.sh", "echo b\n")]);
    policy(
        &world,
        "[[rule]]\nid = \"no-b\"\nverdict = \"deny\"\npattern = \"Script\"\n\
         arguments = { script = \"scripts/b.sh\" }\nreason = \"b is broken\"\n",
    );
    assert_eq!(run(&world, "a", &[]).code, 0);
    let denied = run(&world, "b", &["--json"]);
    assert_eq!((denied.code, &denied.json()["error"]), (3, &json!("permission_denied")));
    assert!(denied.json()["message"].as_str().unwrap().contains("b is broken"));
    let last = frames(&world).pop().unwrap();
    assert_eq!(last["type"], "tool_restriction_violated");
    policy(&world, "[[rule]]\nverdict = \"deny\"\npattern = \"Script\"\nskill = \"tool\"\n");
    assert_eq!(run(&world, "a", &[]).code, 3);
    policy(&world, "rule = 1\n");
    assert_eq!(run(&world, "a", &[]).code, 3, "a policy that cannot be read denies");
}

#[test]
fn what_policy_asks_about_a_model_may_not_run_and_a_person_may() {
    // S4, R3
    let world = world(&[("a.sh", "echo a\n")]);
    policy(&world, "[[rule]]\nverdict = \"ask\"\npattern = \"Script\"\n");
    assert_eq!(run(&world, "a", &[]).code, 0);
    assert_eq!(run(&world, "a", &["--auto"]).code, 3);
    assert_eq!(run(&world, "a", &["--auto", "--yes"]).code, 0);
}

#[test]
fn another_active_skill_has_to_allow_scripts_and_ones_own_does_not() {
    // S3, R3
    let world = world_in("personal", "allowed-tools: Read\n", &[("a.sh", "echo a\n")]);
    let other = "---\nname: other\ndescription: Other.\nallowed-tools: Read\n---\n";
    world.write("roots/personal/other/SKILL.md", other);
    hermetic(&world, &["use", "tool"]);
    assert_eq!(run(&world, "a", &[]).code, 0, "the hint of S5 says to run it");
    hermetic(&world, &["use", "other"]);
    let denied = run(&world, "a", &[]);
    assert_eq!(denied.code, 3);
    assert!(denied.stderr.contains("`other`"), "{}", denied.stderr);
}

#[test]
fn policy_may_let_only_active_skills_run_scripts() {
    // R3, S4
    let world = world(&[("a.sh", "echo a\n")]);
    policy(&world, "[scripts]\nonly-active = true\n");
    assert_eq!(run(&world, "a", &[]).code, 3);
    hermetic(&world, &["use", "tool"]);
    assert_eq!(run(&world, "a", &[]).code, 0);
}

#[test]
fn names_that_mean_nothing_something_else_or_too_much_are_refused() {
    // R2, R3
    let world = world(&[("run.py", ""), ("run.sh", "")]);
    std::os::unix::fs::symlink(
        "/etc/passwd",
        world.path().join("roots/personal/tool/scripts/evil.py"),
    )
    .unwrap();
    let check = |skill: &str, script: &str, code: &str, part: &str| {
        let answer = hermetic(&world, &["run", skill, script, "--json"]).json();
        assert_eq!(answer["error"], code, "{answer}");
        assert!(answer["message"].as_str().unwrap().contains(part), "{answer}");
    };
    check("nope", "x", "not_found", "Skill 'nope' not found");
    check("../tool", "x", "invalid_name", "../tool");
    check("tool", "nope", "not_found", "Script 'nope' not found in skill 'tool'");
    check("tool", "../../etc/passwd", "invalid_name", "etc/passwd");
    check("tool", "run", "invalid_name", "`scripts/run.py`, `scripts/run.sh`");
    check("tool", "evil", "permission_denied", "leaves the skill");
    let listed = hermetic(&world, &["scripts", "tool"]);
    assert!(listed.stderr.contains("`scripts/evil.py` is no script"), "{}", listed.stderr);
}

#[test]
fn a_project_nobody_trusts_runs_nothing() {
    // R3, D4
    let world = world_in("project", "", &[("a.sh", "echo a\n")]);
    let refused = run(&world, "a", &["--json"]);
    assert_eq!((refused.code, &refused.json()["error"]), (3, &json!("permission_denied")));
    assert!(
        hermetic(&world, &["scripts", "--json"]).json()["result"].as_object().unwrap().is_empty()
    );
}

#[test]
fn a_timeout_ends_the_whole_tree() {
    // R4
    let daemon = "import os, sys, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        \
        time.sleep(1000 + int(sys.argv[1]))\n    os._exit(0)\ntime.sleep(1000)\n";
    let world = world(&[("daemon.py", daemon)]);
    let mark = unique_mark();
    let answer =
        run(&world, "daemon", &["--timeout", "0.5", "--json", "--text", "--", &mark]).json();
    assert_eq!(answer["error"], "timeout");
    assert_eq!(answer["message"], "Script timed out after 0.5s");
    assert_eq!(processes_with(&mark), 0);
    assert_eq!(finished(&world)["status"], "stopped after the time limit");
}

#[test]
fn nothing_outlives_metier_however_it_ends() {
    // R4
    let sleeper = "import os, sys, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(1000)\n\
        print('up', flush=True)\ntime.sleep(1000)\n";
    let world = world(&[("sleep.py", sleeper)]);
    let root = format!("--root=personal={}", world.path().join("roots/personal").display());
    for signal in ["-KILL", "-INT"] {
        let mark = unique_mark();
        let mut metier = world
            .command(METIER)
            .args(["run", "tool", "sleep", "--no-default-roots", &root, "--", &mark])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        wait_until("the script and its child run", || processes_with(&mark) >= 3);
        let id = metier.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        let ended = metier.wait().unwrap();
        wait_until("everything is gone", || processes_with(&mark) == 0);
        if signal == "-INT" {
            assert_eq!(ended.code(), Some(130));
            assert_eq!(finished(&world)["error"], "cancelled");
        }
    }
}

/// A word no other process has among its arguments.
fn unique_mark() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}{:03}", std::process::id(), count)
}

/// How many processes have `mark` as an argument.
fn processes_with(mark: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            line.split(|byte| *byte == 0).any(|word| word == mark.as_bytes())
        })
        .count()
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
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
    assert!(frames(&world).iter().all(|frame| frame["type"] != "script_started"));
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
    let copy = std::fs::read_dir(place).unwrap().next().unwrap().unwrap().path();
    let script = copy.join("scripts/advanced_greeting.py");
    std::fs::write(&script, "print('{\"evil\": true}')").unwrap();
    let again = world.run(METIER, &args);
    assert_eq!(again.json(), answer.json());
}

#[test]
fn what_a_script_prints_moves_no_terminal_in_messages() {
    // U2, R3
    let world = world(&[("esc.sh", "printf '\\033[2Jerr\\n' >&2\n")]);
    let shown = run(&world, "esc", &[]);
    assert!(!shown.stderr.contains('\u{1b}'), "{:?}", shown.stderr);
    assert!(shown.stderr.contains("err"), "{:?}", shown.stderr);
}

// Hooks ------------------------------------------------------------------------------------------

fn hooked(pre: &str, post: &str) -> World {
    let more = "hooks:\n  pre: scripts/pre.sh\n  post: scripts/post.sh\n";
    world_in("personal", more, &[("pre.sh", pre), ("post.sh", post)])
}

fn events(world: &World) -> Vec<String> {
    let all = frames(world);
    let kinds = all.iter().map(|frame| frame["type"].as_str().unwrap().to_owned());
    kinds.skip_while(|kind| kind != "skill_invoked").collect()
}

#[test]
fn hooks_run_around_a_skills_activity_and_are_told_what_goes_on() {
    // S9
    let pre = "grep -q '\"hook\":\"pre\"' && exit 0\nexit 7\n";
    let world = hooked(pre, "grep -q '\"hook\":\"post\"' && exit 0\nexit 7\n");
    assert_eq!(hermetic(&world, &["use", "tool", "x"]).code, 0);
    assert_eq!(hermetic(&world, &["release"]).code, 0);
    let expect = [
        "skill_invoked",
        "tool_execution_in_skill",
        "script_started",
        "script_finished",
        "skill_loaded",
        "skill_activated",
        "tool_execution_in_skill",
        "script_started",
        "script_finished",
        "skill_deactivated",
    ];
    assert_eq!(events(&world), expect);
}

#[test]
fn a_failing_hook_before_blocks_with_its_message() {
    // S9
    let world = hooked("echo 'no licence' >&2\nexit 1\n", "exit 0\n");
    let blocked = hermetic(&world, &["use", "tool"]);
    assert_eq!(blocked.code, 3);
    assert!(blocked.stderr.contains("no licence"), "{}", blocked.stderr);
    let status = hermetic(&world, &["status", "--json"]).json();
    assert_eq!(status["stack"], json!([]));
    assert_eq!(frames(&world).pop().unwrap()["type"], "skill_refused");
}

#[test]
fn a_failing_hook_after_is_a_warning_and_the_skill_goes_all_the_same() {
    // S9
    let world = hooked("exit 0\n", "echo broken >&2\nexit 1\n");
    hermetic(&world, &["use", "tool"]);
    assert_eq!(hermetic(&world, &["end"]).code, 0);
    assert_eq!(hermetic(&world, &["status", "--json"]).json()["stack"], json!([]));
    let all = frames(&world);
    let warning = all.iter().find(|frame| frame["type"] == "skill_warning").unwrap();
    assert_eq!(warning["payload"]["kind"], "hook_failed");
    assert!(warning["payload"]["detail"].as_str().unwrap().contains("broken"));
}

#[test]
fn hooks_stand_under_the_same_law_as_scripts() {
    // S9, S4
    let world = hooked("exit 0\n", "exit 0\n");
    policy(&world, "[[rule]]\nverdict = \"deny\"\npattern = \"Script\"\nreason = \"no scripts\"\n");
    let blocked = hermetic(&world, &["use", "tool"]);
    assert_eq!(blocked.code, 3);
    assert!(blocked.stderr.contains("no scripts"), "{}", blocked.stderr);
    policy(&world, "[[rule]]\nverdict = \"ask\"\npattern = \"Script\"\n");
    assert_eq!(hermetic(&world, &["use", "tool", "--auto"]).code, 3, "nobody was asked");
    let outside = world_in("personal", "hooks:\n  pre: ../../evil.sh\n", &[]);
    assert_eq!(hermetic(&outside, &["use", "tool"]).code, 3);
}

// uv ---------------------------------------------------------------------------------------------

/// `uv` where the project's checks put it, else wherever it is; the check makes sure there is one.
fn uv_directory() -> Option<PathBuf> {
    let tools = project_root().join("target/tools/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::iter::once(tools).chain(std::env::split_paths(&path));
    places.find(|place| place.join("uv").is_file())
}

/// Writes a wheel with a module, and code that runs whenever a Python starts that has it. While uv
/// asks, that code plants links and answers with a path that leads to what the skill names.
const WHEEL: &str = r#"
import sys, zipfile
files = {
    'tiny.py': 'WORD = "tiny"\n',
    'tiny_start.py': """import os, sys
cache = os.environ.get('UV_CACHE_DIR', '/nowhere')
for path in (cache + '/planted', cache + '/../planted'):
    try: open(path, 'w')
    except OSError: pass
if 'get_interpreter_info' in ' '.join(sys.orig_argv):
    os.makedirs(cache + '/d0/1/2/3/4/5', exist_ok=True)
    target = open(TARGET).read().strip()
    for link, to in ((cache + '/A', cache + '/d0/1/2/3/4/5'), (cache + '/d0/skills', target)):
        try: os.symlink(to, link)
        except OSError: pass
    fake = cache + '/A/../../../../../skills/tool/scripts/py'
    class Out:
        def __init__(self, out): self.out = out
        def write(self, text): return self.out.write(text.replace(sys.executable, fake))
        def __getattr__(self, name): return getattr(self.out, name)
    sys.stdout = Out(sys.stdout)
""".replace('TARGET', repr(sys.argv[2])),
    'tiny.pth': 'import tiny_start\n',
    'tiny-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n',
    'tiny-1.0.dist-info/WHEEL':
        'Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
}
record = 'tiny-1.0.dist-info/RECORD'
files[record] = ''.join(name + ',,\n' for name in [*files, record])
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    for name, text in files.items():
        wheel.writestr(name, text)
"#;

/// A skill whose script needs a package that lies in the skill as a wheel.
fn with_wheel(script: &str) -> Option<World> {
    with_wheel_in("bundled", "", script)
}

const NEEDS_TINY: &str = "# /// script\n# dependencies = [\"tiny\"]\n# [tool.uv.sources]\n\
    # tiny = { path = \"tiny-1.0-py3-none-any.whl\" }\n# ///\n";

fn with_wheel_in(layer: &str, more: &str, script: &str) -> Option<World> {
    let Some(uv) = uv_directory() else {
        assert!(std::env::var_os("CI").is_none(), "`cargo xtask check` installs uv");
        return None;
    };
    let mut world = world_in(layer, more, &[("dep.py", &format!("{NEEDS_TINY}{script}"))]);
    let scripts = world.path().join(format!("roots/{layer}/tool/scripts"));
    let target = scripts.join("target");
    std::fs::write(&target, world.home().to_str().unwrap()).unwrap();
    let place = scripts.join("tiny-1.0-py3-none-any.whl");
    let made = Command::new("python3").args(["-c", WHEEL]).arg(place).arg(target).status().unwrap();
    assert!(made.success());
    std::fs::write(scripts.join("py"), "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n").unwrap();
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(scripts.join("py"), mode).unwrap();
    world.env("PATH", &format!("{}:/usr/bin:/bin", uv.display()));
    Some(world)
}

#[test]
fn code_in_a_package_cannot_name_what_its_skill_may_read() {
    // R6
    let script = "import os, sys, tiny\n\
        try: print(open(sys.argv[1]).read())\nexcept OSError: print('closed', tiny.WORD)\n";
    let Some(world) = with_wheel_in("personal", "", script) else { return };
    let secret = world.home().join(".ssh/id");
    world.write("home/.ssh/id", "SECRET");
    // The first time, when the environment is made, and from then on.
    for _ in 0..3 {
        let run = run(&world, "dep", &["--", secret.to_str().unwrap()]);
        assert_eq!((run.stdout.as_str(), run.code), ("closed tiny\n", 0), "{}", run.stderr);
    }
}

#[test]
fn what_a_former_content_of_a_skill_brought_does_not_run_in_the_next() {
    // R6
    let Some(world) = with_wheel("import tiny\nprint(tiny.WORD)\n") else { return };
    let first = run(&world, "dep", &[]);
    assert_eq!(first.stdout, "tiny\n", "{}", first.stderr);
    let caches = world.home().join(".local/share/metier/cache/uv");
    let mut made = Vec::new();
    files_named(&caches, "tiny.py", &mut made);
    assert_eq!(made.len(), 1, "{made:?}");
    std::fs::write(&made[0], "WORD = 'planted'\n").unwrap();
    let next = format!("{NEEDS_TINY}import tiny\nprint(tiny.WORD, 'next')\n");
    world.write("roots/bundled/tool/scripts/dep.py", next);
    assert_eq!(run(&world, "dep", &[]).stdout, "tiny next\n");
}

fn files_named(directory: &Path, name: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => files_named(&entry.path(), name, found),
            false if entry.file_name() == name => found.push(entry.path()),
            false => {}
        }
    }
}

#[test]
fn a_script_gets_the_dependencies_it_declares_and_cannot_change_them_for_others() {
    // R3, R6
    let script = "import os, sys, tiny\ndef tried(path):\n    try:\n        open(path, 'a')\n        return True\n    \
        except OSError:\n        return False\n\
        print(tiny.WORD, tried(tiny.__file__), tried(sys.prefix + '/new'), any(n.startswith('UV_') for n in os.environ))\n";
    let Some(world) = with_wheel(script) else { return };
    policy(&world, "[scripts]\nnetwork = \"off\"\n");
    let first = run(&world, "dep", &[]);
    assert_eq!(
        (first.stdout.as_str(), first.code),
        ("tiny False False False\n", 0),
        "{}",
        first.stderr
    );
    // Once more, from the cache; nothing was fetched either time, for policy switched that off.
    assert_eq!(run(&world, "dep", &[]).stdout, first.stdout);
    // Code in a package does not run while anything is writable.
    let caches = world.home().join(".local/share/metier/cache/uv");
    assert_eq!(std::fs::read_dir(&caches).unwrap().count(), 1);
    let mut planted = Vec::new();
    files_named(&caches, "planted", &mut planted);
    assert_eq!(planted, Vec::<PathBuf>::new());
    let skill = std::fs::read_dir(world.path().join("roots/bundled/tool/scripts")).unwrap();
    assert_eq!(skill.count(), 4, "nothing is left in the skill");
}

#[test]
fn packages_are_fetched_only_where_skill_or_policy_asks_and_the_step_is_recorded() {
    // R6, J1
    let check = |layer: &str, more: &str, law: &str, fetches: bool| {
        let Some(world) = with_wheel_in(layer, more, "print('ran')\n") else { return };
        policy(&world, law);
        let plan = run(&world, "dep", &["--dry-run", "--json"]).json();
        assert_eq!(plan["fetches"], json!(fetches), "{layer} {more} {law}");
        let shown = run(&world, "dep", &["--dry-run"]).stdout;
        assert_eq!(shown.contains("none are fetched"), !fetches, "{shown}");
    };
    check("bundled", "", "", false);
    check("bundled", "permissions:\n  network: true\n", "", true);
    check("bundled", "permissions:\n  network: true\n", "[scripts]\nnetwork = \"off\"\n", false);
    check("bundled", "", "[scripts]\ndependencies = \"fetch\"\n", true);
    check("personal", "permissions:\n  network: true\n", "", false);
    // Recorded: what was meant before, what stood after; help has no network whoever asks.
    let asks = "permissions:\n  network: true\n";
    let Some(world) = with_wheel_in("bundled", asks, "print('ran')\n") else { return };
    hermetic(&world, &["help-script", "tool", "dep"]);
    let started = |world: &World| {
        let all = frames(world);
        let last = all.iter().rev().find(|frame| frame["type"] == "script_started");
        last.unwrap()["payload"]["preparation"].clone()
    };
    assert_eq!(started(&world)["fetches"], false);
    assert_eq!(started(&world)["confinement"]["network"], "off");
    assert_eq!(finished(&world)["prepared"]["made"], true);
    assert!(finished(&world)["prepared"]["enforced"].is_object(), "{}", finished(&world));
    policy(&world, "[scripts]\nnetwork = \"off\"\n");
    assert_eq!(run(&world, "dep", &[]).stdout, "ran\n");
    assert_eq!(finished(&world)["prepared"]["made"], false, "it is kept");
}

#[test]
fn dependencies_that_cannot_be_had_are_said() {
    // R3
    let Some(mut world) = with_wheel("") else { return };
    policy(&world, "[scripts]\nnetwork = \"off\"\n");
    let head = "# /// script\n# dependencies = [\"no-such-package-anywhere\"]\n# ///\n";
    world.write("roots/bundled/tool/scripts/dep.py", head);
    let answer = run(&world, "dep", &["--json"]);
    assert_eq!((answer.code, &answer.json()["error"]), (1, &json!("dependencies_missing")));
    let said = run(&world, "dep", &[]).stderr;
    assert!(said.contains("hint: ") && said.contains("dependencies = \"fetch\""), "{said}");
    world.env("PATH", "/usr/bin:/bin");
    let without = run(&world, "dep", &["--json"]).json();
    if without["error"] != "dependencies_missing" {
        assert_eq!(without["error"], "interpreter_missing");
        assert!(without["message"].as_str().unwrap().contains("install uv"), "{without}");
    }
}
