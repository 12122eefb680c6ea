use super::*;
use crate::fixture::Ground;

#[test]
fn reach_is_everything_a_skill_can_run_and_touch() {
    // P4
    let ground = Ground::new();
    let old = Inspection::of(&ground.staged("pdf", 1).directory).unwrap();
    assert_eq!(old.reach.tools, None);
    assert_eq!(old.reach.scripts, ["scripts/run.sh"]);
    assert_eq!(old.errors(Mode::Strict).count(), 0);
    assert!(old.text.contains("Body 1") && old.description.starts_with("Version 1"));
    ground.write(
        "new/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads. Use when due.\nallowed-tools: Read Bash(git:*)\n\
         toolsets: [a:B]\nhooks:\n  pre: scripts/pre.sh\npermissions:\n  env: [TOKEN_*]\n  \
         network: [api.example]\n  filesystem: [./out]\n---\nBody.\n",
    );
    let new = Inspection::of(&ground.path().join("new/pdf")).unwrap();
    let change = old.reach.change_to(&new.reach);
    assert_eq!(
        change.gained,
        [
            "file ./out",
            "hook scripts/pre.sh",
            "host api.example",
            "tool Bash(git:*)",
            "tool Read",
            "toolset a:B",
            "variable TOKEN_*",
        ]
    );
    assert_eq!(change.lost, ["any tool", "script scripts/run.sh"]);
    assert_eq!(new.reach.change_to(&new.reach), ReachChange::default());
}

#[test]
fn what_the_standard_forbids_keeps_a_skill_out_unless_lenient() {
    // P2
    let ground = Ground::new();
    ground
        .write("x/Other_Name/SKILL.md", "---\nname: Other_Name\ndescription: Does. Use.\n---\nx\n");
    let found = Inspection::of(&ground.path().join("x/Other_Name")).unwrap();
    assert!(found.errors(Mode::Strict).count() > 0);
    assert_eq!(found.errors(Mode::Lenient).count(), 0);
    ground.write("x/broken/SKILL.md", "no frontmatter");
    assert!(matches!(
        Inspection::of(&ground.path().join("x/broken")),
        Err(LoadError::Invalid { .. })
    ));
}
