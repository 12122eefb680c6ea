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
fn a_table_cuts_its_last_column_to_the_terminal_and_no_further_than_readable() {
    // U1
    let text = render(Some(22), str::to_owned);
    assert_eq!(text, "a       the first of…\nlonger  second\n        third\n");
    let narrow = render(Some(1), str::to_owned);
    assert!(narrow.starts_with("a       the first o…\n"), "{narrow}");
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
