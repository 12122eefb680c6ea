use super::super::{Document, SearchIndex};
use super::{edits_allowed, named, query_words, wanted, weight};
use crate::limits::{MAX_EXPANSIONS, MAX_QUERY_WORDS};

fn index(descriptions: &[&str]) -> SearchIndex {
    let document = |description| Document { name: "n", description, tags: &[], body: None };
    SearchIndex::build(descriptions.iter().map(|text| document(text)))
}

#[test]
fn the_words_of_a_query_are_taken_once_and_in_order() {
    // D8
    let check = |query: &str, expect: &[&str]| assert_eq!(query_words(query), expect, "{query}");
    check("Fill PDF fill pdf", &["fill", "pdf"]);
    check("how to fill a pdf", &["fill", "pdf"]);
    check("how to", &["how", "to"]);
    check("GitHub", &["github", "git", "hub"]);
    check("", &[]);
    let many: String = (0..200).map(|number| format!("w{number} ")).collect();
    assert_eq!(query_words(&many).len(), MAX_QUERY_WORDS);
}

#[test]
fn a_word_stands_for_itself_before_all_others() {
    // D8
    let index = index(&["form", "formula", "formal"]);
    let counts = |word: &str, last: bool| {
        wanted(&index, word, last).iter().map(|one| one.counts).collect::<Vec<_>>()
    };
    assert_eq!(counts("form", false), [1.0]);
    assert_eq!(counts("forms", false), [1.0]);
    // Last, it may be the beginning of another.
    assert_eq!(counts("form", true), [1.0, 0.6, 0.6]);
    assert_eq!(counts("for", true), [0.6, 0.6, 0.6]);
    assert_eq!(counts("for", false), [0.0f32; 0]);
    // Not known, it may be a slip.
    assert_eq!(counts("fomr", false), [0.5]);
    assert_eq!(counts("f", true), [0.0f32; 0]);
}

#[test]
fn a_beginning_stands_for_so_many_words_and_the_commonest_first() {
    // D8
    let words: Vec<String> = (0..100).map(|number| format!("pre{number:03}x")).collect();
    let mut texts: Vec<&str> = words.iter().map(String::as_str).collect();
    texts.extend(["pre077x", "pre077x"]);
    let index = index(&texts);
    let wanted = wanted(&index, "pre", true);
    assert_eq!(wanted.len(), MAX_EXPANSIONS);
    assert_eq!(Some(wanted[0].term), index.words.find("pre077x"));
    assert_eq!(Some(wanted[1].term), index.words.find("pre000x"));
}

#[test]
fn short_words_are_taken_as_typed() {
    // D8
    for (word, expect) in [("", 0), ("pdf", 0), ("表格数据", 1), ("form", 1), ("database", 2)] {
        assert_eq!(edits_allowed(word), expect, "{word}");
    }
}

#[test]
fn a_name_is_found_however_it_is_written() {
    // D8
    let name = |name| Document { name, description: "", tags: &[], body: None };
    let index = SearchIndex::build([name("b-c"), name("a"), name("B_C"), name("")]);
    assert_eq!(named(&index, " B C ").collect::<Vec<_>>(), [0, 2]);
    assert_eq!(named(&index, "a").collect::<Vec<_>>(), [1]);
    assert_eq!(named(&index, "").count(), 0);
    assert_eq!(named(&index, "c").count(), 0);
}

#[test]
fn rare_words_weigh_more_and_every_word_weighs_something() {
    // D8
    assert!(weight(1000, 1) > weight(1000, 2));
    assert!(weight(1000, 999) > weight(1000, 1000));
    assert!(weight(1_000_000, 1_000_000) > 0.0);
    assert!(weight(0, 0).is_finite());
}
