use proptest::prelude::*;

use super::*;
use crate::fixture::Ground;
use crate::keep::read_tree;
use crate::pinned::files_of;

/// What both texts are, read back from a difference.
fn sides(lines: &[Line<'_>]) -> (String, String) {
    let (mut old, mut new) = (String::new(), String::new());
    for line in lines {
        match line {
            Line::Same(text) => {
                old = old + text + "\n";
                new = new + text + "\n";
            }
            Line::Old(text) => old = old + text + "\n",
            Line::New(text) => new = new + text + "\n",
        }
    }
    (old, new)
}

fn edits_in(lines: &[Line<'_>]) -> usize {
    lines.iter().filter(|line| !matches!(line, Line::Same(_))).count()
}

proptest! {
    #[test]
    fn a_difference_holds_both_texts(old in "([abc]\n){0,12}", new in "([abc]\n){0,12}") {
        // P3
        let lines = lines(&old, &new);
        prop_assert_eq!(sides(&lines), (old.clone(), new.clone()));
        if old == new {
            prop_assert_eq!(edits_in(&lines), 0);
        }
        // As few edits as the longest common run of lines allows.
        let (a, b): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let mut longest = vec![vec![0; b.len() + 1]; a.len() + 1];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                longest[i + 1][j + 1] = if x == y {
                    longest[i][j] + 1
                } else {
                    longest[i][j + 1].max(longest[i + 1][j])
                };
            }
        }
        prop_assert_eq!(edits_in(&lines), a.len() + b.len() - 2 * longest[a.len()][b.len()]);
    }
}

#[test]
fn texts_that_are_far_apart_are_shown_as_replaced() {
    // P3
    let text =
        |word: &str| (0..MAX_DIFF_EDITS).map(|n| format!("{word} {n}\n")).collect::<String>();
    let (old, new) = (text("old"), text("new"));
    let lines = lines(&old, &new);
    assert_eq!(sides(&lines), (old.clone(), new.clone()));
    assert!(matches!(lines[0], Line::Old(_)) && matches!(lines[lines.len() - 1], Line::New(_)));
}

#[test]
fn every_kind_of_difference_has_its_word() {
    // P3
    let ground = Ground::new();
    let staged = ground.staged("pdf", 1);
    let expected = files_of(&staged.tree).unwrap();
    assert_eq!(compare(&expected, &staged.tree), []);
    ground.write("fetched/1/pdf/SKILL.md", "changed");
    ground.write("fetched/1/pdf/new/file", "extra");
    let at = |path: &str| staged.directory.join(path);
    rustix::fs::chmod(at("scripts/run.sh"), rustix::fs::Mode::from(0o644)).unwrap();
    rustix::fs::unlink(at("references/notes.md")).unwrap();
    rustix::fs::symlink("../SKILL.md", at("references/notes.md")).unwrap();
    let found = read_tree(&staged.directory).unwrap();
    let words: Vec<String> = compare(&expected, &found).iter().map(ToString::to_string).collect();
    assert_eq!(
        words,
        ["changed SKILL.md", "extra new/file", "kind references/notes.md", "mode scripts/run.sh"]
    );
    let missing = compare(&expected, &Tree::default());
    assert_eq!(missing.len(), 3);
    assert_eq!(missing[0].to_string(), "missing SKILL.md");
    let many: Vec<Difference> = (0..30).flat_map(|_| missing.clone()).collect();
    assert_eq!(shown(&many).last().unwrap(), "and 70 more");
}
