use proptest::prelude::*;

use super::{MAX_SEARCHES, MAX_WORD, References, is_candidate, message, words_for};
use crate::lint::files::Files;
use crate::lint::{Body, Neighbour};

/// Which of `paths` the body leaves unmentioned, by the message.
fn left(body: &str, paths: &[String]) -> Option<String> {
    let list: Vec<Neighbour> =
        paths.iter().map(|path| Neighbour { path: path.clone(), directory: false }).collect();
    let files = Files::new(&list);
    let found = References::new(Body { text: body, start: 0 }, &files).finish().kept;
    found.into_iter().next().map(|finding| finding.message)
}

fn check(body: &str, path: &str, mentioned: bool) {
    assert_eq!(left(body, &[path.to_owned()]).is_none(), mentioned, "{path} in {body:?}");
}

#[test]
fn names_are_found_in_prose_and_paths() {
    // F5: UnreferencedFile
    check("See GUIDE.md.", "references/guide.md", true);
    check("See guide.mdx", "references/guide.md", false);
    check("See myguide.md", "references/guide.md", false);
    check("~/.agents/skills/a/references/guide.md", "references/guide.md", true);
    check("${SKILL_DIR}/scripts/run.sh", "scripts/run.sh", true);
    check("import scripts.run", "scripts/run.py", true);
    check("`run`", "scripts/run.py", true);
    check("guide", "references/guide.md", false);
    check("größe.md", "references/größe.md", true);
}

#[test]
fn a_directory_stands_for_what_is_below_it() {
    // F5: UnreferencedFile
    check("in references/", "references/deep/guide.md", true);
    check("in references/deep/", "references/deep/guide.md", true);
    check("in references/other/", "references/deep/guide.md", false);
    check("references", "references/guide.md", false);
    check("references/*.md", "references/guide.md", true);
    check("references/<name>.md", "references/guide.md", true);
    check("references/other.md", "references/guide.md", false);
    check("a/b/c/references/", "references/guide.md", true);
}

#[test]
fn names_no_word_can_be_are_searched_for_a_while() {
    // F4, F5: UnreferencedFile
    check("open \"my plan.md\"", "my plan.md", true);
    check("open it", "my plan.md", false);
    let many: Vec<String> = (0..MAX_SEARCHES * 2).map(|n| format!("assets/pic {n}.png")).collect();
    let told = left("nothing", &many).expect("a finding");
    assert!(told.contains(&format!("and {} more", MAX_SEARCHES - 1 - 5)), "{told}");
    let endless = "x".repeat(MAX_WORD + 1);
    check(&format!("{endless}/guide.md"), "references/guide.md", false);
}

#[test]
fn only_files_that_are_there_to_be_used_count() {
    // F5: UnreferencedFile
    for path in
        ["scripts/run.py", "references/a/b.md", "assets/logo.png", "FORMS.md", "scripts/run"]
    {
        assert!(is_candidate(path), "{path}");
    }
    for path in [
        "SKILL.md",
        "Readme.md",
        "LICENSE",
        "LICENSE.md",
        "notes.txt",
        "src/a.py",
        "scripts/lib/a.py",
        "scripts/utils.py",
        "scripts/test_run.py",
        "scripts/run.test.js",
        "scripts/__init__.py",
        ".hidden/a.md",
        "assets/.keep",
        "evals/a.md",
        "references/LICENSE.txt",
        "scripts/__pycache__/run.pyc",
    ] {
        assert!(!is_candidate(path), "{path}");
    }
}

#[test]
fn scripts_go_by_three_names_and_others_by_one() {
    // F5: UnreferencedFile
    assert_eq!(words_for("scripts/Run_All.py"), ["run_all.py", "run_all", "scripts.run_all"]);
    assert_eq!(words_for("scripts/run"), ["run"]);
    assert_eq!(words_for("references/Guide.md"), ["guide.md"]);
}

#[test]
fn the_message_names_five_and_counts_the_rest() {
    // F5: UnreferencedFile
    assert_eq!(message(&["a"]), "`a` is never mentioned in SKILL.md");
    assert_eq!(message(&["a", "b"]), "`a`, `b` are never mentioned in SKILL.md");
    let six = message(&["a", "b", "c", "d", "e", "f"]);
    assert_eq!(six, "`a`, `b`, `c`, `d`, `e` and 1 more are never mentioned in SKILL.md");
}

/// What reading the body word by word says, the plain way.
fn left_by_splitting(body: &str, paths: &[String]) -> Vec<String> {
    let mentions = |path: &str| {
        let words = words_for(path);
        body.split(|c| !super::is_path_character(c)).any(|word| {
            let word = word.trim_end_matches('.');
            let base = word.rsplit('/').next().unwrap_or_default().to_lowercase();
            let directory = word.strip_suffix('/').map(|word| word.trim_end_matches('/'));
            let tails = directory.into_iter().flat_map(|word| {
                std::iter::successors(Some(word), |tail| tail.split_once('/').map(|(_, rest)| rest))
            });
            let tail = tails
                .take(8)
                .find(|tail| paths.iter().any(|other| other.starts_with(&format!("{tail}/"))));
            tail.is_some_and(|tail| path.starts_with(&format!("{tail}/")))
                || (directory.is_none() && words.contains(&base))
        })
    };
    paths.iter().filter(|path| is_candidate(path) && !mentions(path)).cloned().collect()
}

proptest! {
    #[test]
    fn reading_a_body_by_bytes_finds_what_splitting_it_finds(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24),
        files in prop::collection::vec(prop::sample::select(FILES), 1..4),
    ) {
        // F5
        let body = pieces.concat();
        let mut paths: Vec<String> = files.into_iter().map(str::to_owned).collect();
        paths.sort();
        paths.dedup();
        let expected = left_by_splitting(&body, &paths);
        let expected = (!expected.is_empty())
            .then(|| message(&expected.iter().map(String::as_str).collect::<Vec<_>>()));
        prop_assert_eq!(left(&body, &paths), expected, "{:?}", body);
    }
}

const FILES: &[&str] = &[
    "references/guide.md",
    "references/deep/größe.md",
    "scripts/run.py",
    "scripts/K.sh",
    "assets/a-b_c.json",
    "NOTES.md",
];

const PIECES: &[&str] = &[
    "guide.md",
    "GUIDE.MD",
    "größe.md",
    "GRÖSSE.md",
    "run",
    "Run.PY",
    "scripts.run",
    "k.sh",
    "\u{212a}.sh",
    "a-b_c.json",
    "notes.md",
    "references",
    "deep",
    "/",
    "//",
    ".",
    "..",
    " ",
    "\n",
    "`",
    "é",
    "\u{a0}",
    "…",
    "x",
    "-",
    "~",
];

#[test]
fn the_bytes_of_paths_are_those_of_their_characters() {
    // F5
    for byte in 0..=u8::MAX {
        let expect = !byte.is_ascii() || super::is_path_character(char::from(byte));
        assert_eq!(super::IN_PATH[usize::from(byte)], expect, "{byte}");
    }
}
