#![expect(clippy::disallowed_methods, reason = "tests plant files and look at them")]

use std::path::Path;

use super::*;
use crate::machine::Machine;

const HOME: Place = Place::Personal;

fn target(path: &Path) -> String {
    std::fs::read_link(path).map(|to| to.display().to_string()).unwrap_or_default()
}

fn body(path: &Path) -> String {
    std::fs::read_to_string(path.join("SKILL.md")).unwrap_or_default()
}

fn left(linked: &Linked) -> Vec<(&str, Why)> {
    linked
        .left
        .iter()
        .map(|left| (left.path.rsplit_once("/user/").unwrap_or(("", &left.path)).1, left.reason))
        .collect()
}

#[test]
fn a_linked_agent_finds_every_installed_skill_and_there_is_one_copy() {
    // P7
    let machine = Machine::with(&["claude-code"]);
    machine.install(&HOME, "pdf", 1);
    machine.install(&HOME, "notes", 1);
    let linked = machine.link(&HOME, &["claude-code", "crush"]).unwrap();
    assert_eq!(linked.made.len(), 4);
    for path in [".claude/skills/pdf", ".config/crush/skills/pdf"] {
        let path = machine.user(path);
        assert_eq!(target(&path), HOME.directory(&machine.ground.home, "pdf").to_str().unwrap());
        assert!(body(&path).contains("Body 1."));
    }
    machine.install(&HOME, "pdf", 2);
    assert!(body(&machine.user(".claude/skills/pdf")).contains("Body 2."), "an update shows");
    let again = machine.link(&HOME, &["claude-code", "crush"]).unwrap();
    assert_eq!((again.made.len(), again.removed.len(), again.left.len()), (0, 0, 0));
}

#[test]
fn what_is_installed_later_appears_and_what_is_removed_goes() {
    // P7
    let machine = Machine::with(&["claude-code"]);
    assert_eq!(machine.relink(&HOME).unwrap(), Linked::default(), "nobody linked anything");
    machine.link(&HOME, &["claude-code"]).unwrap();
    machine.install(&HOME, "pdf", 1);
    let linked = machine.relink(&HOME).unwrap();
    assert_eq!(linked.made.len(), 1);
    assert!(body(&machine.user(".claude/skills/pdf")).contains("Body 1."));
    machine.ground.remove(&HOME, "pdf").unwrap();
    let linked = machine.relink(&HOME).unwrap();
    assert_eq!(linked.removed.len(), 1);
    assert!(!machine.user(".claude/skills/pdf").is_symlink());
}

#[test]
fn unlinking_leaves_everything_as_it_was_before() {
    // P7
    for how in [How::Link, How::Copy] {
        let machine = Machine::with(&["claude-code"]);
        machine.ground.write("user/.claude/skills/mine/SKILL.md", "mine");
        let before = machine.listing();
        machine.install(&HOME, "pdf", 1);
        machine.link_as(&HOME, &["claude-code", "crush", "cursor"], how).unwrap();
        assert_ne!(machine.listing(), before);
        machine.unlink(&HOME, &["crush"]).unwrap();
        assert!(!machine.user(".config").exists(), "directories metier made go too");
        let unlinked = machine.unlink(&HOME, &[]).unwrap();
        assert_eq!(unlinked.left, []);
        assert_eq!(machine.listing(), before, "{how:?}");
        assert_eq!(machine.ground.text("home/links.json"), "");
    }
}

#[test]
fn what_somebody_else_put_there_is_never_touched() {
    // P7
    let machine = Machine::with(&["claude-code"]);
    machine.install(&HOME, "pdf", 1);
    machine.install(&HOME, "notes", 1);
    machine.install(&HOME, "sheets", 1);
    machine.ground.write("user/.claude/skills/pdf/SKILL.md", "mine");
    machine.ground.write("user/.claude/skills/notes", "a file");
    std::os::unix::fs::symlink("/nowhere", machine.user(".claude/skills/sheets")).unwrap();
    let before = machine.listing();
    let linked = machine.link(&HOME, &["claude-code"]).unwrap();
    let names = ["notes", "pdf", "sheets"].map(|name| format!(".claude/skills/{name}"));
    let expect: Vec<_> = names.iter().map(|name| (name.as_str(), Why::Foreign)).collect();
    assert_eq!(left(&linked), expect);
    assert_eq!(machine.listing(), before);
    machine.unlink(&HOME, &[]).unwrap();
    assert_eq!(machine.listing(), before);
}

#[test]
fn what_somebody_put_in_the_place_of_a_link_stays_theirs() {
    // P7
    let machine = Machine::with(&["claude-code"]);
    machine.install(&HOME, "pdf", 1);
    machine.link(&HOME, &["claude-code"]).unwrap();
    std::fs::remove_file(machine.user(".claude/skills/pdf")).unwrap();
    machine.ground.write("user/.claude/skills/pdf/SKILL.md", "mine");
    let relinked = machine.relink(&HOME).unwrap();
    assert_eq!(left(&relinked), [(".claude/skills/pdf", Why::Replaced)]);
    machine.unlink(&HOME, &[]).unwrap();
    assert_eq!(body(&machine.user(".claude/skills/pdf")), "mine");
}

#[test]
fn a_copy_that_somebody_edited_is_left_and_one_that_nobody_did_is_kept_up_to_date() {
    // P7
    let machine = Machine::with(&["claude-code"]);
    machine.install(&HOME, "pdf", 1);
    machine.install(&HOME, "notes", 1);
    machine.link_as(&HOME, &["claude-code"], How::Copy).unwrap();
    assert!(!machine.user(".claude/skills/pdf").is_symlink());
    machine.ground.write("user/.claude/skills/notes/SKILL.md", "edited");
    machine.install(&HOME, "pdf", 2);
    machine.install(&HOME, "notes", 2);
    let relinked = machine.relink(&HOME).unwrap();
    assert_eq!(left(&relinked), [(".claude/skills/notes", Why::Replaced)]);
    assert!(body(&machine.user(".claude/skills/pdf")).contains("Body 2."));
    machine.unlink(&HOME, &[]).unwrap();
    assert!(!machine.user(".claude/skills/pdf").exists());
    assert_eq!(body(&machine.user(".claude/skills/notes")), "edited");
}

#[test]
fn links_become_copies_and_copies_links() {
    // P7
    let machine = Machine::with(&["claude-code"]);
    machine.install(&HOME, "pdf", 1);
    for how in [How::Link, How::Copy, How::Link] {
        machine.link_as(&HOME, &["claude-code"], how).unwrap();
        let path = machine.user(".claude/skills/pdf");
        assert_eq!(path.is_symlink(), how == How::Link);
        assert!(body(&path).contains("Body 1."));
    }
}

#[test]
fn in_a_project_links_are_relative_and_never_leave_it() {
    // P7
    let machine = Machine::with(&["claude-code"]);
    let place = machine.ground.project();
    machine.install(&place, "pdf", 1);
    let linked = machine.link(&place, &["claude-code", "codex"]).unwrap();
    assert_eq!(target(&machine.in_project(".claude/skills/pdf")), "../../.agents/skills/pdf");
    assert!(linked.agents.iter().any(|agent| agent.id == "codex" && agent.shared));
    machine.unlink(&place, &[]).unwrap();
    assert!(!machine.in_project(".claude").exists());

    std::os::unix::fs::symlink(machine.user(""), machine.in_project(".claude")).unwrap();
    let error = machine.link(&place, &["claude-code"]).unwrap_err();
    assert!(matches!(error, ChangeError::Disk(_)), "{error}");
    assert!(!machine.user("skills").exists());
}

#[test]
fn a_project_s_directory_that_is_a_link_inside_it_gets_links_that_lead_somewhere() {
    // P7
    let machine = Machine::with(&["claude-code"]);
    let place = machine.ground.project();
    machine.install(&place, "pdf", 1);
    machine.ground.write("project/tools/deep/claude/x", "");
    std::os::unix::fs::symlink("tools/deep/claude", machine.in_project(".claude")).unwrap();
    machine.link(&place, &["claude-code"]).unwrap();
    assert!(body(&machine.in_project(".claude/skills/pdf")).contains("Body 1."));
}

#[test]
fn only_what_somebody_approved_and_is_as_installed_is_shown_to_agents() {
    // P7, P4
    let machine = Machine::with(&["claude-code"]);
    let directory = HOME.directory(&machine.ground.home, "pdf");
    machine.install(&HOME, "pdf", 1);
    crate::approve::revoke(&machine.ground.home, &directory).unwrap();
    let linked = machine.link(&HOME, &["claude-code"]).unwrap();
    assert_eq!(linked.made, [""; 0]);
    assert_eq!(linked.left[0].reason, Why::NotApproved);
    let seen = crate::approve::digest(&directory).unwrap();
    crate::approve::approve(&machine.ground.home, &directory, &seen, &crate::fixture::by())
        .unwrap();
    let tree = std::fs::canonicalize(&directory).unwrap();
    std::fs::set_permissions(&tree, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::write(tree.join("extra"), "x").unwrap();
    let linked = machine.relink(&HOME).unwrap();
    assert_eq!(linked.left[0].reason, Why::Drifted);
    std::fs::remove_file(tree.join("extra")).unwrap();
    assert_eq!(machine.relink(&HOME).unwrap().made.len(), 1);
}

#[test]
fn saying_what_would_be_done_does_nothing() {
    // P7
    let machine = Machine::with(&["claude-code"]);
    machine.install(&HOME, "pdf", 1);
    let before = machine.listing();
    let agents = [crate::machine::agent("claude-code")];
    let said = machine.with_linking(&HOME, Mode::Say, |l| link(l, &agents, How::Link)).unwrap();
    assert_eq!(said.made.len(), 1);
    assert_eq!(machine.listing(), before);
    assert_eq!(remembered(&machine.ground.home, &HOME).unwrap(), Links::default());
}

#[test]
fn a_link_that_metier_would_make_and_is_there_is_taken_into_the_books() {
    // P7
    let machine = Machine::with(&["claude-code"]);
    machine.install(&HOME, "pdf", 1);
    machine.link(&HOME, &["claude-code"]).unwrap();
    std::fs::remove_file(machine.ground.path().join("home/links.json")).unwrap();
    let linked = machine.link(&HOME, &["claude-code"]).unwrap();
    assert_eq!((linked.made.len(), linked.left.len()), (0, 0));
    machine.unlink(&HOME, &[]).unwrap();
    assert!(!machine.user(".claude/skills/pdf").is_symlink());
}

#[test]
fn every_reason_has_words() {
    // P7
    let all = [Why::Foreign, Why::Replaced, Why::NotApproved, Why::Drifted, Why::NotText];
    let words: BTreeSet<_> = all.iter().map(|why| why.as_str()).collect();
    assert_eq!(words.len(), all.len());
}

#[test]
fn a_path_that_is_not_text_is_said_and_left() {
    // P7
    use std::os::unix::ffi::OsStrExt as _;
    let mut machine = Machine::with(&[]);
    machine.install(&HOME, "pdf", 1);
    let odd = std::ffi::OsStr::from_bytes(b"user-\xff");
    machine.places.home = Some(machine.ground.path().join(odd));
    let linked = machine.link(&HOME, &["claude-code"]).unwrap();
    assert_eq!(linked.left[0].reason, Why::NotText);
    assert_eq!(linked.made, [""; 0]);
}
