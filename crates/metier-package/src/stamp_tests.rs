use super::*;
use crate::fixture::Ground;
use crate::keep::read_tree;
use crate::tampers::{Dice, tamper};

fn far() -> i128 {
    i128::from(i64::MAX)
}

fn stamped(directory: &Path, now: i128) -> Option<Stamped> {
    let before = look(directory).unwrap();
    let tree = metier_store::digest::hex(&read_tree(directory).unwrap().digest());
    let after = look(directory).unwrap();
    Stamped::new(&tree, before, &after, now)
}

fn now() -> i128 {
    #[expect(clippy::disallowed_methods, reason = "the test is the clock")]
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i128::try_from(since.as_nanos()).unwrap()
}

#[test]
fn a_stamp_as_young_as_the_look_proves_nothing() {
    // P4
    let ground = Ground::new();
    let directory = ground.staged("pdf", 1).directory;
    assert!(stamped(&directory, now()).is_none(), "written a moment ago");
    assert!(stamped(&directory, now() + 2 * RACY_NANOSECONDS).is_some());
    let before = look(&directory).unwrap();
    ground.write("fetched/1/pdf/SKILL.md", "longer than it was");
    let after = look(&directory).unwrap();
    assert!(Stamped::new(&"0".repeat(64), before, &after, far()).is_none(), "changed meanwhile");
}

#[test]
fn stamps_are_read_back_as_written_and_foreign_ones_are_none() {
    // P4
    let ground = Ground::new();
    let mut stamps = Stamps::default();
    for skill in ["pdf", "with space"] {
        let directory = ground.staged("pdf", 1).directory;
        ground.write("fetched/1/pdf/a name with spaces", "x");
        stamps.insert(&format!("/x/{skill}"), stamped(&directory, far()).unwrap());
    }
    let text = stamps.text();
    let mut read = Stamps::read(&text);
    assert_eq!(read.text(), text);
    for skill in ["/x/pdf", "/x/with space"] {
        assert_eq!(read.get(skill).unwrap(), stamps.get(skill).unwrap());
    }
    assert_eq!(read.get("/x/with"), None);
    let newer = Stamped { tree: "a".repeat(64), ..read.get("/x/pdf").unwrap().into_owned() };
    read.insert("/x/pdf", newer.clone());
    assert_eq!(*Stamps::read(&read.text()).get("/x/pdf").unwrap(), newer);
    assert!(Stamps::read(&read.text()).get("/x/with space").is_some());
    for broken in ["", "metier-stamps-2\n", &text.replace("s ", "s x"), &text.replace("t ", "t x")]
    {
        let broken = Stamps::read(broken);
        assert!(broken.get("/x/pdf").is_none() && broken.get("/x/with space").is_none());
    }
}

#[test]
fn names_no_line_can_spell_have_no_stamps() {
    // P4
    let ground = Ground::new();
    let directory = ground.staged("pdf", 1).directory;
    ground.write("fetched/1/pdf/two\nlines", "x");
    assert_eq!(look(&directory), Err(Errno::ILSEQ));
    assert!(look(Path::new("/nowhere")).is_err());
}

#[test]
fn a_key_of_several_lines_says_nothing_about_another_tree() {
    // P4
    let ground = Ground::new();
    let known = stamped(&ground.staged("pdf", 1).directory, far()).unwrap();
    let forged = format!("/x\nt {} home:skills/pdf", "a".repeat(64));
    for key in [forged.as_str(), "/x\r", "/x\r\n"] {
        let mut stamps = Stamps::default();
        stamps.insert(key, known.clone());
        assert_eq!(stamps.get(key), None);
        let read = Stamps::read(&stamps.text());
        for other in ["/x", "home:skills/pdf", key] {
            assert_eq!(read.get(other), None, "{key:?} says something about {other:?}");
        }
    }
}

#[test]
fn no_tamper_keeps_every_stamp_even_with_its_times_put_back() {
    // P4: each copy is stamped once it is old enough, tampered with once, and looked at once.
    let ground = Ground::new();
    let small = |number| {
        let file = ground.write(&format!("small/{number}/SKILL.md"), "a skill of one file");
        file.parent().unwrap().to_owned()
    };
    let large = (0..300).map(|version| ground.staged("pdf", version).directory);
    let trees: Vec<_> = large.chain((0..100).map(small)).collect();
    std::thread::sleep(std::time::Duration::from_nanos(RACY_NANOSECONDS as u64 + 20_000_000));
    let stamps: Vec<_> = trees.iter().map(|tree| stamped(tree, now()).unwrap()).collect();
    let few = |stamped: &&Stamped| stamped.stamps.len() <= FEW_STAMPS;
    assert_eq!(stamps.iter().filter(few).count(), 100, "both ways are taken");
    let mut dice = Dice(11);
    for (tree, stamped) in trees.iter().zip(&stamps) {
        assert!(stamped.holds(tree), "untouched");
        let (what, _) = tamper(tree, &mut dice);
        assert!(!stamped.holds(tree), "{what}");
    }
}

#[test]
fn rights_no_file_of_a_skill_has_are_odd() {
    // P4
    let ground = Ground::new();
    let directory = ground.staged("pdf", 1).directory;
    assert_eq!(odd_rights(&look(&directory).unwrap()), []);
    for mode in [0o4755, 0o2755, 0o757] {
        let script = directory.join("scripts/run.sh");
        rustix::fs::chmod(&script, rustix::fs::Mode::from(mode)).unwrap();
        let odd = odd_rights(&look(&directory).unwrap());
        assert_eq!(odd.len(), 1, "{mode:o}");
        assert_eq!(odd[0].to_string(), "mode scripts/run.sh");
    }
}
