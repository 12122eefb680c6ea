use std::path::Path;

use serde_json::json;

use crate::{
    ActiveSkill, ActiveStack, HostTable, Place, Policy, Profile, ToolCall, Verdict, decide,
};
use metier_format::{AllowedTools, SkillName, ToolPattern};

/// What a skill that allows git, `echo` and `export` has to say about a command.
fn verdict(command: &str) -> Verdict {
    let name = SkillName::parse("tested").expect("a name");
    let tools = ToolPattern::tokenize("Bash(git:*) Bash(echo:*) Bash(export:*)");
    let allowed = AllowedTools::Only(tools.expect("patterns"));
    let skill = ActiveSkill { allowed: Some(allowed), ..ActiveSkill::unrestricted(name) };
    let stack: ActiveStack = [skill].into_iter().collect();
    let call = ToolCall::new("Bash", json!({ "command": command }));
    let place = Place::lexical(Path::new("/project"));
    decide(&Policy::profile(Profile::FullAuto), &stack, &call, HostTable::plain(), &place).verdict
}

#[test]
fn a_variable_that_no_program_gives_a_meaning_may_be_set_and_others_may_not() {
    // S3
    for (command, expected) in [
        ("BRANCH=$(git branch --show-current); echo \"$BRANCH\"", Verdict::Allow),
        ("BASE_SHA=$(git merge-base main HEAD)", Verdict::Allow),
        ("PR_TITLE='a b'; COMMIT_MSG=x", Verdict::Allow),
        ("branch=x", Verdict::Allow),
        // They are given to a program, which may be one of the project.
        ("BRANCH=x git status", Verdict::Deny),
        ("PATH=.", Verdict::Deny),
        ("GIT_DIR=x", Verdict::Deny),
        ("GIT_SSH_COMMAND=x; git fetch", Verdict::Deny),
        ("BASH_ENV=x", Verdict::Deny),
        ("PROMPT_COMMAND=x", Verdict::Deny),
        ("HOME=/tmp", Verdict::Deny),
        ("IFS=x", Verdict::Deny),
        ("RANDOM='a[$(git status)]'", Verdict::Deny),
        ("LINENO=1", Verdict::Deny),
        ("BRANCH_=x", Verdict::Deny),
        ("path=x", Verdict::Deny),
        ("BRANCH=$(rm x)", Verdict::Deny),
    ] {
        assert_eq!(verdict(command), expected, "{command}");
    }
}

#[test]
fn a_pager_or_an_editor_that_does_nothing_may_be_set_and_others_may_not() {
    // S3
    for (command, expected) in [
        ("GIT_PAGER=cat git log", Verdict::Allow),
        ("GIT_PAGER= git log", Verdict::Allow),
        ("PAGER=cat git log", Verdict::Allow),
        ("env GIT_PAGER=cat git log", Verdict::Allow),
        ("export GIT_PAGER=cat; git log", Verdict::Allow),
        ("GIT_EDITOR=true git rebase --continue", Verdict::Allow),
        ("GIT_EDITOR=: git commit --amend", Verdict::Allow),
        ("GIT_SEQUENCE_EDITOR=: git rebase --continue", Verdict::Allow),
        ("git -c core.pager=cat log", Verdict::Allow),
        ("git -c core.editor=true commit --amend", Verdict::Allow),
        ("git -c pager.log=false log", Verdict::Allow),
        ("GIT_PAGER='cat; id' git log", Verdict::Deny),
        ("GIT_PAGER=./cat git log", Verdict::Deny),
        ("GIT_PAGER=$X git log", Verdict::Deny),
        ("GIT_PAGER=true git log", Verdict::Deny),
        ("GIT_PAGER=less git log", Verdict::Deny),
        ("env GIT_PAGER=sh git log", Verdict::Deny),
        ("export GIT_PAGER=sh; git log", Verdict::Deny),
        ("GIT_EDITOR=vi git rebase --continue", Verdict::Deny),
        ("GIT_EDITOR=cat git rebase --continue", Verdict::Deny),
        ("GIT_SSH=cat git fetch", Verdict::Deny),
        ("git -c core.pager=sh log", Verdict::Deny),
        ("git -c core.pager='cat;id' log", Verdict::Deny),
        ("git -c core.pager=$X log", Verdict::Deny),
        ("git -c core.editor=vi commit --amend", Verdict::Deny),
        ("git -c core.sshcommand=cat fetch", Verdict::Deny),
        ("git -c pager.log=sh log", Verdict::Deny),
    ] {
        assert_eq!(verdict(command), expected, "{command}");
    }
}
