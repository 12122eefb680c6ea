use insta::assert_snapshot;
use proptest::prelude::*;

use super::super::{Color, FileReport};
use super::human;
use crate::diagnostic::{Code, Diagnostic, Edit, Mode};
use crate::span::Span;
use crate::text;

/// A report on one file with one finding at what stands between `[[` and `]]`.
fn show(code: Code, message: &str, source: &str) -> String {
    let start = source.find("[[").expect("start");
    let end = source.find("]]").expect("end") - 2;
    let source = source.replacen("[[", "", 1).replacen("]]", "", 1).into_bytes();
    let finding = Diagnostic::new(code, message).at(&source, Span::new(start, end));
    render(vec![finding], source)
}

fn render(diagnostics: Vec<Diagnostic>, source: Vec<u8>) -> String {
    let file = FileReport { path: "skills/sort/SKILL.md".to_owned(), source, diagnostics };
    let shown = human(&[file], Mode::Strict, Color::Plain);
    assert!(!shown.chars().any(text::is_live), "{shown:?}");
    shown
}

#[test]
fn an_error_shows_its_line() {
    // F3: NameNotLowercase
    let source = "---\nname: [[Sort]]\ndescription: Sorts.\n---\n";
    assert_snapshot!(show(Code::NameNotLowercase, "`Sort` is not lowercase", source), @r#"
    error[SK104]: `Sort` is not lowercase
     --> skills/sort/SKILL.md:2:7
      |
    2 | name: Sort
      |       ^^^^
      |
      = help: use lowercase letters, digits and single hyphens

    1 error in 1 file
    "#);
}

#[test]
fn advice_is_called_advice() {
    // F3: DescriptionVague
    let source = "---\nname: sort\ndescription: [[Helps]]\n---\n";
    assert_snapshot!(show(Code::DescriptionVague, "The description says too little", source), @r#"
    advice[SK203]: The description says too little
     --> skills/sort/SKILL.md:3:14
      |
    3 | description: Helps
      |              ^^^^^
      |
      = help: say what the skill does, with the words a user would type

    1 piece of advice in 1 file
    "#);
}

#[test]
fn an_unclosed_frontmatter_is_marked_at_its_fence() {
    // F3: UnclosedFrontmatter
    assert_snapshot!(show(Code::UnclosedFrontmatter, "The frontmatter is never closed", "[[---]]\nname: a"), @r#"
    error[SK011]: The frontmatter is never closed
     --> skills/sort/SKILL.md:1:1
      |
    1 | ---
      | ^^^
      |
      = help: end the frontmatter with a line `---`

    1 error in 1 file
    "#);
}

#[test]
fn a_place_at_the_end_of_the_file_is_shown() {
    // F3: EmptyBody
    assert_snapshot!(show(Code::EmptyBody, "The body is empty", "---\nname: a\n---\n[[]]"), @r#"
    advice[SK212]: The body is empty
     --> skills/sort/SKILL.md:4:1
      |
    4 |
      | ^
      |
      = help: tell the agent what to do

    1 piece of advice in 1 file
    "#);
}

#[test]
fn a_span_over_lines_is_drawn_along_them() {
    // F3: DescriptionTooLong
    let source = "---\ndescription: [[>\n  one\n  two\n  three\n  four]]\n---\n";
    assert_snapshot!(show(Code::DescriptionTooLong, "`description` is too long", source), @r#"
    error[SK113]: `description` is too long
     --> skills/sort/SKILL.md:2:14
      |
    2 |   description: >
      |  ______________^
    3 | |   one
    4 | |   two
      | |_____^
      |
      = help: move detail to the body

    1 error in 1 file
    "#);
}

#[test]
fn a_dead_link_far_into_the_file_keeps_its_number() {
    // F3: DeadLink
    let source = format!("{}See [a]([[gone.md]]).\n", "\n".repeat(1233));
    assert_snapshot!(show(Code::DeadLink, "The link points to `gone.md`, which does not exist", &source), @r#"
    warning[SK205]: The link points to `gone.md`, which does not exist
        --> skills/sort/SKILL.md:1234:9
         |
    1234 | See [a](gone.md).
         |         ^^^^^^^

    1 warning in 1 file
    "#);
}

#[test]
fn hidden_characters_are_written_out_and_counted_as_one() {
    // F3: HiddenUnicode
    let source = "a\u{202e}b [[\u{200b}\u{200b}]] c\u{1b}[31m\n";
    assert_snapshot!(show(Code::HiddenUnicode, "Hidden: U+200B", source), @r#"
    error[SK209]: Hidden: U+200B
     --> skills/sort/SKILL.md:1:5
      |
    1 | a\u{202e}b \u{200b}\u{200b} c\u{1b}[31m
      |            ^^^^^^^^^^^^^^^^
      |
      = help: remove the characters

    1 error in 1 file
    "#);
}

#[test]
fn a_long_line_is_cut_around_the_place() {
    // F3: PathLeavesSkill
    let source = format!("{}[[../x]]{}\n", "é".repeat(50_000), "x".repeat(50_000));
    assert_snapshot!(show(Code::PathLeavesSkill, "The link `../x` leaves", &source), @r#"
    warning[SK208]: The link `../x` leaves
     --> skills/sort/SKILL.md:1:50001
      |
    1 | …éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé../xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
      |                                                              ^^^^
      |
      = help: keep what the skill needs inside its directory

    1 warning in 1 file
    "#);
}

#[test]
fn tabs_and_wide_characters_keep_the_mark_in_place() {
    // F3: FieldValue
    assert_snapshot!(show(Code::FieldValue, "Odd", "\tcontext:\t技能 [[sideways]]\n"), @r#"
    error[SK143]: Odd
     --> skills/sort/SKILL.md:1:14
      |
    1 |     context:    技能 sideways
      |                      ^^^^^^^^

    1 error in 1 file
    "#);
}

#[test]
fn bytes_that_are_no_text_are_shown_as_numbers() {
    // F3: NotUtf8
    let source = b"name: \xff\xfe ok\n".to_vec();
    let finding = Diagnostic::new(Code::NotUtf8, "Not UTF-8").at(&source, Span::new(6, 7));
    assert_snapshot!(render(vec![finding], source), @r#"
    error[SK001]: Not UTF-8
     --> skills/sort/SKILL.md:1:7
      |
    1 | name: \xff\xfe ok
      |       ^^^^
      |
      = help: save the file as UTF-8

    1 error in 1 file
    "#);
}

#[test]
fn a_finding_about_no_place_names_the_file() {
    // F3: UnreferencedFile
    let finding = Diagnostic::new(Code::UnreferencedFile, "`a.md` is never mentioned");
    assert_snapshot!(render(vec![finding], b"x".to_vec()), @r#"
    advice[SK207]: `a.md` is never mentioned
    --> skills/sort/SKILL.md
     = help: mention it in the body, or remove it

    1 piece of advice in 1 file
    "#);
}

#[test]
fn a_file_that_could_not_be_read_has_no_line_to_show() {
    // F3: Unreadable
    let finding = Diagnostic::new(Code::Unreadable, "SKILL.md cannot be read: permission denied");
    assert_snapshot!(render(vec![finding], Vec::new()), @r#"
    error[SK305]: SKILL.md cannot be read: permission denied
    --> skills/sort/SKILL.md

    1 error in 1 file
    "#);
}

#[test]
fn messages_helps_and_paths_are_made_safe_too() {
    // F3, F4
    let finding = Diagnostic::new(Code::FieldValue, "a\u{1b}[31m\nb").help("c\u{202e}d\n\ne");
    let path = "skills/\u{1b}]0;x\u{7}/SKILL.md".to_owned();
    let file = FileReport { path, source: Vec::new(), diagnostics: vec![finding] };
    let shown = human(&[file], Mode::Strict, Color::Plain);
    assert!(!shown.chars().any(text::is_live));
    assert_snapshot!(shown, @r#"
    error[SK143]: a\u{1b}[31m b
    --> skills/\u{1b}]0;x\u{7}/SKILL.md
     = help: c\u{202e}d e

    1 error in 1 file
    "#);
}

#[test]
fn the_last_line_counts() {
    // F3, U1
    let report = |codes: &[Code]| FileReport {
        diagnostics: codes.iter().map(|code| Diagnostic::new(*code, "x")).collect(),
        ..FileReport::default()
    };
    let last = |files: &[FileReport], mode| {
        human(files, mode, Color::Plain).lines().last().unwrap_or_default().to_owned()
    };
    let mixed = report(&[Code::NameMissing, Code::NameMissing, Code::DeadLink, Code::EmptyBody]);
    let clean = report(&[]);
    assert_eq!(last(&[], Mode::Strict), "No findings in 0 files");
    assert_eq!(last(std::slice::from_ref(&clean), Mode::Strict), "No findings in 1 file");
    assert_eq!(
        last(&[mixed, clean], Mode::Strict),
        "2 errors, 1 warning, 1 piece of advice in 2 files"
    );
    let mut fixable = report(&[Code::UnknownField]);
    fixable.diagnostics[0].fix = vec![Edit { span: Span::at(0), text: String::new() }];
    assert_eq!(
        last(std::slice::from_ref(&fixable), Mode::Strict),
        "1 error in 1 file; 1 can be repaired with `metier lint --fix`"
    );
    assert_eq!(
        last(&[fixable], Mode::Lenient),
        "1 piece of advice in 1 file; 1 can be repaired with `metier lint --fix`"
    );
}

/// `text` without colour escapes.
fn plain(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[test]
fn colours_add_nothing_but_colour() {
    // F3
    let source = b"---\nname: Sort\n---\n".to_vec();
    let finding = Diagnostic::new(Code::NameNotLowercase, "x").at(&source, Span::new(10, 14));
    let file = FileReport { path: "a".to_owned(), source, diagnostics: vec![finding] };
    let files = [file];
    let colored = human(&files, Mode::Strict, Color::Ansi);
    assert!(colored.contains("\u{1b}["));
    let trimmed = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    assert_eq!(trimmed(&plain(&colored)), trimmed(&human(&files, Mode::Strict, Color::Plain)));
}

proptest! {
    #[test]
    fn any_bytes_and_any_span_are_shown_without_harm(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        words in "\\PC{0,40}",
        start in 0u32..400,
        end in 0u32..400,
    ) {
        // F3, F4
        let mut source = bytes;
        source.extend_from_slice(words.as_bytes());
        let finding = Diagnostic::new(Code::FieldValue, words).at(&source, Span::at(start as usize));
        let finding = Diagnostic { span: Some(Span { start, end }), ..finding };
        render(vec![finding], source);
    }
}
