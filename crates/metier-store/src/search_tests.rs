use metier_format::NameKey;
use proptest::prelude::*;

use super::{Document, Field, Hit, SearchIndex, SearchIndexBuilder};
use crate::catalog::Entry;
use crate::fixture::Fixture;
use crate::layer::Layer;
use crate::limits::{MAX_QUERY_BYTES, MAX_SEARCH_FIELD_BYTES};

/// Name, tags, description, body.
type Row = (&'static str, &'static [&'static str], &'static str, &'static str);

const SKILLS: &[Row] = &[
    (
        "code-review",
        &["quality"],
        "Review pull requests for bugs and style",
        "Read the diff first.",
    ),
    ("docx", &["office"], "Create and edit Word documents", "Use the template for letters."),
    (
        "fill-pdf-form",
        &["office", "pdf"],
        "Fill the fields of a PDF form",
        "List the fields first.",
    ),
    ("kubernetes-deploy", &["cloud"], "Deploy services to a cluster", "Apply the manifests."),
    ("pdf", &[], "Read, merge and split PDF files", "Extract text page by page."),
    ("release-notes", &["writing"], "Write release notes from commits", "Read each pull request."),
    ("sql-query", &["data"], "Ask a database in SQL", "Explain the plan before you run it."),
    ("データ分析", &["数据"], "表データを集計する", "平均と分散を計算します。"),
];

fn tags(words: &[&str]) -> Vec<Box<str>> {
    words.iter().map(|word| (*word).into()).collect()
}

fn index() -> SearchIndex {
    let mut builder = SearchIndexBuilder::new();
    for (name, words, description, body) in SKILLS {
        let tags = tags(words);
        builder.add(Document { name, description, tags: &tags, body: Some(body) });
    }
    builder.finish()
}

fn names<'a>(hits: &[Hit<'a>]) -> Vec<&'a str> {
    hits.iter().map(|hit| hit.name).collect()
}

fn check(query: &str, expect: &[&str]) {
    assert_eq!(names(&index().search(query, 100)), expect, "`{query}`");
}

#[test]
fn words_find_skills_wherever_they_stand_the_weightier_field_first() {
    // D8
    check("pdf", &["pdf", "fill-pdf-form"]);
    check("office", &["docx", "fill-pdf-form"]);
    check("cluster", &["kubernetes-deploy"]);
    check("manifests", &["kubernetes-deploy"]);
    check("pull request", &["code-review", "release-notes"]);
    check("split pdf", &["pdf", "fill-pdf-form"]);
}

#[test]
fn forms_of_a_word_find_each_other() {
    // D8
    check("reviewing", &["code-review"]);
    check("deployment", &["kubernetes-deploy"]);
    check("Databases", &["sql-query"]);
    check("FORMS", &["fill-pdf-form"]);
    check("PDFs", &["fill-pdf-form", "pdf"]);
}

#[test]
fn a_slip_of_the_finger_is_forgiven_in_words_long_enough() {
    // D8
    check("kuberntes", &["kubernetes-deploy"]);
    check("kubrenets", &["kubernetes-deploy"]);
    check("databse", &["sql-query"]);
    check("reveiw", &["code-review"]);
    check("pfd", &[]);
    check("clxxter", &[]);
}

#[test]
fn a_correct_word_is_not_read_as_a_slip() {
    // D8
    let index = SearchIndex::build([
        Document { name: "a", description: "form", tags: &[], body: None },
        Document { name: "b", description: "fork", tags: &[], body: None },
    ]);
    assert_eq!(names(&index.search("form x", 9)), ["a"]);
    assert_eq!(names(&index.search("forx y", 9)), ["a", "b"]);
}

#[test]
fn the_last_word_may_still_be_being_typed() {
    // D8
    check("kube", &["kubernetes-deploy"]);
    check("relea", &["release-notes"]);
    check("fill fie", &["fill-pdf-form"]);
    check("kube nothing", &[]);
    check("d", &[]);
}

#[test]
fn the_whole_name_comes_first_however_it_is_written() {
    // D8
    check("SQL_Query", &["sql-query"]);
    check("release notes", &["release-notes"]);
    check("codereview", &["code-review"]);
    let index = SearchIndex::build([
        Document { name: "pdf-pdf", description: "pdf pdf pdf", tags: &tags(&["pdf"]), body: None },
        Document { name: "pdf", description: "", tags: &[], body: None },
    ]);
    assert_eq!(names(&index.search("pdf", 9)), ["pdf", "pdf-pdf"]);
}

#[test]
fn scripts_without_spaces_are_searched_by_part() {
    // D8
    check("分析", &["データ分析"]);
    check("平均", &["データ分析"]);
    check("数", &["データ分析"]);
    check("データ", &["データ分析"]);
}

#[test]
fn a_query_without_a_known_word_has_no_hits() {
    // D8
    for query in ["", "   ", "!!! ???", "\0\u{7}", "🎉", "qqqqzzzz", "-", "\u{202e}"] {
        check(query, &[]);
    }
    assert!(SearchIndex::build([]).search("pdf", 10).is_empty());
    assert!(SearchIndex::build([]).is_empty());
    assert!(index().search("pdf", 0).is_empty());
}

#[test]
fn function_words_count_only_when_there_is_nothing_else() {
    // D8
    check("how do i fill a form", &["fill-pdf-form"]);
    check("to the", &["kubernetes-deploy", "fill-pdf-form", "code-review", "docx", "sql-query"]);
}

#[test]
fn a_hit_says_where_the_words_are() {
    // D8
    let index = index();
    let matched = |query: &str| {
        let hits = index.search(query, 1);
        hits[0].matched.iter().map(Field::as_str).collect::<Vec<_>>()
    };
    assert_eq!(matched("pdf form"), ["name", "tags", "description"]);
    assert_eq!(matched("cloud"), ["tags"]);
    assert_eq!(matched("template"), ["body"]);
    assert_eq!(matched("review diff"), ["name", "description", "body"]);
    let hit = index.search("cloud", 1)[0];
    assert_eq!((hit.document, hit.matched.contains(Field::Name)), (3, false));
}

#[test]
fn a_name_without_any_letter_is_still_found_whole() {
    // D8
    let index =
        SearchIndex::build([Document { name: "🎉", description: "x", tags: &[], body: None }]);
    let hits = index.search(" 🎉 ", 9);
    assert_eq!(names(&hits), ["🎉"]);
    assert!(hits[0].score > 0.0 && hits[0].matched.contains(Field::Name));
}

#[test]
fn equal_scores_are_ordered_by_name_then_number() {
    // D8
    let same = |name| Document { name, description: "same words", tags: &[], body: None };
    let index = SearchIndex::build(["b", "a", "c", "a"].map(same));
    let hits: Vec<_> =
        index.search("words", 9).iter().map(|hit| (hit.name, hit.document)).collect();
    assert_eq!(hits, [("a", 1), ("a", 3), ("b", 0), ("c", 2)]);
    assert_eq!(names(&index.search("words", 2)), ["a", "a"]);
}

#[test]
fn a_body_is_indexed_up_to_the_limit_and_the_rest_is_counted() {
    // D8
    let long = format!("first {} last", "filler ".repeat(MAX_SEARCH_FIELD_BYTES / 7));
    let index = SearchIndex::build([
        Document { name: "long", description: "", tags: &[], body: Some(&long) },
        Document { name: "short", description: "", tags: &[], body: Some("fine") },
    ]);
    assert_eq!(index.cut(), 1);
    assert_eq!(index.len(), 2);
    assert_eq!(names(&index.search("first x", 9)), ["long"]);
    assert!(index.search("last x", 9).is_empty());
    assert!(index.bytes() > 0);
}

#[test]
fn a_query_is_read_up_to_the_limit() {
    // D8
    let index = index();
    let late = format!("{}pdf", "x ".repeat(MAX_QUERY_BYTES));
    assert!(index.search(&late, 9).is_empty());
    let words: String = (0..80).map(|n| format!("{n}zz ")).collect();
    assert_eq!(names(&index.search(&format!("pdf {words}"), 9)), ["fill-pdf-form", "pdf"]);
    assert!(index.search(&format!("{words} pdf"), 9).is_empty());
    assert!(index.search(&"é".repeat(1_000_000), 9).is_empty());
}

#[test]
fn a_skill_that_says_it_once_beats_one_that_buries_it_in_a_long_body() {
    // D8
    let long = format!("{} invoice {}", "filler ".repeat(3000), "filler ".repeat(3000));
    let index = SearchIndex::build([
        Document { name: "buried", description: "", tags: &[], body: Some(&long) },
        Document { name: "plain", description: "", tags: &[], body: Some("One invoice.") },
    ]);
    assert_eq!(names(&index.search("invoice", 9)), ["plain", "buried"]);
}

#[test]
fn the_entries_of_a_catalog_are_searched_with_tags_and_bodies() {
    // D8
    let catalog = Fixture::new()
        .root(Layer::Personal, "/skills")
        .skill_at("a", "ledger", "Keep books")
        .facts(|facts| facts.tags = tags(&["finance"]).into())
        .skill_at("b", "atlas", "Draw maps")
        .catalog();
    let body = |entry: &Entry| (entry.name().as_str() == "atlas").then(|| "Rivers first.".into());
    let index = SearchIndex::of_entries(&catalog.entries, body);
    assert_eq!(names(&index.search("finance", 9)), ["ledger"]);
    let hits = index.search("river", 9);
    assert_eq!((hits[0].document, hits[0].name), (0, "atlas"));
    assert!(index.search("book maps", 9).len() == 2);
}

/// Documents of few different words, so that they share many.
fn documents() -> impl Strategy<Value = Vec<(String, String, String)>> {
    const WORDS: &[&str] = &[
        "pdf",
        "form",
        "review",
        "reviews",
        "data",
        "datum",
        "fill",
        "code",
        "kubernetes",
        "数据",
    ];
    let words = |count, between| {
        prop::collection::vec(prop::sample::select(WORDS), count)
            .prop_map(move |words| words.join(between))
    };
    let rows = prop::collection::vec((words(1..4, "-"), words(0..9, " "), words(0..9, " ")), 0..12);
    // A catalog has each name once.
    rows.prop_map(|mut rows: Vec<(String, String, String)>| {
        rows.sort();
        rows.dedup_by(|later, earlier| later.0 == earlier.0);
        rows
    })
}

fn build(rows: &[(String, String, String)]) -> SearchIndex {
    SearchIndex::build(rows.iter().map(|(name, description, body)| Document {
        name,
        description,
        tags: &[],
        body: Some(body),
    }))
}

proptest! {
    #[test]
    fn every_skill_is_the_first_hit_for_its_own_name(rows in documents()) {
        // D8
        let index = build(&rows);
        for (name, ..) in &rows {
            let hits = index.search(name, 1);
            prop_assert_eq!(NameKey::of(hits[0].name), NameKey::of(name));
        }
    }

    #[test]
    fn scores_are_finite_and_fall(rows in documents(), query in "([a-z]{1,10} ?){0,5}") {
        // D8
        let index = build(&rows);
        let hits = index.search(&query, 100);
        prop_assert!(hits.iter().all(|hit| hit.score.is_finite() && hit.score > 0.0));
        prop_assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
        let few = index.search(&query, 3);
        prop_assert_eq!(&few[..], &hits[..few.len()]);
    }

    #[test]
    fn the_order_documents_come_in_does_not_matter(rows in documents(), query in "(pdf|form|revie|dat|fill )+") {
        // D8, D3
        let listed = |rows: &[(String, String, String)]| {
            let index = build(rows);
            let hits = index.search(&query, 100);
            let shown = |hit: &Hit<'_>| format!("{} {} {:?}", hit.score, hit.name, hit.matched);
            let mut all: Vec<String> = hits.iter().map(shown).collect();
            // Documents of one name and score keep the order they came in.
            all.sort_unstable();
            all
        };
        let mut reversed = rows.clone();
        reversed.reverse();
        prop_assert_eq!(listed(&rows), listed(&reversed));
    }

    #[test]
    fn installing_an_unrelated_skill_does_not_reorder_the_hits_of_a_word(
        rows in documents(), word in "(pdf|form|review|data|fill)",
    ) {
        // D8
        // Only the one weight all hits share changes; with several words their balance may shift.
        let mut more = rows.clone();
        more.push(("unrelated".into(), "nothing of the kind".into(), "at all ".repeat(50)));
        let before = build(&rows);
        let after = build(&more);
        let list = |index: &SearchIndex| {
            index.search(&word, 100).iter().map(|hit| hit.document).collect::<Vec<_>>()
        };
        prop_assert_eq!(list(&before), list(&after));
    }

    #[test]
    fn any_text_is_indexed_and_searched(
        name in any::<String>(), text in any::<String>(), query in any::<String>(),
    ) {
        // D8, F4
        let tags = [text.clone().into_boxed_str()];
        let document =
            Document { name: &name, description: &query, tags: &tags, body: Some(&text) };
        let index = SearchIndex::build([document, document]);
        for hit in index.search(&query, 10) {
            prop_assert!(hit.score.is_finite() && hit.document < 2);
        }
        if name.len() < MAX_QUERY_BYTES && !NameKey::of(&name).as_str().is_empty() {
            prop_assert_eq!(index.search(&name, 10).len(), 2);
        }
    }
}
