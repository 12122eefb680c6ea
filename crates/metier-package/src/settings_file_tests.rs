#![expect(clippy::disallowed_methods, reason = "tests plant files and look at them")]

use std::os::unix::fs::PermissionsExt as _;

use rustix::io::Errno;

use super::*;
use crate::atomic::faults::{self, Fault};
use crate::home::Place;
use crate::machine::Machine;

const THEIRS: &str = "{ \"theirs\" :1 }  ";

fn machine() -> (Machine, PathBuf) {
    let machine = Machine::with(&["claude-code"]);
    machine.ground.write("user/.claude/settings.json", THEIRS);
    let path = machine.user(".claude/settings.json");
    (machine, path)
}

fn change(machine: &Machine, path: &Path, bytes: &str) -> Result<bool, ChangeError> {
    let seen = read(path)?;
    edit(&machine.ground.home, "claude-code", path, (seen.as_deref(), bytes.as_bytes()))
}

fn text_of(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

#[test]
fn what_was_there_comes_back_to_the_byte() {
    // P7
    let (machine, path) = machine();
    let home = &machine.ground.home;
    let fresh = machine.user(".claude/hooks/new.json");
    let rights = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(&path, rights(0o640)).unwrap();
    assert!(change(&machine, &path, "one").unwrap());
    assert!(change(&machine, &path, "two").unwrap());
    assert!(!change(&machine, &path, "two").unwrap(), "nothing to do");
    assert!(change(&machine, &fresh, "new").unwrap());
    assert_eq!(edited(home).unwrap().len(), 2);
    assert_eq!(restore(home, "crush").unwrap(), []);
    let restored = restore(home, "claude-code").unwrap();
    assert_eq!(restored, [Restored::AsBefore(fresh.clone()), Restored::AsBefore(path.clone())]);
    assert_eq!(text_of(&path).as_deref(), Some(THEIRS));
    assert!(!fresh.exists());
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640, "with the rights it had");
    assert_eq!(edited(home).unwrap(), []);
}

#[test]
fn what_somebody_changed_since_is_left() {
    // P7
    let (machine, path) = machine();
    change(&machine, &path, "ours").unwrap();
    std::fs::write(&path, "theirs again").unwrap();
    let restored = restore(&machine.ground.home, "claude-code").unwrap();
    assert_eq!(restored, [Restored::Left(path.clone())]);
    assert_eq!(text_of(&path).as_deref(), Some("theirs again"));
}

#[test]
fn a_change_that_was_made_for_something_else_is_not_made() {
    // P7
    let (machine, path) = machine();
    let home = &machine.ground.home;
    let error = edit(home, "claude-code", &path, (Some(b"other"), b"ours")).unwrap_err();
    assert!(matches!(error, ChangeError::Drifted(_)), "{error}");
    assert_eq!(text_of(&path).as_deref(), Some(THEIRS));
}

#[test]
fn a_file_behind_a_link_is_changed_where_it_is() {
    // P7
    let (machine, _) = machine();
    machine.ground.write("user/dotfiles/s.json", "mine");
    let link = machine.user(".claude/linked.json");
    std::os::unix::fs::symlink(machine.user("dotfiles/s.json"), &link).unwrap();
    change(&machine, &link, "ours").unwrap();
    assert!(link.is_symlink());
    assert_eq!(text_of(&machine.user("dotfiles/s.json")).as_deref(), Some("ours"));
    restore(&machine.ground.home, "claude-code").unwrap();
    assert_eq!(text_of(&link).as_deref(), Some("mine"));
}

#[test]
fn a_backup_that_is_not_what_was_there_is_not_put_back() {
    // P7
    let (machine, path) = machine();
    change(&machine, &path, "ours").unwrap();
    machine.ground.write(&format!("home/backups/{}", digest(THEIRS.as_bytes())), "forged");
    let error = restore(&machine.ground.home, "claude-code").unwrap_err();
    assert!(matches!(error, ChangeError::NotKept(_)), "{error}");
    assert_eq!(text_of(&path).as_deref(), Some("ours"));
}

#[test]
fn whichever_call_is_the_last_one_everything_can_be_taken_back() {
    // P5, P7
    let run = |machine: &Machine, path: &Path| {
        change(machine, path, "one")?;
        change(machine, path, "two")?;
        restore(&machine.ground.home, "claude-code")
    };
    let (first, path) = machine();
    let (done, calls) = faults::with(None, || run(&first, &path));
    done.unwrap();
    for fault in [Fault::Gone, Fault::Fails(Errno::NOSPC)] {
        for (at, call) in calls.iter().enumerate() {
            let (machine, path) = machine();
            let _ = faults::with(Some((at, fault)), || run(&machine, &path));
            let now = text_of(&path).unwrap();
            assert!([THEIRS, "one", "two"].contains(&now.as_str()), "{fault:?} {at} {call}: {now}");
            let restored = restore(&machine.ground.home, "claude-code").unwrap();
            assert!(!restored.contains(&Restored::Left(path.clone())), "{fault:?} {at} {call}");
            assert_eq!(text_of(&path).as_deref(), Some(THEIRS), "{fault:?} {at} {call}");
        }
    }
}

#[test]
fn a_settings_file_whose_path_is_no_text_is_left_alone_and_earlier_edits_stay_known() {
    // P7, F4
    let (machine, path) = machine();
    change(&machine, &path, "ours").unwrap();
    let Place::Project(project) = machine.ground.unspellable() else { unreachable!() };
    let settings = project.join("settings.json");
    std::fs::write(&settings, THEIRS).unwrap();
    let error = change(&machine, &settings, "ours").unwrap_err();
    assert!(matches!(error, ChangeError::Record(RecordError::Unwritable { .. })), "{error}");
    assert_eq!(text_of(&settings).as_deref(), Some(THEIRS));
    restore(&machine.ground.home, "claude-code").unwrap();
    assert_eq!(text_of(&path).as_deref(), Some(THEIRS));
}
