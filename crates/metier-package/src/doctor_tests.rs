#![expect(clippy::disallowed_methods, reason = "tests break things on purpose")]

use std::collections::BTreeSet;
use std::os::unix::fs::{PermissionsExt, symlink};

use metier_store::{FileStore, Layer, Precedence, Root, Selection, Store as _};

use super::*;
use crate::atomic::faults::{self, Fault};
use crate::fixture::{bases, by};
use crate::machine::Machine;

const HOME: Place = Place::Personal;

/// A machine on which everything is in order: two skills, one agent linked.
fn healthy() -> Machine {
    let machine = Machine::with(&["claude-code"]);
    machine.install(&HOME, "pdf", 1);
    machine.install(&HOME, "notes", 1);
    machine.install(&machine.ground.project(), "sheets", 1);
    machine.link(&HOME, &["claude-code"]).unwrap();
    machine
}

fn with<T>(machine: &Machine, work: impl FnOnce(&Patient<'_>) -> T) -> T {
    let places = [HOME, machine.ground.project()];
    work(&Patient {
        home: &machine.ground.home,
        places: &places,
        agents: &machine.places,
        catalog: None,
        programs: &[],
        bases: &bases(),
    })
}

fn findings(machine: &Machine) -> Vec<Finding> {
    with(machine, examine)
}

fn codes(findings: &[Finding]) -> Vec<Code> {
    let codes: BTreeSet<Code> = findings.iter().map(|finding| finding.code).collect();
    codes.into_iter().collect()
}

/// Breaks a healthy machine, and sees that it is found, and what is found after repairs.
fn check(what: &str, break_it: impl FnOnce(&Machine), found: &[Code], after: &[Code]) -> Machine {
    let machine = healthy();
    assert_eq!(findings(&machine), [], "{what}");
    break_it(&machine);
    let before = machine.listing();
    let seen = findings(&machine);
    assert_eq!(codes(&seen), found, "{what}: {seen:#?}");
    assert_eq!(machine.listing(), before, "{what}: looking changes nothing");
    let failed = with(&machine, |patient| repair(patient, &seen, &by()));
    assert!(failed.is_empty(), "{what}: {failed:?}");
    let left = findings(&machine);
    assert_eq!(codes(&left), after, "{what}: {left:#?}");
    machine
}

#[test]
fn a_machine_in_order_has_no_findings() {
    // P7
    assert_eq!(findings(&healthy()), []);
    let empty = Machine::with(&[]);
    assert_eq!(findings(&empty), [], "nor has one on which nothing was ever done");
}

#[test]
fn changed_content_is_found_and_never_put_right_without_asking() {
    // P7, P4
    let edit = |machine: &Machine| {
        machine.ground.write("project/.agents/skills/sheets/SKILL.md", "edited");
    };
    let machine = check("edit", edit, &[Code::Drifted], &[Code::Drifted]);
    let seen = findings(&machine);
    assert!(seen[0].message.contains("changed SKILL.md"), "{seen:?}");
    assert!(seen[0].code.is_integrity() && !seen[0].repairable);
}

#[test]
fn a_skill_that_is_gone_comes_back_from_what_is_kept() {
    // P7
    let machine = check(
        "gone",
        |machine| {
            std::fs::remove_file(HOME.directory(&machine.ground.home, "pdf")).unwrap();
            let sheets = machine.in_project(".agents/skills/sheets");
            std::fs::remove_dir_all(sheets).unwrap();
        },
        &[Code::Missing, Code::LinkDangling],
        &[],
    );
    assert_eq!(machine.ground.version(&HOME, "pdf"), Some(1));
    assert_eq!(machine.ground.version(&machine.ground.project(), "sheets"), Some(1));
}

#[test]
fn links_that_are_missing_dangling_or_nobodys_are_found() {
    // P7
    let link = |name: &str| format!(".claude/skills/{name}");
    check(
        "missing",
        |machine| std::fs::remove_file(machine.user(&link("pdf"))).unwrap(),
        &[Code::LinkMissing],
        &[],
    );
    let machine = check(
        "dangling",
        |machine| {
            let target = HOME.directory(&machine.ground.home, "old");
            symlink(target, machine.user(&link("old"))).unwrap();
            symlink("/nowhere", machine.user(&link("theirs"))).unwrap();
        },
        &[Code::LinkDangling],
        &[],
    );
    assert!(!machine.user(&link("old")).is_symlink());
    assert!(machine.user(&link("theirs")).is_symlink(), "a stranger's link is nobody's business");
    check(
        "unrecorded",
        |machine| {
            let target = HOME.directory(&machine.ground.home, "pdf");
            symlink(target, machine.user(&link("other"))).unwrap();
        },
        &[Code::LinkUnrecorded],
        &[Code::LinkUnrecorded],
    );
    check(
        "blocked",
        |machine| {
            std::fs::remove_file(machine.user(&link("pdf"))).unwrap();
            machine.ground.write(&format!("user/{}/SKILL.md", link("pdf")), "mine");
        },
        &[Code::LinkBlocked],
        &[Code::LinkBlocked],
    );
}

#[test]
fn an_agent_that_is_gone_is_forgotten() {
    // P7
    let machine = check(
        "gone",
        |machine| std::fs::remove_dir_all(machine.user(".claude")).unwrap(),
        &[Code::AgentGone],
        &[],
    );
    assert!(!machine.user(".claude").exists(), "nothing is made for it");
}

#[test]
fn rights_that_are_too_wide_are_taken_back() {
    // P7
    let open = |path: &str| {
        let path = path.to_owned();
        move |machine: &Machine| {
            let path = machine.ground.path().join(&path);
            std::fs::set_permissions(path, PermissionsExt::from_mode(0o777)).unwrap();
        }
    };
    for path in ["home", "home/store", "home/skills", "home/approvals.jsonl", "home/skills.lock"] {
        let machine = check(path, open(path), &[Code::OpenToOthers], &[]);
        let mode = std::fs::metadata(machine.ground.path().join(path)).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o755, "{path}");
    }
}

#[test]
fn acts_that_did_not_come_to_an_end_are_found_and_finished() {
    // P5, P7
    check(
        "update",
        |machine| {
            machine.ground.candidate("pdf", 2);
            let at = |machine: &Machine| machine.ground.install(&HOME, "pdf", 2).map(drop);
            let twin = healthy();
            twin.ground.candidate("pdf", 2);
            let (_, calls) = faults::with(None, || at(&twin));
            let fault = Some((calls.len() - 3, Fault::Gone));
            faults::with(fault, || at(machine)).0.unwrap_err();
        },
        &[Code::Interrupted],
        &[],
    );
    check(
        "link",
        |machine| {
            let at = |machine: &Machine| machine.link(&HOME, &["crush"]).map(drop);
            let twin = healthy();
            let (_, calls) = faults::with(None, || at(&twin));
            // The last two calls take the note away; before them it stands.
            let fault = Some((calls.len() - 2, Fault::Gone));
            faults::with(fault, || at(machine)).0.unwrap_err();
        },
        &[Code::Interrupted],
        &[],
    );
    let dead = r#"{"pid":4194999,"start":1,"boot":"never"}"#;
    check(
        "turn",
        |machine| drop(machine.ground.write("home/packages.turn", dead)),
        &[Code::StaleTurn],
        &[],
    );
    let alive = serde_json::to_string(&crate::Owner::this()).unwrap();
    check(
        "busy",
        |machine| drop(machine.ground.write("home/packages.turn", alive)),
        &[Code::Busy],
        &[Code::Busy],
    );
}

#[test]
fn records_that_cannot_be_read_are_named_and_left() {
    // P7
    let cases = [
        ("home/skills.lock", "<<<<<<< ours\n", Code::LockUnreadable),
        ("project/skills.toml", "[skills", Code::LockUnreadable),
        ("home/registry.json", "{", Code::RecordsDamaged),
        ("home/links.json", "[]", Code::RecordsDamaged),
        ("home/pending-links.json", "[]", Code::RecordsDamaged),
        ("home/folders.json", "[", Code::RecordsDamaged),
        ("home/replaced.jsonl", "{}\n", Code::RecordsDamaged),
    ];
    for (path, text, code) in cases {
        let machine = healthy();
        machine.ground.write(path, text);
        let seen = findings(&machine);
        let finding = seen.iter().find(|finding| finding.code == code);
        let finding = finding.unwrap_or_else(|| panic!("{path}: {seen:?}"));
        assert!(finding.path.ends_with(path), "{path}: {finding:?}");
        assert!(!finding.fix.is_empty() && finding.severity == Severity::Error);
        with(&machine, |patient| repair(patient, &seen, &by()));
        assert_eq!(machine.ground.text(path), text, "{path} is not guessed at");
    }
    check(
        "approvals",
        |machine| {
            let text = machine.ground.text("home/approvals.jsonl");
            machine.ground.write("home/approvals.jsonl", format!("{text}no approval\n"));
        },
        &[Code::ApprovalsDamaged],
        &[Code::ApprovalsDamaged],
    );
    check(
        "the last line of the approvals",
        |machine| {
            let text = machine.ground.text("home/approvals.jsonl");
            machine.ground.write("home/approvals.jsonl", format!("{text}{{\"said\":\"rev"));
        },
        &[Code::ApprovalsDamaged],
        &[Code::ApprovalsDamaged],
    );
}

#[test]
fn a_home_that_cannot_be_opened_is_one_finding() {
    // P7
    let machine = healthy();
    std::fs::remove_dir_all(machine.ground.home.path()).unwrap();
    assert_eq!(findings(&machine), [], "one that is not there yet is none");
    for home in ["a file", "a link to itself"] {
        match home {
            "a file" => std::fs::write(machine.ground.home.path(), "x").unwrap(),
            _ => symlink("home", machine.ground.home.path()).unwrap(),
        }
        let seen = findings(&machine);
        assert_eq!(codes(&seen), [Code::Unreadable], "{home}: {seen:?}");
        assert_eq!(Path::new(&seen[0].path), machine.ground.home.path());
        assert!(seen[0].message.contains("`: it is a link"), "with its reason: {seen:?}");
        std::fs::remove_file(machine.ground.home.path()).unwrap();
    }
}

#[test]
fn a_folder_that_cannot_be_opened_is_said() {
    // P7
    let machine = healthy();
    std::fs::remove_file(machine.user(".claude/skills/pdf")).unwrap();
    machine.install(&machine.ground.project(), "pdf", 1);
    machine.link(&machine.ground.project(), &["claude-code"]).unwrap();
    std::fs::remove_dir_all(machine.in_project(".claude")).unwrap();
    symlink("/", machine.in_project(".claude")).unwrap();
    let seen = findings(&machine);
    assert!(codes(&seen).contains(&Code::Unreadable), "{seen:?}");
}

#[test]
fn what_is_wanted_locked_and_installed_should_say_the_same() {
    // P7
    check(
        "wanted",
        |machine| {
            let text = machine.ground.text("home/skills.toml");
            machine.ground.write("home/skills.toml", format!("{text}new = \"owner/repo\"\n"));
        },
        &[Code::OutOfSync],
        &[Code::OutOfSync],
    );
}

#[test]
fn trees_that_nothing_refers_to_are_collected() {
    // P7
    let machine = check(
        "unreferenced",
        |machine| {
            let home = &machine.ground.home;
            machine.ground.install(&HOME, "gone", 1).unwrap();
            machine.ground.remove(&HOME, "gone").unwrap();
            std::fs::remove_file(home.path().join("generations.json")).unwrap();
        },
        &[Code::Unreferenced],
        &[],
    );
    assert_eq!(machine.ground.version(&HOME, "pdf"), Some(1));
}

#[test]
fn skills_of_one_name_in_two_roots_are_said() {
    // P7, D3
    let machine = healthy();
    machine.ground.staged("pdf", 3);
    let roots = vec![
        Root::given(Layer::Personal, machine.ground.home.path().join("skills")),
        Root::given(Layer::Project, machine.ground.path().join("fetched/3")),
        Root::given(Layer::Personal, machine.user(".claude/skills")),
    ];
    let store = FileStore::new(roots);
    let discovery = store.discover(&metier_store::discover::ScanLimits::default());
    let catalog = Catalog::build(discovery, &Precedence::default(), &Selection::default());
    let seen =
        with(&machine, |patient| examine(&Patient { catalog: Some(&catalog), ..patient.clone() }));
    assert_eq!(codes(&seen), [Code::Shadowed], "{seen:?}");
    assert_eq!(seen.len(), 1, "a link to the same directory is no rival");
    assert!(seen[0].path.ends_with("fetched/3/pdf"));
}

#[test]
fn programs_that_nobody_installed_are_a_note() {
    // P7
    let machine = healthy();
    machine.ground.write("bin/uv", "");
    machine.ground.write("bin/git", "");
    let programs = [machine.ground.path().join("bin")];
    let seen =
        with(&machine, |patient| examine(&Patient { programs: &programs, ..patient.clone() }));
    let names: Vec<_> = seen.iter().map(|finding| finding.path.as_str()).collect();
    assert_eq!(names, ["node", "python3"]);
    assert!(seen.iter().all(|f| f.code == Code::NoProgram && f.severity == Severity::Note));
}

#[test]
fn every_code_has_a_word_of_its_own_and_something_to_do() {
    // P7
    let words: BTreeSet<_> = Code::all().map(Code::as_str).collect();
    assert_eq!(words.len(), Code::all().count());
    for code in Code::all() {
        assert!(!code.fix().is_empty(), "{code}");
        assert!(code.as_str().chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{code}");
        assert_ne!(code.severity().as_str(), "", "{code}");
    }
}

#[test]
fn content_that_changed_and_a_law_that_cannot_be_used_are_left_to_people() {
    // P7, P4
    for (code, word, integrity) in
        [(Code::Changed, "changed", true), (Code::PolicyUnusable, "policy-unusable", false)]
    {
        assert_eq!((code.as_str(), code.is_integrity()), (word, integrity));
        assert!(code.severity() == Severity::Error && !code.is_repairable(), "{word}");
    }
}
