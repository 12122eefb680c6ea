//! Hooks: scripts around a skill's activity.

use metier_testing::World;
use serde_json::json;

use super::{policy, world_in};
use crate::{frames, hermetic};

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
