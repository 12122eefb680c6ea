use super::*;
use crate::fixture::Ground;
use crate::limits::RACY_NANOSECONDS;

const FILE: &str = "original";
/// Later than any stamp of a test.
const LATER: i128 = i128::MAX / 2;

fn original(ground: &Ground) -> Original {
    let folder = ground.path().to_owned();
    Original { beside: folder.clone(), folder, file: FILE, brief: "brief" }
}

fn briefs(tree: char) -> BTreeMap<String, Brief> {
    let brief = Brief {
        tree: tree.to_string().repeat(64),
        source: Some("https://git.example/skills".to_owned()),
        commit: None,
        approval: Some("ada at 2031-05-06T07:08:09".to_owned()),
    };
    BTreeMap::from([
        ("home:skills/pdf".to_owned(), brief),
        ("b".to_owned(), Brief { tree: "b".repeat(64), ..Brief::default() }),
    ])
}

/// What is read, and whether the file itself had to be.
fn look(
    original: &Original,
    says: &BTreeMap<String, Brief>,
    now: i128,
) -> (Option<BTreeMap<String, Brief>>, bool) {
    let mut parsed = false;
    let parse = || {
        parsed = true;
        Ok(Some(Briefs::Parsed(says.clone())))
    };
    let (briefs, fresh) = original.read(now, parse).unwrap();
    if let Some(fresh) = fresh {
        fresh.write();
    }
    (briefs.map(|briefs| all(&briefs)), parsed)
}

/// Everything that briefs say, each looked up by its key.
fn all(briefs: &Briefs) -> BTreeMap<String, Brief> {
    let keys: Vec<String> = match briefs {
        Briefs::Parsed(briefs) => briefs.keys().cloned().collect(),
        Briefs::Written(lines) => {
            lines.text().lines().map(|line| line[..line.find('\t').unwrap()].into()).collect()
        }
    };
    assert_eq!(briefs.is_empty(), keys.is_empty());
    let known = |key: String| {
        let brief = briefs.get(&key).expect("what is there is found");
        assert_eq!(briefs.tree(&key), Some(brief.tree.as_str()));
        (key, brief)
    };
    keys.into_iter().map(known).collect()
}

#[test]
fn a_file_is_read_once_and_again_when_it_changed() {
    // P4
    let ground = Ground::new();
    let original = original(&ground);
    ground.write(FILE, "one");
    let (old, new) = (briefs('a'), briefs('c'));
    assert_eq!(look(&original, &old, LATER), (Some(old.clone()), true));
    assert_eq!(look(&original, &new, LATER), (Some(old), false));
    ground.write(FILE, "two");
    assert_eq!(look(&original, &new, LATER), (Some(new), true));
}

#[test]
fn a_file_as_young_as_the_look_at_it_gets_no_brief() {
    // P4
    let ground = Ground::new();
    let original = original(&ground);
    ground.write(FILE, "one");
    let changed = original.stamp().unwrap().changed();
    for now in [0, changed, changed + RACY_NANOSECONDS] {
        assert!(look(&original, &briefs('a'), now).1);
    }
    assert!(look(&original, &briefs('a'), changed + RACY_NANOSECONDS + 1).1);
    assert!(!look(&original, &briefs('a'), now_is_not_asked()).1);
}

/// Whether an existing brief counts does not depend on the time.
fn now_is_not_asked() -> i128 {
    0
}

fn known(original: &Original) -> Option<BTreeMap<String, Brief>> {
    original.known(&original.stamp().unwrap()).map(|briefs| all(&briefs))
}

#[test]
fn a_brief_that_is_not_as_it_was_written_does_not_count() {
    // P4
    let ground = Ground::new();
    let original = original(&ground);
    ground.write(FILE, "one");
    look(&original, &briefs('a'), LATER);
    let whole = ground.text("brief");
    for at in 0..whole.len() {
        let mut bytes = whole.clone().into_bytes();
        bytes[at] ^= 1;
        ground.write("brief", &bytes);
        assert_eq!(known(&original), None, "byte {at}");
        ground.write("brief", &whole.as_bytes()[..at]);
        assert_eq!(known(&original), None, "cut at {at}");
    }
    ground.write("brief", &whole);
    assert_eq!(known(&original), Some(briefs('a')));
}

#[test]
fn what_no_line_can_spell_gets_no_brief() {
    // P4
    let ground = Ground::new();
    let original = original(&ground);
    ground.write(FILE, "one");
    for odd in ["", "a\tb", "a\nb", "a\rb"] {
        let brief = Brief { source: Some(odd.to_owned()), ..briefs('a')["b"].clone() };
        let says = BTreeMap::from([("pdf".to_owned(), brief)]);
        assert_eq!(look(&original, &says, LATER), (Some(says.clone()), true), "{odd:?}");
        assert_eq!(look(&original, &says, LATER), (Some(says), true), "{odd:?}");
    }
}

#[test]
fn no_file_is_nothing_and_a_fault_is_passed_on() {
    // P4
    let ground = Ground::new();
    let original = original(&ground);
    let (briefs, fresh) = original.read(LATER, || Ok(None)).unwrap();
    assert!(briefs.is_none() && fresh.is_none());
    assert_eq!(original.read(LATER, || Err("broken".to_owned())).unwrap_err(), "broken");
}
