use proptest::prelude::*;

use super::{Neighbour, Surroundings, everything, lint};
use crate::diagnostic::{Code, Diagnostic, Mode, Severity};
use crate::limits::{MAX_DIAGNOSTICS, MAX_FILE_BYTES, MAX_MARKDOWN_BYTES};
use crate::parse::{Parsed, parse};
use crate::span::Position;

const HEAD: &str = "---\nname: sort-ledger\ndescription: Sorts a ledger by date and account. Use when a ledger is out of order.\n---\n";

fn files(paths: &[&str]) -> Vec<Neighbour> {
    let neighbour = |path: &&str| Neighbour {
        path: path.trim_end_matches('/').to_owned(),
        directory: path.ends_with('/'),
    };
    paths.iter().map(neighbour).collect()
}

fn findings(text: &str, paths: Option<&[&str]>) -> Vec<Diagnostic> {
    let parsed = parse(text.as_bytes(), None);
    let files = paths.map(files);
    lint(text.as_bytes(), &parsed, &Surroundings { files: files.as_deref(), body_tokens: None })
}

/// `CODE line:column marked text`, one a finding.
fn summary(text: &str, found: &[Diagnostic]) -> Vec<String> {
    found
        .iter()
        .map(|d| match (d.span, d.position) {
            (Some(span), Some(Position { line, column })) => {
                format!("{} {line}:{column} {}", d.code.as_str(), span.slice(text))
            }
            _ => format!("{} {}", d.code.as_str(), d.message),
        })
        .collect()
}

/// Lints a sound frontmatter (four lines) with `body` behind it.
fn check(body: &str, paths: &[&str], expected: &[&str]) {
    let text = format!("{HEAD}{body}");
    let found = findings(&text, Some(paths));
    assert_eq!(summary(&text, &found), expected, "{body:?} with {paths:?}");
}

fn check_help(body: &str, paths: &[&str], help: &str) {
    let text = format!("{HEAD}{body}");
    let found = findings(&text, Some(paths));
    assert_eq!(found[0].help.as_deref(), Some(help), "{body:?} with {paths:?}");
}

#[test]
fn a_sound_skill_gets_no_advice() {
    // F5
    check("# Sort\n\nSee [the guide](references/guide.md).\n", &["references/guide.md"], &[]);
}

#[test]
fn what_lies_past_the_bound_of_a_huge_body_is_said_and_not_guessed_at() {
    // F4, F5: BodyTooManyTokens
    let text =
        |filler: usize| format!("{HEAD}[a](gone.md)\n{}[b](lost.md)\n", "é\n".repeat(filler));
    let marked = |text: &str, code: Code| -> Vec<String> {
        let found = findings(text, Some(&["references/guide.md"]));
        let spans = found.iter().filter(|d| d.code == code).map(|d| d.span);
        spans.map(|span| span.map_or(String::new(), |s| s.slice(text).to_owned())).collect()
    };
    let small = text(400);
    assert_eq!(marked(&small, Code::DeadLink), ["gone.md", "lost.md"]);
    assert_eq!(marked(&small, Code::UnreferencedFile).len(), 1);
    let huge = text(MAX_MARKDOWN_BYTES / 3);
    assert_eq!(marked(&huge, Code::DeadLink), ["gone.md"]);
    assert_eq!(marked(&huge, Code::UnreferencedFile).len(), 0);
    let found = findings(&huge, None);
    assert!(found.iter().any(|d| d.message.ends_with("in the first 1048576")), "{found:?}");
}

#[test]
fn an_empty_body_is_told() {
    // F5: EmptyBody
    check("", &[], &["SK212 5:1 "]);
    check("\n  \n", &[], &["SK212 5:1 "]);
}

#[test]
fn a_long_body_is_told_at_the_first_line_too_many() {
    // F5: BodyTooManyLines
    check(&"x\n".repeat(500), &[], &[]);
    check(&"x\n".repeat(502), &[], &["SK201 505:1 x"]);
    check(&"\r\n".repeat(500).replace("\r\n", "x\r\n"), &[], &[]);
}

#[test]
fn a_body_of_many_tokens_is_told_exactly_or_about() {
    // F5: BodyTooManyTokens
    let text = format!("{HEAD}{}", "word ".repeat(4001));
    let parsed = parse(text.as_bytes(), None);
    let told = |body_tokens| -> Vec<String> {
        let around = Surroundings { files: None, body_tokens };
        lint(text.as_bytes(), &parsed, &around).into_iter().map(|d| d.message).collect()
    };
    assert_eq!(told(None), ["The body has about 5001 tokens, more than 5000"]);
    assert_eq!(told(Some(6000)), ["The body has 6000 tokens, more than 5000"]);
    assert_eq!(told(Some(5000)), [""; 0]);
}

#[test]
fn links_to_nothing_are_dead() {
    // F5: DeadLink
    let have = &["references/guide.md", "references/a b.md", "assets/", "LICENSE"];
    let fine = [
        "[a](references/guide.md) [b](./references/guide.md#part) [c](references/guide.md?x=1)",
        "[a](<references/a b.md>) [b](references/a%20b.md) [dir](references/) [here](.) [up](assets/..)",
        "[a](https://example.org/x.md) [b](mailto:a@example.org) [c](#part) [d](//example.org/x) [e]()",
        "`[a](gone.md)` and\n\n```\n[a](gone.md)\n```\n\n    [a](gone.md)\n",
        "[a](path/to/file.md) [b](<file>.md) [c]({{url}}) [d](url) [e](references/*.md) [f](...)",
        "call table[key](value) and [^1]\n\n[^1]: gone.md",
        "[self](SKILL.md) <https://example.org>",
    ];
    for body in fine {
        let quiet = format!("{body} references/ `assets`");
        check(&quiet, have, &[]);
    }
    let mention = "references/ assets/\n";
    check(&format!("[a](gone.md)\n{mention}"), have, &["SK205 5:5 gone.md"]);
    check(
        &format!("![a](img/gone%20one.png \"t\")\n{mention}"),
        have,
        &["SK205 5:6 img/gone%20one.png"],
    );
    check(&format!("[a][b] [c][b]\n\n[b]: gone.md\n\n{mention}"), have, &["SK205 7:6 gone.md"]);
    check(&format!("[gone.md](gone.md)\n{mention}"), have, &["SK205 5:11 gone.md"]);
    check(&format!("[a](NOTICE)\n{mention}"), have, &["SK205 5:5 NOTICE"]);
}

#[test]
fn a_dead_link_says_what_was_probably_meant() {
    // F5: DeadLink
    let have = &["references/Guide.md", "references/forms.md", "assets/logo.png"];
    check_help("[a](references/guide.md)", have, "the file is spelled `references/Guide.md`");
    check_help("[a](reference/forms.md)", have, "did you mean `references/forms.md`?");
    check_help("[a](logo.png)", have, "did you mean `assets/logo.png`?");
    check_help("[a](references/froms.md)", have, "did you mean `references/forms.md`?");
    check_help("[a](references\\forms.md)", have, "write `references/forms.md`, with `/`");
    check_help("[a](other/elsewhere.txt)", have, "add the file, or correct the link");
}

#[test]
fn links_out_of_the_skill_are_told_without_knowing_its_files() {
    // F5: PathLeavesSkill
    let body = "[a](../x.md) [b](references/../../x.md) [c](/etc/passwd) [d](C:\\x) [e](file:///x) [f](~/x)";
    let text = format!("{HEAD}{body}");
    let found = findings(&text, None);
    assert!(found.iter().all(|d| d.code == Code::PathLeavesSkill), "{found:?}");
    assert_eq!(found.len(), 6);
    check_help(
        "[a](../other/SKILL.md#x)",
        &[],
        "name the other skill instead; it may be installed elsewhere",
    );
    check("[a](references/../SKILL.md)", &[], &[]);
}

#[test]
fn paths_in_code_must_exist() {
    // F5: MissingScript
    let have = &["scripts/run.py", "references/guide.md", "tools/x.sh"];
    let quiet = "scripts/ references/ tools/\n";
    check(&format!("`python scripts/gone.py --x`\n{quiet}"), have, &["SK206 5:9 scripts/gone.py"]);
    check(
        &format!("```sh\nbash ./scripts/gone.sh\n${{SKILL_DIR}}/scripts/other.sh\n```\n{quiet}"),
        have,
        &["SK206 6:8 scripts/gone.sh", "SK206 7:14 scripts/other.sh"],
    );
    check(
        &format!("`references/gone.md` `tools/gone.sh`\n{quiet}"),
        have,
        &["SK206 5:2 references/gone.md", "SK206 5:23 tools/gone.sh"],
    );
    check(
        &format!("`scripts/gone.py` and again `scripts/gone.py`\n{quiet}"),
        have,
        &["SK206 5:2 scripts/gone.py"],
    );
    check_help("`scripts/Run.py` tools/ references/", have, "the file is spelled `scripts/run.py`");
}

#[test]
fn examples_and_other_peoples_paths_are_let_go() {
    // F5: MissingScript
    for body in [
        "`scripts/run.py` `./scripts/run.py` `scripts/run.py:12` `scripts/run.py.`",
        "`scripts/<name>.py` `scripts/*.py` `scripts/{name}.py` `scripts/...` `scripts/$X.py` `scripts/[a].py`",
        "`scripts/your_script.py` `scripts/my-tool.sh` `scripts/example.py` `scripts/foo.sh` `scripts/x.py`",
        "`tools/call` `bin/rails` `scripts/run` `bin/setup.sh` `project/scripts/gone.py` `/abs/scripts/gone.py`",
        "For example, `scripts/rotate.py` turns pages.",
        "A `scripts/rotate.py` script would be helpful here.",
        "Plain scripts/gone.py in prose.",
    ] {
        check(&format!("{body} scripts/"), &["scripts/run.py"], &[]);
    }
}

#[test]
fn files_nobody_mentions_are_one_finding() {
    // F5: UnreferencedFile
    check("x", &["scripts/a.py"], &["SK207 `scripts/a.py` is never mentioned in SKILL.md"]);
    let many = [
        "assets/1.png",
        "assets/2.png",
        "assets/3.png",
        "assets/4.png",
        "assets/5.png",
        "assets/6.png",
        "extra.md",
    ];
    check(
        "x",
        &many,
        &[
            "SK207 `assets/1.png`, `assets/2.png`, `assets/3.png`, `assets/4.png`, `assets/5.png` and 2 more are never mentioned in SKILL.md",
        ],
    );
}

#[test]
fn a_mention_is_a_path_a_name_or_a_directory_above() {
    // F5: UnreferencedFile
    let have = &["scripts/check_all.py", "references/deep/guide.md", "assets/a b.png", "FORMS.md"];
    let all = "scripts/check_all.py references/deep/guide.md assets/ forms.md";
    check(all, have, &[]);
    check("Run check_all, see guide.md, `assets` and [f](FORMS.md).", have, &[]);
    check(
        "`python -m scripts.check_all`, `references/`, [a](assets/a%20b.png), FORMS.md.",
        have,
        &[],
    );
    check("scripts/*.py, references/deep/, \"a b.png\" and ./FORMS.md", have, &[]);
    check("my-skill/scripts/ references/deep/guide.md assets/ FORMS.md", have, &[]);
    check(
        "scripts/check_all.pyc references/ assets/ FORMS.md",
        have,
        &["SK207 `scripts/check_all.py` is never mentioned in SKILL.md"],
    );
}

#[test]
fn files_for_people_and_tools_need_no_mention() {
    // F5: UnreferencedFile
    let have = [
        "SKILL.md",
        "README.md",
        "LICENSE.txt",
        "CHANGELOG.md",
        "scripts/__init__.py",
        "scripts/lib/x.py",
        "scripts/test_a.py",
        "scripts/a_test.py",
        "scripts/utils.py",
        "scripts/_private.py",
        "scripts/uv.lock",
        "scripts/a.test.mjs",
        "assets/.gitkeep",
        "scripts/__pycache__/a.pyc",
        "evals/evals.json",
        "references/README.md",
    ];
    check("x", &have, &[]);
}

#[test]
fn hidden_characters_are_told_once_a_line_with_their_names() {
    // F5: HiddenUnicode
    let text = format!("{HEAD}a\u{200b}b\u{200b}c \u{202e}d\nplain\nx\u{e0068}\u{e0069}y\n");
    let found = findings(&text, None);
    let told: Vec<&str> = found.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        told,
        [
            "The line has hidden characters: U+200B zero width space (2 times), U+202E right-to-left override",
            "The line has hidden characters: 2 tag characters spelling `hi`",
        ]
    );
    assert_eq!(found[0].position, Some(Position { line: 5, column: 2 }));
    assert_eq!(found[1].position, Some(Position { line: 7, column: 2 }));
    assert_eq!(found[0].severity(Mode::Strict), Severity::Error);
}

#[test]
fn honest_uses_of_hidden_characters_are_no_findings() {
    // F5: HiddenUnicode
    for body in [
        "👩\u{200d}💻 👨\u{200d}👩\u{200d}👧 🏳\u{fe0f}\u{200d}🌈 ❤\u{fe0f} 1\u{fe0f}\u{20e3}",
        "می\u{200c}خواهم क्\u{200d}ष",
        "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
        "葛\u{e0100}飾 שלום\u{200f}!",
    ] {
        check(body, &[], &[]);
    }
    // A flag that is none, and a joiner between letters, are no honest uses.
    check("🏴\u{e0068}\u{e0069}\u{e007f}", &[], &["SK209 5:2 \u{e0068}\u{e0069}\u{e007f}"]);
    check("a\u{200d}b", &[], &["SK209 5:2 \u{200d}"]);
}

#[test]
fn hidden_characters_are_deleted_only_where_that_is_safe() {
    // F5: HiddenUnicode
    for (body, edits) in [
        ("a\u{200b}b", 1),
        ("a\u{200b}\u{2060}b c\u{200b} d", 2),
        ("word\u{200b}", 1),
        ("\u{200b}word", 1),
        ("\u{200b}1. one", 0),
        ("\u{200b}```", 0),
        ("# \u{200b}# x", 0),
        ("soft\u{ad}hyphen", 0),
        ("line\u{2028}line", 0),
        ("a\u{200b}b \u{200b}# x", 0),
    ] {
        let text = format!("{HEAD}{body}");
        let found = findings(&text, None);
        assert_eq!(found.len(), 1, "{body:?}");
        assert_eq!(found[0].fix.len(), edits, "{body:?}");
    }
}

#[test]
fn hidden_characters_in_the_frontmatter_are_told_and_kept_out_of_its_grammar() {
    // F5: HiddenUnicode
    let head = |description: &str, more: &str| {
        format!(
            "---\nname: sort-ledger\ndescription: {description}. Use when a ledger is unsorted by date.\n{more}---\nBody.\n"
        )
    };
    for (text, edits) in [
        (head("Sorts a led\u{200b}ger", ""), 1),
        (head("Sorts \u{200b}ledgers", ""), 0),
        (head("Sorts ledgers", "note: a\u{200b}b\n"), 0),
        (head("Sorts ledgers", "# \u{202e}comment\n"), 0),
    ] {
        let found = findings(&text, None);
        assert_eq!(found.len(), 1, "{text:?}: {found:?}");
        assert_eq!((found[0].code, found[0].fix.len()), (Code::HiddenUnicode, edits), "{text:?}");
    }
}

#[test]
fn a_byte_order_mark_at_the_start_is_not_hidden() {
    // F5: HiddenUnicode
    let text = "\u{feff}---\nname: a\n---\nx";
    assert!(lint(text.as_bytes(), &Parsed::default(), &Surroundings::default()).is_empty());
    let inside = "x\u{feff}y";
    let found = lint(inside.as_bytes(), &Parsed::default(), &Surroundings::default());
    assert_eq!(summary(inside, &found), ["SK209 1:2 \u{feff}"]);
    assert!(found[0].fix.is_empty(), "nothing is known about the file, so nothing is deleted");
}

#[test]
fn names_that_look_like_others_are_told() {
    // F5: ConfusableName
    let check = |name: &str, expected: Option<&str>| {
        let text = HEAD.replace("sort-ledger", name) + "Body.\n";
        let found = findings(&text, None);
        let told =
            found.iter().find(|d| d.code == Code::ConfusableName).map(|d| d.message.as_str());
        assert_eq!(told, expected, "{name}");
    };
    check("раураl", Some("`раураl` looks like `paypal`, which has other letters"));
    check("рdf-tools", Some("`рdf-tools` looks like `pdf-tools`, which has other letters"));
    check("жdf-tools", Some("`жdf-tools` mixes letters of scripts that look alike"));
    for fine in ["pdf-tools", "技能", "мой-навык", "café", "日本語-pdf", "straße"] {
        check(fine, None);
    }
}

#[test]
fn findings_come_in_file_order() {
    // F3
    let text = "---\nname: a\ndescription: Short <x>\n---\n[a](gone.md)\na\u{200b}b `scripts/gone.py`\n[b](../x)\n";
    let found = findings(text, Some(&["references/x.md"]));
    let codes: Vec<&str> = found.iter().map(|d| d.code.as_str()).collect();
    assert_eq!(codes, ["SK203", "SK213", "SK205", "SK209", "SK206", "SK208", "SK207"]);
    let lines: Vec<u32> = found.iter().filter_map(|d| Some(d.position?.line)).collect();
    assert_eq!(lines, [3, 3, 5, 6, 6, 7]);
}

#[test]
fn what_parsing_found_is_sorted_in() {
    // F3: NameNotLowercase stands before the hidden character, a file without a place last.
    let text = HEAD.replace("sort-ledger", "Sort-Ledger") + "a\u{200b}b\n";
    let mut parsed = parse(text.as_bytes(), None);
    parsed.diagnostics.push(Diagnostic::new(Code::NameNotDirectory, "x"));
    let found = everything(text.as_bytes(), &parsed, &Surroundings::default());
    let codes: Vec<Code> = found.iter().map(|d| d.code).collect();
    assert_eq!(codes, [Code::NameNotLowercase, Code::HiddenUnicode, Code::NameNotDirectory]);
}

#[test]
fn more_findings_than_anybody_reads_are_counted() {
    // F4: TooManyDiagnostics
    let text = format!("{HEAD}{}", "[a](../x) a\u{200b}b\n".repeat(5000));
    let parsed = parse(text.as_bytes(), None);
    let found = lint(text.as_bytes(), &parsed, &Surroundings::default());
    assert_eq!(found.len(), MAX_DIAGNOSTICS - parsed.diagnostics.len());
    let last = &found[found.len() - 1];
    assert_eq!(last.code, Code::TooManyDiagnostics);
    // Both kinds on every line, the size of the body twice, less those shown.
    let more = 10_002 - (found.len() - 1);
    assert_eq!(last.message, format!("{more} more findings are not shown"));
    let full = Parsed { diagnostics: vec![Diagnostic::new(Code::NameEmpty, ""); 300], ..parsed };
    assert_eq!(lint(text.as_bytes(), &full, &Surroundings::default()).len(), 1);
}

#[test]
fn what_is_not_text_gets_no_claims_about_what_it_lacks() {
    // F4
    let mut bytes = format!("{HEAD}a\u{200b}b\n").into_bytes();
    bytes.push(0xff);
    let parsed = Parsed { diagnostics: Vec::new(), ..parse(&bytes, None) };
    let files = files(&["scripts/a.py"]);
    let found = lint(&bytes, &parsed, &Surroundings { files: Some(&files), body_tokens: None });
    assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), [Code::HiddenUnicode]);
}

#[test]
fn a_file_too_large_to_load_is_not_read_to_its_end() {
    // F4
    let mut bytes = vec![b'x'; MAX_FILE_BYTES];
    bytes.extend_from_slice("\u{202e}".as_bytes());
    assert!(lint(&bytes, &Parsed::default(), &Surroundings::default()).is_empty());
}

/// Text made of the pieces the checks look for, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "[a](",
        "gone.md",
        ")",
        "`",
        "scripts/x1.py",
        "```\n",
        "\n",
        "\r\n",
        "../",
        "%2",
        "%00",
        "\u{200b}",
        "\u{202e}",
        "\u{1f3f4}",
        "\u{e0067}",
        "\u{e007f}",
        "👩\u{200d}",
        "é",
        "技",
        " ",
        "references/",
        "[b]: ",
        "![",
        "<",
        ">",
        "*",
        "\\",
        "---\n",
        "name: ",
        "description: ",
        "1.10",
        ": ",
        "'",
        "\"",
        "\t",
        "\0",
        "#",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_is_linted_in_order_and_in_place(body in pieces(), head in pieces(), loose: bool) {
        // F3, F4
        let text = if loose { format!("{head}{body}") } else { format!("{HEAD}{body}") };
        let parsed = parse(text.as_bytes(), None);
        let files = files(&["references/guide.md", "scripts/run.py", "assets/a b.png"]);
        let around = Surroundings { files: Some(&files), body_tokens: None };
        let found = lint(text.as_bytes(), &parsed, &around);
        let starts: Vec<u32> = found.iter().map(|d| d.span.map_or(u32::MAX, |s| s.start)).collect();
        prop_assert!(starts.is_sorted());
        for diagnostic in &found {
            let spans = diagnostic.span.iter().chain(diagnostic.fix.iter().map(|edit| &edit.span));
            for span in spans {
                prop_assert!(text.get(span.range()).is_some(), "{diagnostic:?}");
            }
            if let Some(span) = diagnostic.span {
                prop_assert_eq!(diagnostic.position, Some(Position::of(text.as_bytes(), span.start as usize)));
            }
        }
    }
}
