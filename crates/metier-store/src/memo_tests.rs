use proptest::prelude::*;

use super::*;
use crate::discover::{Facts, FoundScope};
use crate::fixture::found;
use crate::layer::RootId;

const MAKER: &str = "0.1.0 this build";
const NOW: i128 = 2_000_000_000_000_000_000;

fn stamp(number: u64) -> Stamp {
    Stamp {
        device: 7,
        inode: number,
        size: 3 * number,
        mode: 0o100_644,
        modified: (1_700_000_000, number),
        changed: (1_700_000_001, 999_999_999),
    }
}

type Stamps = Vec<Stamped>;

/// Candidates called `s00`, `s01` and so on, with their stamps.
fn many(count: u64) -> (Vec<Found>, Stamps) {
    let name = |number| format!("s{number:02}");
    let numbers = 0..count;
    let one = |number| found(RootId(3), &name(number), &name(number), "What it does.");
    let stamps = numbers.clone().map(|number| (name(number).into_bytes().into(), stamp(number)));
    (numbers.map(one).collect(), stamps.collect())
}

fn spot(path: &str) -> Spot<'_> {
    Spot { root: RootId(3), path: path.as_bytes(), identity: (0, 0) }
}

/// What `memo` remembers at `path`, looked for at `next` first.
fn known(memo: &Memo, path: &str, mut next: usize, now: Option<Stamp>) -> Option<(usize, Found)> {
    memo.candidate(spot(path), &mut next, || now)
}

fn maker(listing: Option<(Stamp, usize)>) -> Maker<'static> {
    Maker { root: Path::new("/r"), name: MAKER, now: NOW, listing, ways: Some(&[]) }
}

fn made(found: &[Found], stamps: &[Stamped]) -> Written {
    write(maker(None), found, stamps, None).expect("a memo")
}

/// The memo as it is read for whoever wants all of it.
fn read(written: Written) -> Option<Memo> {
    Memo::read(written.marks, Path::new("/r"), MAKER)?.telling(written.texts)
}

#[test]
fn what_was_read_is_remembered_as_long_as_the_stamp_is_the_same() {
    // D7, N1
    let (all, stamps) = many(40);
    let memo = read(made(&all, &stamps)).expect("a memo");
    assert_eq!(memo.len(), 40);
    for (index, (found, (_, stamp))) in all.iter().zip(&stamps).enumerate() {
        let path = found.path.to_str().expect("text");
        for next in [0, index, index + 1, 39, 40, usize::MAX] {
            let known = known(&memo, path, next, Some(*stamp));
            assert_eq!(known, Some((index, found.clone())), "{next}");
        }
        for other in [
            None,
            Some(Stamp { device: 8, ..*stamp }),
            Some(Stamp { inode: 99, ..*stamp }),
            Some(Stamp { size: 1, ..*stamp }),
            Some(Stamp { mode: 0o100_600, ..*stamp }),
            Some(Stamp { modified: (0, 0), ..*stamp }),
            Some(Stamp { changed: (0, 0), ..*stamp }),
        ] {
            assert_eq!(known(&memo, path, index, other), None, "{other:?}");
        }
    }
    let unasked = || panic!("nobody looks at what is not remembered");
    assert_eq!(memo.candidate(spot("other"), &mut 0, unasked), None);
}

#[test]
fn a_memo_of_somebody_else_or_a_damaged_one_is_none() {
    // D7
    let (all, stamps) = many(40);
    let Written { marks: memo, texts } = made(&all, &stamps);
    let read = |bytes: Vec<u8>| Memo::read(bytes, Path::new("/r"), MAKER);
    let told = |texts: &[u8]| read(memo.clone()).expect("a memo").telling(texts.to_vec());
    assert!(told(&texts).is_some());
    for index in (0..texts.len()).step_by(7) {
        let mut changed = texts.clone();
        changed[index] ^= 0x20;
        assert!(told(&changed).is_none(), "{index}");
        assert!(told(&texts[..index]).is_none(), "{index}");
    }
    assert!(Memo::read(memo.clone(), Path::new("/r2"), MAKER).is_none());
    assert!(Memo::read(memo.clone(), Path::new("/r"), "0.1.0 another build").is_none());
    assert!(read(Vec::new()).is_none());
    for index in (0..memo.len()).step_by(7) {
        let mut changed = memo.clone();
        changed[index] ^= 0x20;
        assert!(read(changed).is_none(), "{index}");
        assert!(read(memo[..index].to_vec()).is_none(), "{index}");
    }
    let mut longer = memo.clone();
    longer.push(0);
    assert!(read(longer).is_none());
}

#[test]
fn what_changed_too_lately_or_has_no_stamp_is_not_remembered() {
    // D7
    let (all, mut stamps) = many(40);
    let seconds = u64::try_from(NOW / 1_000_000_000).expect("a time");
    stamps[4].1.changed = (seconds - 1, 0);
    stamps[5].1.modified = (seconds + 60, 0);
    stamps.remove(6);
    assert_eq!(believable(&stamps, NOW), 37);
    let memo = read(made(&all, &stamps)).expect("a memo");
    assert_eq!(memo.len(), 37);
    for (path, number) in [("s04", 4), ("s05", 5), ("s06", 6)] {
        assert_eq!(known(&memo, path, 0, Some(stamp(number))), None);
    }
}

#[test]
fn a_root_is_listed_from_memory_only_when_all_in_it_is_remembered() {
    // D7, N1
    let check = |entries: usize, changed: u64, path: &str, lists: bool| {
        let (mut all, mut stamps) = many(40);
        all[39].path = Path::new(path).into();
        all[3].link = Some(Path::new("../store/x").into());
        stamps[39].0 = path.as_bytes().into();
        let root = Stamp { changed: (changed, 0), ..stamp(5) };
        let memo = write(maker(Some((root, entries))), &all, &stamps, None).expect("a memo");
        let memo = read(memo).expect("a memo");
        assert_eq!(memo.lists(&root), lists, "{entries} {changed} {path}");
        assert!(!memo.lists(&stamp(6)));
        assert_eq!(memo.candidates(RootId(3)), Some(all));
    };
    check(40, 1_700_000_000, "s39", true);
    check(41, 1_700_000_000, "s39", false);
    check(39, 1_700_000_000, "s39", false);
    check(40, 2_000_000_000, "s39", false);
    check(40, 1_700_000_000, "x/y", false);
}

#[test]
fn few_candidates_are_not_worth_a_memo() {
    // N1
    let (all, stamps) = many(MIN_REMEMBERED as u64 - 1);
    assert_eq!(write(maker(None), &all, &stamps, None), None);
}

#[test]
fn of_what_was_not_read_only_what_was_recalled_keeps_its_stamp() {
    // D7
    let (mut all, stamps) = many(40);
    let before = read(made(&all, &stamps)).expect("a memo");
    all[7].description = "Another file by now, whose stamp nobody has.".into();
    all[8].description = "Read again.".into();
    let recalled: Vec<usize> = (0..40).filter(|index| *index != 7 && *index != 8).collect();
    let fresh = [(b"s08".to_vec().into(), stamp(99))];
    let recalled = Some((&before, &*recalled));
    let memo = write(maker(None), &all, &fresh, recalled).expect("a memo");
    let memo = read(memo).expect("a memo");
    assert_eq!(memo.len(), 39);
    assert_eq!(known(&memo, "s06", 6, Some(stamp(6))), Some((6, all[6].clone())));
    assert_eq!(known(&memo, "s07", 7, Some(stamp(7))), None);
    assert_eq!(known(&memo, "s08", 7, Some(stamp(99))), Some((7, all[8].clone())));
    assert_eq!(known(&memo, "s08", 7, Some(stamp(8))), None);
}

#[test]
fn every_number_is_read_back_and_an_endless_one_is_none() {
    // D7
    for number in [0, 1, 127, 128, 16_383, 16_384, 1 << 62, u64::MAX - 1, u64::MAX] {
        let mut output = Output::default();
        output.number(number);
        let (end, whole) = (output.0.len(), &*output.0);
        let mut input = Input { whole, at: 0, end };
        assert_eq!((input.number(), input.at), (Some(number), end));
    }
    for bytes in [&[][..], &[0x80], &[0xff; 12]] {
        assert_eq!(Input { whole: bytes, at: 0, end: bytes.len() }.number(), None);
    }
}

fn facts() -> impl Strategy<Value = Facts> {
    let text = || proptest::option::of("\\PC{0,8}".prop_map(String::into_boxed_str));
    let list = || {
        proptest::option::of(proptest::collection::vec("\\PC{0,4}".prop_map(String::from), 0..3))
    };
    let scope = (list(), list(), list()).prop_map(|(agents, tenants, environments)| {
        Box::new(FoundScope { agents, tenants, environments })
    });
    let tags = proptest::collection::vec("\\PC{0,6}".prop_map(String::into_boxed_str), 0..4);
    let texts = (text(), text(), text(), text(), text());
    let rest = (any::<i64>(), any::<bool>(), any::<bool>());
    (tags, texts, proptest::option::of(scope), rest).prop_map(|(tags, texts, scope, rest)| Facts {
        priority: rest.0,
        tags: tags.into(),
        version: texts.0,
        compatibility: texts.1,
        allowed_tools: texts.2,
        scope,
        min_host_version: texts.3,
        max_host_version: texts.4,
        disable_model_invocation: rest.1,
        user_invocable: rest.2,
    })
}

proptest! {
    #[test]
    fn every_candidate_comes_out_as_it_went_in(
        facts in proptest::option::of(facts()),
        description in "\\PC{0,40}",
        digest in any::<[u8; 32]>(),
    ) {
        // D7
        let (mut all, stamps) = many(MIN_REMEMBERED as u64);
        all[9].facts = facts.map(Box::new);
        all[9].description = description.into();
        all[9].digest = digest;
        let memo = read(made(&all, &stamps)).expect("a memo");
        let known = known(&memo, "s09", 0, Some(stamp(9)));
        prop_assert_eq!(known, Some((9, all[9].clone())));
    }

    #[test]
    fn any_bytes_behind_a_sum_that_fits_are_read_without_a_panic(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        // D7
        let mut whole = Output::default();
        whole.text(MAKER.as_bytes());
        whole.text(b"/r");
        whole.text(&checksum(&body));
        whole.0.extend(&body);
        let bytes = [HEADING, &checksum(&whole.0), &whole.0].concat();
        let memo = || Memo::read(bytes.clone(), Path::new("/r"), MAKER);
        let told = memo().and_then(|memo| memo.telling(body.clone()));
        for memo in memo().into_iter().chain(told) {
            for at in 0..memo.len() {
                let _ = memo.path(at).and_then(|path| memo.find(path));
                let _ = memo.remembered(at).and_then(|known| known.candidate(RootId(0)));
                let _ = memo.candidates(RootId(0));
            }
        }
    }
}
