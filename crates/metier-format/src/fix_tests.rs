use proptest::prelude::*;

use super::{Fixed, apply, settle};
use crate::diagnostic::{Code, Diagnostic, Edit};
use crate::lint::{self, Surroundings};
use crate::parse::{Parsed, parse};
use crate::span::Span;
use crate::text;

fn finding(edits: &[(usize, usize, &str)]) -> Diagnostic {
    let edit = |(start, end, text): &(usize, usize, &str)| Edit {
        span: Span { start: u32::try_from(*start).unwrap(), end: u32::try_from(*end).unwrap() },
        text: (*text).to_owned(),
    };
    Diagnostic::new(Code::CoercedScalar, "x").fix(edits.iter().map(edit).collect())
}

fn check(before: &str, findings: &[Diagnostic], after: &str, applied: &[usize], skipped: &[usize]) {
    let expected =
        Fixed { bytes: after.into(), applied: applied.to_vec(), skipped: skipped.to_vec() };
    assert_eq!(apply(before.as_bytes(), findings), expected, "{before:?}");
}

#[test]
fn edits_replace_insert_and_delete_and_leave_the_rest() {
    // F5
    let findings = [finding(&[(1, 2, "B")]), finding(&[(3, 3, "--")]), finding(&[(5, 6, "")])];
    check("abcdef!", &findings, "aBc--de!", &[0, 1, 2], &[]);
    check("same\r\n\t\u{feff}", &[], "same\r\n\t\u{feff}", &[], &[]);
    check("x", &[finding(&[(1, 1, "y")])], "xy", &[0], &[]);
}

#[test]
fn overlapping_repairs_wait_for_the_next_round() {
    // F5
    check("abcdef", &[finding(&[(2, 4, "")]), finding(&[(0, 3, "")])], "def", &[1], &[0]);
    check("abcdef", &[finding(&[(2, 2, "1")]), finding(&[(2, 2, "2")])], "ab1cdef", &[0], &[1]);
    check("abcdef", &[finding(&[(0, 2, "")]), finding(&[(2, 2, "2")])], "cdef", &[0], &[1]);
    check("abcdef", &[finding(&[(1, 5, "")]), finding(&[(2, 3, "")])], "af", &[0], &[1]);
}

#[test]
fn the_edits_of_one_finding_go_together_or_not_at_all() {
    // F5
    let both = finding(&[(0, 0, "\""), (3, 3, "\"")]);
    check("abc", std::slice::from_ref(&both), "\"abc\"", &[0], &[]);
    check("abc", &[finding(&[(0, 1, "A")]), both.clone()], "Abc", &[0], &[1]);
    check("ab", &[both], "ab", &[], &[0]);
    // A finding that gave up leaves its places free.
    let first = finding(&[(0, 1, "A"), (9, 9, "!")]);
    check("abc", &[first, finding(&[(0, 1, "B")])], "Bbc", &[1], &[0]);
}

#[test]
fn edits_that_do_not_fit_are_left_out() {
    // F4, F5
    check("aé", &[finding(&[(2, 3, "")])], "aé", &[], &[0]);
    check("a", &[finding(&[(0, 9, "")])], "a", &[], &[0]);
    check("abc", &[finding(&[(2, 1, "")])], "abc", &[], &[0]);
    check("abc", &[finding(&[(u32::MAX as usize, u32::MAX as usize, "")])], "abc", &[], &[0]);
}

#[test]
fn a_repair_that_would_change_the_skill_is_left_out_and_the_others_are_made() {
    // F5
    let text = "---\nname: sort-ledger\ndescription: Sorts ledgers.\n---\nBody\n";
    let at = |needle: &str| text.find(needle).unwrap();
    let rename = finding(&[(at("sort-ledger"), at("sort-ledger") + 4, "rank")]);
    let reword = finding(&[(at("Sorts"), at("Sorts") + 5, "Ranks")]);
    let unfence = finding(&[(at("---\nBody"), at("---\nBody") + 3, "")]);
    let harmless = finding(&[(at("Body"), at("Body") + 4, "Text")]);
    let after = text.replace("Body", "Text");
    check(text, &[rename, reword, unfence, harmless], &after, &[3], &[0, 1, 2]);
}

#[test]
fn rounds_go_on_until_nothing_is_left() {
    // F5: two repairs of one place take two rounds.
    let find = |bytes: &[u8]| match bytes {
        b"ab" => vec![finding(&[(0, 1, "A")]), finding(&[(0, 2, "X")])],
        b"Ab" => vec![finding(&[(0, 2, "X")])],
        _ => Vec::new(),
    };
    let settled = settle(b"ab", find);
    assert_eq!((settled.bytes.as_slice(), settled.applied.len()), (b"X".as_slice(), 2));
}

#[test]
fn repairs_that_undo_each_other_end() {
    // F4, F5
    let flip = |bytes: &[u8]| vec![finding(&[(0, 1, if bytes == b"a" { "b" } else { "a" })])];
    assert_eq!(settle(b"a", flip).applied.len(), crate::limits::MAX_FIX_ROUNDS);
}

#[test]
fn a_skill_is_repaired_and_nothing_else_in_it_moves() {
    // F5
    let text = "---\r\nname: sort-ledger\r\n# kept\ndescription:   Sorts led\u{200b}gers by date. Use when asked.\n---\n\nBo\u{200b}dy \u{2060}# x\n\two\u{202e}rd\n";
    let settled = settle(text.as_bytes(), |bytes| everything(bytes).1);
    let expected = text.replace("led\u{200b}gers", "ledgers").replace("wo\u{202e}rd", "word");
    assert_eq!(String::from_utf8_lossy(&settled.bytes), expected);
}

fn everything(bytes: &[u8]) -> (Parsed, Vec<Diagnostic>) {
    let parsed = parse(bytes, None);
    let all = lint::everything(bytes, &parsed, &Surroundings::default());
    (parsed, all)
}

/// Frontmatter with what gets repaired, in places where a careless repair would do harm.
fn skill_text() -> impl Strategy<Value = String> {
    let value = prop::sample::select(vec![
        "1.10",
        "yes",
        "2024-01-01",
        "12:30",
        "~",
        "Sorts ledgers",
        "Use for: ledgers",
        "\"quoted\"",
        "'it''s'",
        "a # b",
        "[a, b]",
        "- x",
        "wo\u{200b}rd",
        "a\u{202e}b",
        "\u{200b}",
        "-\u{200b}--",
        ">",
        "\"a\" b",
        "@x",
        "true",
        "Read, Bash(a b)",
    ]);
    let key = prop::sample::select(vec![
        "name",
        "description",
        "version",
        "license",
        "allowed-tools",
        "allowed_tools",
        "compatibility",
        "author",
        "x",
        "disable-model-invocation",
    ]);
    let line = (key, value.clone()).prop_map(|(key, value)| format!("{key}: {value}\n"));
    let body = prop::collection::vec(value, 0..6).prop_map(|words| words.join("\n"));
    let lines = prop::collection::vec(line, 0..5).prop_map(|lines| lines.concat());
    (lines, body, prop::bool::weighted(0.8)).prop_map(|(lines, body, sound)| {
        let head = if sound {
            "name: sort-ledger\ndescription: Sorts led\u{200b}gers. Use when: asked\n"
        } else {
            ""
        };
        format!("---\n{head}{lines}---\n{body}")
    })
}

proptest! {
    #[test]
    fn repairs_never_cost_a_skill_its_name_or_description(text in skill_text()) {
        // F5
        let (before, _) = everything(text.as_bytes());
        let settled = settle(text.as_bytes(), |bytes| everything(bytes).1);
        let (after, left) = everything(&settled.bytes);
        if let Some(before) = before.manifest {
            let after = after.manifest.expect("a skill that loaded still loads");
            let shown = |t: &str| -> String { t.chars().filter(|c| !text::is_hidden(*c)).collect() };
            prop_assert_eq!(&*before.name, &*after.name);
            prop_assert_eq!(shown(&before.description), shown(&after.description));
        }
        // Settled means settled: one more round changes nothing.
        prop_assert_eq!(apply(&settled.bytes, &left).bytes, settled.bytes);
    }

    #[test]
    fn any_edits_give_the_bytes_outside_them_back(
        text in "[a-zé\u{200b}\n]{0,30}",
        spans in prop::collection::vec((0usize..40, 0usize..40, "[A-Z]{0,3}"), 0..6),
    ) {
        // F4, F5
        let findings: Vec<Diagnostic> =
            spans.iter().map(|(start, end, text)| finding(&[(*start, *end, text)])).collect();
        let fixed = apply(text.as_bytes(), &findings);
        let mut rest = fixed.applied.iter().map(|i| findings[*i].fix[0].clone()).collect::<Vec<_>>();
        rest.sort_by_key(|edit| std::cmp::Reverse(edit.span));
        let mut expected = text.into_bytes();
        for edit in rest {
            expected.splice(edit.span.range(), edit.text.into_bytes());
        }
        prop_assert_eq!(fixed.bytes, expected);
        prop_assert_eq!(fixed.applied.len() + fixed.skipped.len(), findings.len());
    }
}
