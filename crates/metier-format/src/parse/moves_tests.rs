use super::*;

fn edit(start: usize, end: usize, text: &str) -> Edit {
    Edit { span: Span::new(start, end), text: text.to_owned() }
}

/// `original` with `edits` made.
fn edited(original: &str, edits: &[Edit]) -> String {
    let mut text = original.to_owned();
    for edit in edits.iter().rev() {
        text.replace_range(edit.span.range(), &edit.text);
    }
    text
}

/// Checks that `needle`, found in the edited text, is moved to `expect` in the original.
#[track_caller]
fn check(original: &str, edits: &[Edit], needle: &str, expect: &str) {
    let text = edited(original, edits);
    let start = text.find(needle).expect(needle);
    let moved = Moves::of(edits).span(Span::new(start, start + needle.len()));
    assert_eq!(&original[moved.range()], expect);
}

#[test]
fn places_outside_edits_keep_their_text() {
    // F3
    let original = "a: b: c\nd: [e] f\ng: h\n";
    let edits = [edit(3, 7, "\"b: c\""), edit(11, 16, "\"[e] f\"")];
    for needle in ["a", "d", "g", "h", "g: h"] {
        check(original, &edits, needle, needle);
    }
}

#[test]
fn a_place_inside_an_edit_is_all_that_was_replaced() {
    // F3
    let original = "a: b: c\nd: [e] f\ng: h\n";
    let edits = [edit(3, 7, "\"b: c\""), edit(11, 16, "\"[e] f\"")];
    check(original, &edits, "\"b: c\"", "b: c");
    check(original, &edits, "b:", "b: c");
    check(original, &edits, "\"[e] f\"", "[e] f");
    check(original, &edits, "a: \"b: c\"", "a: b: c");
}

#[test]
fn insertions_and_deletions_move_what_follows() {
    // F3
    let original = "ab cd ef";
    let insertion = [edit(3, 3, "xx")];
    check(original, &insertion, "cd", "cd");
    check(original, &insertion, "ab", "ab");
    check(original, &insertion, "xx", "");
    let deletion = [edit(0, 3, "")];
    check(original, &deletion, "cd", "ab cd");
    check(original, &deletion, "ef", "ef");
}

#[test]
fn without_edits_nothing_moves() {
    // F3
    check("abc", &[], "b", "b");
}
