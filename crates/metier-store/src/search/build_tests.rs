use proptest::prelude::*;

use super::super::Document;
use super::{IMPACT_STEPS, Packed, SearchIndexBuilder, impact};
use crate::limits::MAX_SEARCH_BYTES;

#[test]
fn an_impact_grows_with_occurrences_and_shrinks_with_length() {
    // D8
    let share = |counts, lengths| impact(&counts, &lengths) >> 4;
    assert!(share([0, 0, 0, 1], [0, 0, 0, 700]) < share([0, 0, 0, 2], [0, 0, 0, 700]));
    assert!(share([0, 0, 0, 1], [0, 0, 0, 9000]) < share([0, 0, 0, 1], [0, 0, 0, 70]));
    assert!(share([0, 0, 0, 1], [0, 0, 0, 700]) < share([0, 0, 1, 0], [0, 0, 35, 0]));
    assert!(share([0, 0, 1, 0], [0, 0, 35, 0]) < share([1, 0, 0, 0], [3, 0, 0, 0]));
}

#[test]
fn an_impact_is_never_nothing_and_never_more_than_all() {
    // D8
    let least = impact(&[0, 0, 0, 1], &[0, 0, 0, u32::MAX]);
    assert_eq!((least >> 4, least & 0xf), (1, 0b1000));
    let most = impact(&[u16::MAX; 4], &[1; 4]);
    assert!(most >> 4 <= IMPACT_STEPS);
    assert_eq!(most & 0xf, 0b1111);
}

#[test]
fn an_index_that_is_full_takes_no_more_text_and_says_so() {
    // D8
    let mut builder = SearchIndexBuilder::new();
    builder.bytes = MAX_SEARCH_BYTES - 10;
    builder.add(Document { name: "early", description: "12345", tags: &[], body: None });
    builder.add(Document { name: "late", description: "rivers", tags: &[], body: Some("lakes") });
    let index = builder.finish();
    assert_eq!((index.cut(), index.len()), (1, 2));
    assert_eq!(index.search("12345", 9).len(), 1);
    assert!(index.search("rivers", 9).is_empty());
    // A name is found whole however full the index is.
    assert_eq!(index.search("late", 9).len(), 1);
}

#[test]
fn words_with_one_stem_are_one_term_and_long_words_keep_their_tails() {
    // D8
    let mut builder = SearchIndexBuilder::new();
    builder.add(Document { name: "n", description: "", tags: &[], body: None });
    assert_eq!(builder.term("reviews"), builder.term("reviewing"));
    assert_eq!(builder.term("reviews"), builder.term("review"));
    assert_ne!(builder.term("review"), builder.term("revise"));
    let (one, two) = ("aaaaaaaaaaaaaaaa1", "aaaaaaaaaaaaaaaa2");
    assert_ne!(builder.term(one), builder.term(two));
    assert_eq!(builder.term(one), builder.term(one));
}

proptest! {
    #[test]
    fn packed_words_compare_as_words(one in "[a-c数é]{0,20}", two in "[a-c数é]{0,20}") {
        // D8
        let (a, b) = (Packed::new(&one), Packed::new(&two));
        prop_assert_eq!(a.cmp(&b), one.cmp(&two));
        prop_assert_eq!(a.text(), one);
    }
}
