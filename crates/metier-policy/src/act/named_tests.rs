use std::path::{Path, PathBuf};

use crate::ruled::ruled;
use crate::{Lexical, Resolve, Verdict};

/// A disk with nothing below the project.
struct Empty;

impl Resolve for Empty {
    fn real(&self, absolute: &Path) -> Option<PathBuf> {
        Lexical.real(absolute)
    }

    fn exists(&self, absolute: &Path) -> bool {
        !absolute.starts_with("/project") || absolute == Path::new("/project")
    }
}

#[test]
fn a_link_may_lie_in_whatever_a_command_of_the_same_call_brings() {
    // S3, S4
    for bringer in [
        "git worktree add y evil",
        "git worktree move wt y",
        "gh repo clone a/b y",
        "gh pr checkout 7",
        "svn checkout https://e/x y",
        "svn update",
        "hg clone https://e/x y",
        "jj git clone https://e/x y",
        "npx degit a/b y",
        "docker cp c:/x y",
        "kubectl cp c:/x y",
        "ar x a.a",
        "unsquashfs a.sqfs",
        "patch -p1 < x",
        "stow share",
        "stow -d /tmp/d -t . share",
        "env CI=1 git pull",
        "timeout 5 git worktree add y evil",
        "sh -c 'cd a; git pull'",
        "sh -c 'env git clone u y'",
        "find . -name x.tar -exec tar xf {} \\;",
        "xargs -n 1 tar xf < list",
    ] {
        let ruling = ruled(&Empty, &format!("{bringer}; echo x > y/l/approvals.jsonl"));
        assert_eq!(ruling.verdict, Verdict::Ask, "{bringer}");
        assert!(ruling.explanation().contains("nobody has seen"), "{}", ruling.explanation());
    }
}

#[test]
fn a_command_that_brings_nothing_leaves_the_others_alone() {
    // S3, S4
    for other in [
        "git worktree list",
        "gh pr view 7",
        "gh repo view a/b",
        "svn status",
        "hg log",
        "ar t a.a",
        "docker cp x c:/y",
        "docker ps",
        "sh -c 'git status'",
        "env CI=1 git status",
        "find . -name '*.tar' -exec ls {} +",
    ] {
        let ruling = ruled(&Empty, &format!("{other}; echo x > y/l/settings.json"));
        assert_eq!(ruling.verdict, Verdict::Allow, "{other}: {}", ruling.explanation());
    }
    // What it brings may be written, too.
    let ruling = ruled(&Empty, "git worktree add y main && echo x > y/notes.txt");
    assert_eq!(ruling.verdict, Verdict::Allow, "{}", ruling.explanation());
}
