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
