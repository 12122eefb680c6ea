//! `metier run`: scripts as users run them, in real walls.

mod uv;

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
    assert!(held.stderr.contains("`KALSHI_*`, which policy does not pass on"), "{}", held.stderr);
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
    assert!(allowed.stderr.contains("may change the project"), "{}", allowed.stderr);
    // What tells git and agents what to do stays as it is.
    world.write("project/.claude/settings.json", "{}");
    world.write("project/skills.lock", "");
    let claude = format!("{project}/.claude");
    let closed = run(&world, "write", &["--", &claude]);
    assert_ne!(closed.code, 0, "{}", closed.stderr);
    assert!(!world.project().join(".claude/made").exists());
    assert_eq!(run(&world, "write", &["--", &project]).code, 0);
    // Never for a skill nobody approved, and never where the project is the home.
    let read = [("read.sh", "ls \"$1\"\n")];
    let unapproved = world_in("personal", "", &read);
    policy(&unapproved, "[scripts]\nproject = \"read\"\n");
    let project = unapproved.project().display().to_string();
    assert_ne!(run(&unapproved, "read", &["--", &project]).code, 0);
}

#[test]
fn a_program_in_the_home_runs_no_skill_nobody_approved() {
    // R3, R6
    let check = |layer: &str, code: i32| {
        let mut world = world_in(layer, "", &[("go", "#!/usr/bin/env pyx\n")]);
        world.write("home/.cargo/bin/pyx", "");
        world.write("home/.cargo/token", "SECRET");
        let bin = world.home().join(".cargo/bin");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(bin.join("pyx"), mode).unwrap();
        world.env("PATH", &format!("{}:/usr/bin:/bin", bin.display()));
        let token = world.home().join(".cargo/token");
        let text = format!("#!/bin/sh\ncat '{}'\n", token.display());
        std::fs::write(bin.join("pyx"), text).unwrap();
        let ran = run(&world, "go", &["--json", "--text"]);
        assert_eq!(ran.code, code, "{}", ran.stdout);
        assert!(!ran.stdout.contains("SECRET"), "{layer}: {}", ran.stdout);
        ran.json()
    };
    let refused = check("personal", 1);
    assert_eq!(refused["error"], "interpreter_missing");
    assert!(refused["message"].as_str().unwrap().contains("metier trust"), "{refused}");
    assert_eq!(check("bundled", 1)["error"], "execution_failed");
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
    let world = world(&[("esc.sh", "printf '\\033[2Jerr\\n' >&2; printf '\\033[2Jout\\n\\377'\n")]);
    let shown = run(&world, "esc", &[]);
    assert!(!shown.stdout.contains('\u{1b}') && shown.stdout.contains("out"), "{:?}", shown.stdout);
    assert!(run(&world, "esc", &["--raw"]).stdout.contains('\u{1b}'));
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
