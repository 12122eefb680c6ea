use super::{Table, Tone, Ui, counted, shorten, wrap};

#[test]
fn text_is_cut_to_the_columns_it_takes_on_screen() {
    // U1
    let check = |text: &str, width: usize, expect: &str| assert_eq!(shorten(text, width), expect);
    check("short", 10, "short");
    check("exactly-10", 10, "exactly-10");
    check("one more than", 10, "one more…");
    check("漢字漢字漢字", 7, "漢字漢…");
    check("漢字", 3, "漢…");
    check("anything", 1, "…");
    check("anything", 0, "");
}

#[test]
fn words_wrap_at_the_width_and_long_ones_stay_whole() {
    // U1
    let check = |text: &str, width: Option<usize>, expect: &[&str]| {
        assert_eq!(wrap(text, width), expect);
    };
    check("a b c", None, &["a b c"]);
    check("aa bb cc", Some(5), &["aa bb", "cc"]);
    check("incomprehensible x", Some(5), &["incomprehensible", "x"]);
    check("one\ntwo three", Some(9), &["one", "two three"]);
}

fn render(columns: Option<usize>, paint: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    sample().render(columns, &mut out, |_, text, out| out.push_str(&paint(text)));
    out
}

fn sample() -> Table {
    let mut table = Table::default();
    table.row([(Some(Tone::Strong), "a".to_owned()), (None, "the first of them".to_owned())]);
    table.row([(Some(Tone::Strong), "longer".to_owned()), (None, "second".to_owned())]);
    table.row([(None, String::new()), (None, "third".to_owned())]);
    table
}

#[test]
fn a_table_aligns_and_leaves_nothing_out_without_a_terminal() {
    // U1
    let text = render(None, str::to_owned);
    assert_eq!(text, "a       the first of them\nlonger  second\n        third\n");
}

#[test]
fn a_table_cuts_its_last_column_to_the_terminal_and_puts_it_below_where_it_is_narrow() {
    // U1
    let mut table = sample();
    table.row([(None, "b".to_owned()), (None, "the last of all of them".to_owned())]);
    let render = |columns: usize| {
        let mut out = String::new();
        table.render(Some(columns), &mut out, |_, text, out| out.push_str(text));
        out
    };
    let beside =
        "a       the first of them\nlonger  second\n        third\nb       the last of all of t…\n";
    assert_eq!(render(29), beside);
    let below =
        "a\n    the first of them\nlonger\n    second\n    third\nb\n    the last of all of t…\n";
    assert_eq!(render(25), below);
    assert!(render(1).starts_with("a\n"));
}

#[test]
fn a_whole_table_breaks_its_last_column_and_cuts_nothing() {
    // U1
    let mut table = Table::whole();
    let cell = |text: &str| (None, text.to_owned());
    table.row([cell("failed"), cell("pdf"), cell("no description is there at all")]);
    let render = |columns: usize| {
        let mut out = String::new();
        table.render(Some(columns), &mut out, |_, text, out| out.push_str(text));
        out
    };
    assert_eq!(render(80), "failed  pdf  no description is there at all\n");
    assert_eq!(render(34), "failed  pdf  no description is\n             there at all\n");
    assert_eq!(render(20), "failed  pdf\n    no description\n    is there at all\n");
    assert_eq!(
        render(8),
        "failed\n  pdf\n    no\n    description\n    is\n    there\n    at\n    all\n"
    );
}

#[test]
fn an_item_goes_on_further_in() {
    // U1
    let mut ui = Ui::plain(Some(26));
    ui.item("one two three four five six seven", 2);
    assert_eq!(ui.output(), "  one two three four\n    five six seven\n");
}

#[test]
fn colour_surrounds_text_and_never_counts_as_width() {
    // U1
    let text = render(None, |text| format!("<{text}>"));
    assert_eq!(text.lines().next(), Some("<a>       the first of them"));
}

#[test]
fn a_ui_without_colour_paints_nothing() {
    // U1
    let ui = Ui::plain(None);
    assert_eq!(ui.paint(Tone::Bad, "x"), "x");
}

#[test]
fn numbers_agree_with_their_nouns() {
    // U1
    assert_eq!(counted(0, "skill", "skills"), "0 skills");
    assert_eq!(counted(1, "skill", "skills"), "1 skill");
    assert_eq!(counted(2, "skill", "skills"), "2 skills");
}

#[test]
fn a_document_escapes_live_characters_and_comes_back_the_same() {
    // D5, U1
    let value = serde_json::json!({"d": "a\u{1b}[31m\u{9b}2J \u{202e}b\u{e0041} \"q\"", "k\u{200b}": ["é"]});
    let mut ui = Ui::plain(None);
    ui.document(&value);
    let live = |c: char| c != '\n' && metier_format::text::is_live(c);
    assert!(!ui.output().contains(live), "{}", ui.output());
    let back: serde_json::Value = serde_json::from_str(ui.output()).unwrap();
    assert_eq!(back, value);
}
