use serde_json::json;

use crate::{hermetic, transcript, workshop};

const BROKEN: &str = "default = \"allow\"\n[[rule]]\nverdict = \"perhaps\"\npattern = \"*\"\n";

fn rule(id: &str, verdict: &str, pattern: &str) -> String {
    format!("[[rule]]\nid = \"{id}\"\nverdict = \"{verdict}\"\npattern = \"{pattern}\"\n")
}

#[test]
fn a_broken_policy_denies_every_call_and_every_activation() {
    // S4, U1
    let world = workshop();
    world.write("home/.config/metier/policy.toml", BROKEN);
    let run = hermetic(&world, &["use", "notes"]);
    insta::assert_snapshot!(transcript(&world, &run));
    for tool in ["Bash", "Read", "Skill", "anything"] {
        let run = hermetic(&world, &["guard", tool, "{}", "--json"]);
        assert_eq!((run.code, run.json()["verdict"].as_str()), (3, Some("deny")), "{tool}");
        assert!(run.stdout.contains("policy.toml:3:11: "), "{}", run.stdout);
    }
    let status = hermetic(&world, &["status", "--json"]).json();
    assert!(status["policy"]["error"].as_str().unwrap().contains("policy.toml:3:11: "), "{status}");
}

#[test]
fn a_policy_named_by_hand_must_be_there() {
    // S4
    let world = workshop();
    for args in [&["guard", "Read", "{}"][..], &["use", "notes"]] {
        let run = hermetic(&world, &[args, &["--policy", "gone.toml"]].concat());
        assert_eq!(run.code, 3, "{args:?}: {}", run.stderr);
        let both = format!("{}{}", run.stdout, run.stderr);
        assert!(both.contains("gone.toml"), "{both}");
    }
    world.write("home/.config/metier/config.toml", "policy.files = [\"gone.toml\"]\n");
    assert_eq!(hermetic(&world, &["guard", "Read", "{}"]).code, 3);
}

#[test]
fn every_place_counts_and_a_project_can_only_tighten() {
    // S4
    let world = workshop();
    world.write("home/.config/metier/policy.toml", rule("a", "deny", "Bash(rm:*)"));
    world.write("home/.config/metier/config.toml", "policy.files = [\"more.toml\"]\n");
    world.write("home/.config/metier/more.toml", rule("b", "deny", "Bash(curl:*)"));
    world.write("project/flag.toml", rule("c", "deny", "Bash(ssh:*)"));
    let project = rule("d", "deny", "Bash(make:*)") + &rule("e", "allow", "*");
    world.write("project/.metier/policy.toml", project);
    let verdict = |command: &str| {
        let call = json!({ "command": command }).to_string();
        let run = hermetic(&world, &["guard", "Bash", &call, "--json", "--policy", "flag.toml"]);
        let answer = run.json();
        (answer["verdict"].clone(), answer["rule"].clone())
    };
    for (command, rule) in [("rm x", "a"), ("curl x", "b"), ("ssh x", "c"), ("make x", "d")] {
        assert_eq!(verdict(command), (json!("deny"), json!(rule)), "{command}");
    }
    assert_eq!(verdict("git status").0, "allow");
    assert_eq!(verdict("sudo id").0, "ask", "the project's `allow` loosens nothing");
}

#[test]
fn the_profile_comes_from_the_flag_or_the_settings() {
    // S4
    let world = workshop();
    let verdict = |args: &[&str]| {
        let call = r#"{"command": "git status"}"#;
        hermetic(&world, &[&["guard", "Bash", call, "--json"], args].concat()).json()["verdict"]
            .clone()
    };
    assert_eq!(verdict(&[]), "allow");
    assert_eq!(verdict(&["--profile", "strict"]), "ask");
    world.write("home/.config/metier/config.toml", "policy.profile = \"strict\"\n");
    assert_eq!(verdict(&[]), "ask");
    assert_eq!(verdict(&["--profile", "full-auto"]), "allow");
    world.write("home/.config/metier/policy.toml", "profile = \"strict\"\n");
    assert_eq!(verdict(&["--profile", "full-auto"]), "ask", "a file is not overruled by a flag");
    assert_eq!(hermetic(&world, &["guard", "Bash", "--profile", "lax"]).code, 2);
}

#[test]
fn policy_can_forbid_a_skill() {
    // S4, D4
    let world = workshop();
    world.write(
        "home/.config/metier/policy.toml",
        "[[rule]]\nverdict = \"deny\"\ntool = \"Skill\"\narguments = { name = \"free\" }\nreason = \"not here\"\n",
    );
    let run = hermetic(&world, &["use", "free", "--json"]);
    assert_eq!((run.code, run.json()["error"]["code"].as_str()), (3, Some("skill_denied")));
    assert!(run.stderr.contains("not here"), "{}", run.stderr);
    assert_eq!(hermetic(&world, &["use", "notes"]).code, 0);
}
