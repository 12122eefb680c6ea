#![expect(clippy::disallowed_methods, reason = "tests read files and make links")]

use super::*;
use crate::approve::{approve, revoke};
use crate::fixture::{Ground, by, name};

fn ledger(ground: &Ground) -> Ledger {
    Ledger::open(&ground.home, Some(&ground.path().join("project")), i128::from(i64::MAX))
}

fn standing(ground: &Ground, place: &Place, depth: Depth) -> Vouched {
    let directory = place.directory(&ground.home, "pdf");
    let vouched = ledger(ground).vouch(&name("pdf"), &directory, depth);
    for other in [ledger(ground), ledger(ground)] {
        // Whoever needs no more than that is told the same, before and after somebody looked.
        assert_eq!(other.standing(&name("pdf"), &directory, depth), vouched.standing);
        other.save();
    }
    vouched
}

#[test]
fn installed_and_approved_content_is_vouched_for_with_its_whole_chain() {
    // P4
    let ground = Ground::new();
    for place in [Place::Personal, ground.project()] {
        ground.install(&place, "pdf", 1).unwrap();
        for depth in [Depth::Stamps, Depth::Bytes] {
            let vouched = standing(&ground, &place, depth);
            assert_eq!(vouched.standing, Standing::Approved);
            assert_eq!(vouched.source.as_deref(), Some("https://git.example/skills"));
            assert_eq!(vouched.commit.unwrap(), format!("{:040}", 1));
            assert_eq!(vouched.approval.as_deref(), Some("ada at 2031-05-06T07:08:09"));
            assert_eq!(vouched.tree.unwrap().len(), 64);
        }
        let directory = place.directory(&ground.home, "pdf");
        let written = ledger(&ground).recorded(&name("pdf"), &directory);
        let looked = standing(&ground, &place, Depth::Bytes);
        let bare = Vouched { files: None, kept: None, ..looked };
        assert_eq!(written, Vouched { standing: Standing::Unknown, ..bare });
    }
}

#[test]
fn whoever_has_every_byte_looked_at_is_told_what_each_file_holds() {
    // P4, P3
    let ground = Ground::new();
    for place in [Place::Personal, ground.project()] {
        ground.install(&place, "pdf", 1).unwrap();
        let directory = place.directory(&ground.home, "pdf");
        let vouched = standing(&ground, &place, Depth::Bytes);
        let (tree, files) = (vouched.tree.clone().unwrap(), vouched.files.clone().unwrap());
        assert_eq!(hex(&files.digest()), tree);
        let script = std::fs::read(directory.join("scripts/run.sh")).unwrap();
        assert!(vouched.holds("scripts/run.sh", &script));
        assert!(!vouched.holds("scripts/run.sh", b"EVIL") && !vouched.holds("evil.sh", &script));
        // The user's own is a link of the home to the kept copy, a project's a copy of its own.
        let kept = vouched.kept.unwrap();
        let own = place == Place::Personal;
        assert_eq!(kept, if own { directory } else { ground.home.kept(&tree) });
        assert_eq!(hex(&read_tree(&kept).unwrap().digest()), tree);
        // By stamps nobody has read anything.
        let vouched = standing(&ground, &place, Depth::Stamps);
        assert_eq!((vouched.files, vouched.kept), (None, None));
    }
}

#[test]
fn a_link_from_elsewhere_is_not_taken_for_the_kept_copy_it_leads_to() {
    // P4, P7
    let ground = Ground::new();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    let linked = ground.path().join("pdf");
    let tree = standing(&ground, &Place::Personal, Depth::Bytes).tree.unwrap();
    std::os::unix::fs::symlink(ground.home.kept(&tree), &linked).unwrap();
    approve(&ground.home, &linked, &tree, &by()).unwrap();
    let vouched = ledger(&ground).vouch(&name("pdf"), &linked, Depth::Bytes);
    assert_eq!(vouched.standing, Standing::Approved);
    assert_eq!(vouched.kept, Some(ground.home.kept(&tree)), "it may lead elsewhere later");
}

#[test]
fn changed_content_is_refused_with_what_changed() {
    // P4
    let ground = Ground::new();
    let place = ground.project();
    ground.install(&place, "pdf", 1).unwrap();
    ground.write("project/.agents/skills/pdf/SKILL.md", "---\nname: other\n---\n");
    ground.write("project/.agents/skills/pdf/evil.sh", "x");
    for depth in [Depth::Stamps, Depth::Bytes] {
        let directory = place.directory(&ground.home, "pdf");
        // Whatever it calls itself now.
        let vouched = ledger(&ground).vouch(&name("other"), &directory, depth);
        assert_eq!(vouched.standing, Standing::Changed);
        assert_eq!(vouched.differences, ["changed SKILL.md", "extra evil.sh"]);
        assert_eq!((vouched.files, vouched.kept), (None, None), "there is nothing to go by");
    }
    let directory = place.directory(&ground.home, "pdf");
    let seen = crate::approve::digest(&directory).unwrap();
    approve(&ground.home, &directory, &seen, &by()).unwrap();
    assert_eq!(standing(&ground, &place, Depth::Bytes).standing, Standing::Approved);
    ground.write("project/.agents/skills/pdf/evil.sh", "y");
    let again = standing(&ground, &place, Depth::Stamps);
    assert_eq!((again.standing, again.differences.len()), (Standing::Changed, 1));
    assert_eq!(again.differences, ["changed evil.sh"], "against what was approved last");
}

#[test]
fn an_older_approved_version_is_not_what_was_approved_last() {
    // P4
    let ground = Ground::new();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    let old = crate::installed::list(&ground.home, &Place::Personal).unwrap().remove(0);
    ground.install(&Place::Personal, "pdf", 2).unwrap();
    let skills = Folder::open(&ground.home.path().join("skills")).unwrap();
    skills.point("pdf", &change::link_to(&old.tree)).unwrap();
    assert_eq!(standing(&ground, &Place::Personal, Depth::Stamps).standing, Standing::Changed);
}

#[test]
fn locked_content_nobody_approved_is_unknown_until_it_changes() {
    // P4
    let ground = Ground::new();
    let place = ground.project();
    ground.install(&place, "pdf", 1).unwrap();
    let directory = place.directory(&ground.home, "pdf");
    assert!(revoke(&ground.home, &directory).unwrap());
    assert!(!revoke(&ground.home, &directory).unwrap());
    let vouched = standing(&ground, &place, Depth::Bytes);
    assert_eq!((vouched.standing, vouched.approval), (Standing::Unknown, None));
    assert!(vouched.source.is_some());
    ground.write("project/.agents/skills/pdf/SKILL.md", "x");
    assert_eq!(standing(&ground, &place, Depth::Bytes).standing, Standing::Changed);
}

#[test]
fn a_lock_that_cannot_be_read_vouches_for_nothing() {
    // P4
    let ground = Ground::new();
    let place = ground.project();
    ground.install(&place, "pdf", 1).unwrap();
    ground.install(&place, "notes", 1).unwrap();
    revoke(&ground.home, &place.directory(&ground.home, "pdf")).unwrap();
    ground.write("project/skills.lock", "<<<<<<< ours\n");
    let vouched = standing(&ground, &place, Depth::Stamps);
    assert_eq!(vouched.standing, Standing::Changed);
    assert!(vouched.differences[0].contains("skills.lock:1: "), "{vouched:?}");
    let ledger = ledger(&ground);
    assert_eq!(ledger.faults().len(), 1);
    assert!(!ledger.is_empty());
    // What a person said yes to needs no lock.
    let notes = place.directory(&ground.home, "notes");
    assert_eq!(ledger.vouch(&name("notes"), &notes, Depth::Bytes).standing, Standing::Approved);
}

#[test]
fn what_nobody_spoke_of_is_unknown_and_costs_nothing() {
    // P4
    let ground = Ground::new();
    let ledger = ledger(&ground);
    assert!(ledger.is_empty() && ledger.faults().is_empty());
    let directory = ground.staged("pdf", 1).directory;
    assert_eq!(ledger.vouch(&name("pdf"), &directory, Depth::Bytes), Vouched::default());
    ledger.save();
    assert_eq!(ground.text("home/stamps"), "");
}

#[test]
fn stamps_are_written_down_and_used_by_the_next_process() {
    // P4
    let ground = Ground::new();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    let first = ledger(&ground);
    let directory = Place::Personal.directory(&ground.home, "pdf");
    first.vouch(&name("pdf"), &directory, Depth::Stamps);
    first.save();
    let text = ground.text("home/stamps");
    assert!(text.contains(" home:skills/pdf\n"), "{text}");
    // Proof that the next one believes them: a digest it cannot have got from the bytes.
    let right = first.vouch(&name("pdf"), &directory, Depth::Stamps).tree.unwrap();
    ground.write("home/stamps", text.replace(&right, &"a".repeat(64)));
    assert_eq!(standing(&ground, &Place::Personal, Depth::Stamps).standing, Standing::Changed);
    assert_eq!(standing(&ground, &Place::Personal, Depth::Bytes).standing, Standing::Approved);
    ground.write("home/stamps", "rubbish");
    assert_eq!(standing(&ground, &Place::Personal, Depth::Stamps).standing, Standing::Approved);
}

#[test]
fn rights_no_file_of_a_skill_has_are_a_change() {
    // P4
    let ground = Ground::new();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    let script = Place::Personal.directory(&ground.home, "pdf").join("scripts/run.sh");
    rustix::fs::chmod(&script, rustix::fs::Mode::from(0o4555)).unwrap();
    let vouched = standing(&ground, &Place::Personal, Depth::Stamps);
    assert_eq!(vouched.standing, Standing::Changed);
    assert_eq!(vouched.differences, ["mode scripts/run.sh"]);
}

#[test]
fn a_directory_that_cannot_be_read_whole_is_a_change() {
    // P4
    let ground = Ground::new();
    let place = ground.project();
    ground.install(&place, "pdf", 1).unwrap();
    Folder::open(&ground.path().join("project/.agents/skills")).unwrap().remove("pdf").unwrap();
    let vouched = standing(&ground, &place, Depth::Bytes);
    assert_eq!((vouched.standing, vouched.differences.len()), (Standing::Changed, 1));
}

#[test]
fn a_standing_is_told_at_once_as_it_is_after_a_whole_look() {
    // P4
    let ground = Ground::new();
    let places = [Place::Personal, ground.project()];
    let skills = ["pdf", "notes", "plain"];
    for (place, skill) in places.iter().flat_map(|place| skills.map(|skill| (place, skill))) {
        ground.install(place, skill, 1).unwrap();
    }
    revoke(&ground.home, &places[1].directory(&ground.home, "notes")).unwrap();
    let mut dice = crate::tampers::Dice(7);
    let own = |skill| ground.path().join("project/.agents/skills").join(skill);
    for round in 0..40 {
        let mut told = Vec::new();
        let at_once = ledger(&ground);
        for (place, skill) in places.iter().flat_map(|place| skills.map(|skill| (place, skill))) {
            let directory = place.directory(&ground.home, skill);
            let whole = ledger(&ground).vouch(&name(skill), &directory, Depth::Bytes).standing;
            let quick = at_once.standing(&name(skill), &directory, Depth::Stamps);
            assert_eq!(quick, whole, "{round}: {skill} in {place:?}");
            told.push(quick);
            // What is written down says the same of what did not change.
            let recorded = at_once.recorded_standing(&name(skill), &directory);
            if whole != Standing::Changed {
                assert_eq!(recorded, whole, "{round}: {skill} in {place:?}");
            }
        }
        at_once.save();
        assert!(told.contains(&Standing::Approved));
        assert_eq!(told.contains(&Standing::Changed), round > 0);
        let (_, _undo) = crate::tampers::tamper(&own(skills[dice.roll(2)]), &mut dice);
    }
}

#[test]
fn what_a_server_gave_is_told_by_the_lock_alone() {
    // U2, P4
    let ground = Ground::new();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    let directory = Place::Personal.directory(&ground.home, "pdf");
    assert_eq!(ledger(&ground).origin(&name("pdf"), &directory), None, "git is no server");
    let lock = ground.home.path().join(LOCK_FILE);
    let text = std::fs::read_to_string(&lock).unwrap();
    std::fs::write(&lock, text.replace("https://git.example/skills", "mcp:shop")).unwrap();
    for open in [ledger(&ground), ledger(&ground)] {
        assert_eq!(open.origin(&name("pdf"), &directory).as_deref(), Some("mcp:shop"));
        let other = directory.with_file_name("other");
        assert_eq!(open.origin(&name("other"), &other), None);
        // The second reads what the first wrote down in short.
        open.save();
    }
}
