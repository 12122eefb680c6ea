use super::*;
use crate::shell::{self, Surroundings};

fn opens_editor(text: &str) -> bool {
    let around = Surroundings { home: Some("/home/user"), depth: 0 };
    let commands = shell::parse(text, around).unwrap_or_else(|refused| panic!("{text}: {refused}"));
    opens(&commands.last().expect("a command").argv)
}

#[test]
fn what_may_open_an_editor_is_seen() {
    // S3, U5
    for text in [
        "git commit",
        "/usr/bin/git commit --amend",
        "git -c user.name=x commit --allow-empty",
        "git commit -m x -e",
        "git commit -m x --edi",
        "git commit -eam x",
        "git commit -c HEAD -m x",
        "git commit --fixup=amend:HEAD",
        "git commit -- -m",
        "git commit $X",
        "git commit -m x $X",
        "git merge topic",
        "git merge --continue",
        "git pull",
        "git revert HEAD",
        "git rebase -i HEAD~2",
        "git rebase --inter HEAD~2",
        "git rebase --continue",
        "git cherry-pick --edit x",
        "git tag -a v1",
        "git tag -s v1",
        "git tag -m x -e v1",
        "git notes add",
        "git notes edit",
        "git add -p",
        "git add --patch x",
        "git checkout -p",
        "git stash push -p",
        "git branch --edit-description",
        "git am -i x",
    ] {
        assert!(opens_editor(text), "{text}");
    }
}

#[test]
fn what_ends_by_itself_opens_none() {
    // S3, U5
    for text in [
        "git status",
        "git log -p",
        "git commit -m x",
        "git commit -am 'more text'",
        "git commit -sm x",
        "git commit -mtext",
        "git commit --message=x --amend",
        "git commit --amend --no-edit",
        "git commit -F notes.txt",
        "git commit -C HEAD",
        "git merge --no-edit topic",
        "git merge --ff-only topic",
        "git merge -m x topic",
        "git merge --abort",
        "git pull --ff-only",
        "git pull --rebase",
        "git revert --no-edit HEAD",
        "git rebase main",
        "git rebase --abort",
        "git cherry-pick x",
        "git tag",
        "git tag v1",
        "git tag -a v1 -m x",
        "git notes show",
        "git notes add -m x",
        "git add x",
        "git add -A",
        "git checkout -b topic",
        "git stash",
        "git reset --hard",
        "git branch -d x",
        "gitk commit",
        "ls commit",
    ] {
        assert!(!opens_editor(text), "{text}");
    }
}
