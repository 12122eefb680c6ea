use super::{FILLER, Words, opens_with_trigger};
use crate::diagnostic::Code;
use crate::lint::{Surroundings, lint};
use crate::parse::parse;

fn codes(description: &str) -> Vec<Code> {
    let text = format!("---\nname: a\ndescription: {description}\n---\nBody.\n");
    let parsed = parse(text.as_bytes(), None);
    lint(text.as_bytes(), &parsed, &Surroundings::default()).into_iter().map(|d| d.code).collect()
}

fn check(description: &str, expected: &[Code]) {
    assert_eq!(codes(description), expected, "{description:?}");
}

#[test]
fn descriptions_that_say_too_little_are_vague() {
    // F5: DescriptionVague
    for vague in [
        "Helps with stuff",
        "A useful skill for various tasks",
        "PDF tools",
        "Does things with PDF files",
        "This is my skill. Use when you want to use it.",
        "技能",
    ] {
        check(vague, &[Code::DescriptionVague]);
    }
    for clear in [
        "Sort, merge and rotate PDF files. Use when a PDF is mentioned",
        "处理 PDF 文件的技能，用于合并与拆分文档",
        "Сортирует бухгалтерские книги по дате и счёту",
    ] {
        check(clear, &[]);
    }
}

#[test]
fn descriptions_should_say_when_in_one_way_or_another() {
    // F5: DescriptionNoTrigger
    check("Sorts ledgers by date, account and amount", &[Code::DescriptionNoTrigger]);
    check("Sorts unused ledgers because nobody whens", &[Code::DescriptionNoTrigger]);
    for phrase in [
        "Use when a ledger is unsorted",
        "Use this for unsorted ledgers",
        "use it on any ledger",
        "Should be used for ledgers",
        "Whenever ledgers are out of order",
        "Triggers: ledger, account",
        "Invoke after an import",
        "if a ledger is unsorted",
        "Ideal for accountants",
    ] {
        check(&format!("Sorts ledgers by date and account. {phrase}"), &[]);
    }
}

#[test]
fn angle_brackets_are_marked_where_they_stand() {
    // F5: DescriptionMarkup
    let text =
        "---\nname: a\ndescription: Sorts ledgers by <date> and account when asked\n---\nBody.\n";
    let parsed = parse(text.as_bytes(), None);
    let found = lint(text.as_bytes(), &parsed, &Surroundings::default());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code, Code::DescriptionMarkup);
    assert_eq!(found[0].span.map(|span| span.slice(text)), Some("<"));
}

#[test]
fn words_are_counted_by_what_they_say() {
    // F5
    assert!(FILLER.is_sorted() && FILLER.iter().all(|word| !word.is_empty()));
    assert_eq!(Words::of("Helps with stuff").content, 0);
    assert_eq!(Words::of("Don't panic, rotate pages").content, 4);
}

/// Everything that says when, as people write it.
const TRIGGERS: &str = "when|whenever|while|if|trigger|triggers|triggered|invoke|invoked|activate|\
    activates|activated|use for|use this|use it|use to|use in|use as|use before|use after|use during|\
    use proactively|use only|use immediately|used for|used to|used by|used in|should be used|\
    must be used|ideal for|intended for|applies to|before";

#[test]
fn every_way_to_say_when_counts_as_whole_words_only() {
    // F5
    for phrase in TRIGGERS.split('|') {
        assert!(opens_with_trigger(phrase), "{phrase}");
        assert!(opens_with_trigger(&format!("{phrase} a ledger ")), "{phrase}");
        assert!(!opens_with_trigger(&format!("{phrase}x a ledger")), "{phrase}");
        assert!(Words::of(&format!("Sorts ledgers, {phrase} asked")).has_trigger(), "{phrase}");
        assert!(
            !Words::of(&format!("Sorts x{phrase} asked")).spaced.contains(&format!(" {phrase} "))
        );
    }
    for other in ["", "use", "use a", "used", "should be", "should", "ideal", "applies", "must use"]
    {
        assert!(!opens_with_trigger(other), "{other}");
    }
}
