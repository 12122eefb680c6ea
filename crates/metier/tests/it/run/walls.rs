//! What a script sees, reaches and writes.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::{finished, hermetic_before, policy, run, world, world_in};
use crate::frames;

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
fn a_script_that_is_asked_for_its_help_changes_nothing_even_where_it_may() {
    // R3, R6
    let world = world_in("bundled", "", &[]);
    let made = world.project().join("made");
    let text = format!("#!/bin/sh\necho 'usage: it'\necho x > '{}'\nexit 0\n", made.display());
    world.write("roots/bundled/tool/scripts/write.sh", text);
    policy(&world, "[scripts]\nproject = \"write\"\n");
    assert_eq!(run(&world, "write", &["--", "--help"]).code, 0);
    assert!(made.exists(), "run, it may");
    std::fs::remove_file(&made).unwrap();
    let help = hermetic_before(&world, &["help-script", "tool", "write"], &[]);
    assert!(help.stdout.contains("usage: it"), "{help:?}");
    assert!(!made.exists(), "asked, it may not");
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
