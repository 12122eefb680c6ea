use super::page;
use crate::limits::PAGE;

fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("n{number:04}")).collect()
}

#[test]
fn pages_join_to_the_whole_without_gap_or_repetition() {
    // U2
    for count in [0, 1, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE] {
        let all = names(count);
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let (part, next) = page(all.iter(), |name| name.as_str(), cursor.as_deref()).unwrap();
            assert!(part.len() <= PAGE);
            seen.extend(part.into_iter().cloned());
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, all);
    }
}

#[test]
fn what_comes_and_goes_between_pages_is_neither_repeated_nor_skipped() {
    // U2
    let mut all = names(2 * PAGE);
    let (first, cursor) = page(all.iter(), |name| name.as_str(), None).unwrap();
    let last = first.last().unwrap().to_string();
    all.retain(|name| *name != last);
    all.insert(0, "a-new-one".to_owned());
    let (second, _) = page(all.iter(), |name| name.as_str(), cursor.as_deref()).unwrap();
    assert_eq!(second.first().unwrap().as_str(), format!("n{PAGE:04}"));
}

#[test]
fn a_cursor_somebody_made_up_is_refused() {
    // U2, F4
    let all = names(3);
    for cursor in ["", "n0001", "AFTER:x", "💥"] {
        assert!(page(all.iter(), |name| name.as_str(), Some(cursor)).is_err(), "{cursor}");
    }
    let (rest, _) = page(all.iter(), |name| name.as_str(), Some("after:n0000")).unwrap();
    assert_eq!(rest.len(), 2);
}
