use std::collections::BTreeMap;

use proptest::prelude::*;

use super::Vocabulary;
use crate::suggest::Rows;

fn vocabulary(words: &[&str]) -> Vocabulary {
    let map: BTreeMap<String, u32> = words.iter().map(|word| (*word).into()).zip(0..).collect();
    Vocabulary::new(map.into_iter())
}

const WORDS: &[&str] = &["review", "reviewer", "revise", "pdf", "pdfs", "zebra", "数据"];

#[test]
fn a_word_is_found_and_no_other() {
    // D8
    let known = vocabulary(WORDS);
    for (word, term) in WORDS.iter().zip(0..) {
        assert_eq!(known.find(word), Some(term), "{word}");
    }
    for word in ["", "a", "pd", "pdfsx", "reviewe", "zzz", "据"] {
        assert_eq!(known.find(word), None, "{word}");
    }
    assert_eq!(vocabulary(&[]).find("pdf"), None);
}

#[test]
fn words_that_begin_alike_are_found_together() {
    // D8
    let known = vocabulary(WORDS);
    let check = |prefix: &str, expect: &[u32]| {
        assert_eq!(known.with_prefix(prefix).collect::<Vec<_>>(), expect, "{prefix}");
    };
    check("rev", &[0, 1, 2]);
    check("review", &[0, 1]);
    check("pdf", &[3, 4]);
    check("z", &[5]);
    check("数", &[6]);
    check("x", &[]);
    check("", &[3, 4, 0, 1, 2, 5, 6]);
}

#[test]
fn words_a_slip_away_are_found_with_their_distance() {
    // D8
    let known = vocabulary(WORDS);
    let check = |word: &str, max: usize, expect: &[(usize, u32)]| {
        assert_eq!(known.near(word, max), expect, "{word}");
    };
    check("reveiw", 1, &[(1, 0)]);
    check("reviwer", 2, &[(2, 0), (1, 1), (2, 2)]);
    check("fdp", 1, &[]);
    check("pfd", 1, &[(1, 3)]);
    check("zebra", 0, &[(0, 5)]);
    check("quite-different", 2, &[]);
}

proptest! {
    #[test]
    fn passing_over_words_loses_none(
        words in prop::collection::btree_set("[abc]{1,6}", 0..40), word in "[abc]{0,6}", max in 0usize..3,
    ) {
        // D8
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let expect: Vec<(usize, u32)> = words
            .iter()
            .zip(0..)
            .filter_map(|(known, term)| Some((Rows::new(&word).distance(known, max)?, term)))
            .collect();
        prop_assert_eq!(vocabulary(&words).near(&word, max), expect);
    }
}
