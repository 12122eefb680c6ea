use std::path::{Path, PathBuf};

use crate::Verdict;
use crate::ruled::ruled;

/// A disk on which `/project/there` is, and nothing else below the project.
struct Empty;

impl crate::Resolve for Empty {
    fn real(&self, absolute: &Path) -> Option<PathBuf> {
        match absolute.to_str() {
            Some("/project/there/lnk") => Some("/home/user/.claude".into()),
            _ => crate::Lexical.real(absolute),
        }
    }

    fn exists(&self, absolute: &Path) -> bool {
        !absolute.starts_with("/project")
            || absolute == Path::new("/project")
            || absolute.starts_with("/project/there")
    }
}

fn check(expected: Verdict, commands: &[&str]) {
    for command in commands {
        let ruling = ruled(&Empty, command);
        let why = ruling.explanation();
        assert_eq!(ruling.verdict, expected, "{command}: {why}");
        let is_told = expected == Verdict::Allow || why.contains("nobody has seen");
        assert!(is_told, "{command}: {why}");
    }
}

#[test]
fn a_link_that_the_call_itself_brings_leads_to_nothing_protected_without_a_question() {
    // S3, S4, U5
    check(
        Verdict::Ask,
        &[
            "cp -P lnk b && echo x > b/settings.json",
            "cp -d lnk b && echo x > b/settings.json",
            "cp -a lnk b && echo x > b/settings.json",
            "cp -a lnk b && echo x > /project/b/settings.json",
            "ln -s x b && echo x > b/settings.json",
            "ln -s x b && echo x > b/c/settings.json",
            "ln -s /home/user/c; echo x > c/settings.json",
            "mv lnk b && tee b/settings.json",
            "cp -r there/lnk b && tee b/settings.json",
            "cp -r there/x there/lnk b && tee b/lnk/settings.json",
            "cp -r there b && tee b/lnk/settings.json",
            "git checkout evil && echo x > d/settings.json",
            "git checkout evil && cp x d/e/settings.json",
            "git pull && echo x > d/approvals.jsonl",
            "git pull && echo x > d/metier/approvals.jsonl",
            "git stash pop && echo x > d/settings.json",
            "git apply x.diff && echo x > d/settings.json",
            "tar xf x.tar && echo x > d/settings.json",
            "unzip x.zip && echo x > d/settings.json",
            "rsync -a x/ . && echo x > d/settings.json",
            "git clone https://e/app && echo x > app/d/settings.json",
            "git clone https://e/app . && echo x > d/settings.json",
            "git clone \"$X\" && echo x > app/settings.json",
        ],
    );
    check(
        Verdict::Allow,
        &[
            "git checkout main && echo x > settings.json",
            "git checkout main && echo x > d/package.json",
            "git pull && cp .env.example .env && npm install",
            "git pull && cp config.example.toml config.toml",
            "git clone https://e/app.git && cp x app/settings.json",
            "git clone https://e/x app && cp x app/settings.json",
            "git clone --depth 1 https://e/app && cd app && cp x settings.json",
            "git clone https://e/a && git clone https://e/b && cp x b/settings.json",
            "git clone https://e/app && cp x there/settings.json",
            "mkdir -p a/b && tar xf x.tar -C a/b && echo x > a/b/settings.json",
            "mkdir -p a/b && tar xf x.tar -C a/b && echo x > a/settings.json",
            "tar xf x.tar && cp a there/settings.json",
            "cp x b && echo x > b/settings.json",
            "cp -r there/x b && echo x > b/settings.json",
            "cp -r there/x there/y b && echo x > b/y/settings.json",
            "mv there b && echo x > b/settings.json",
            "cp -r there/x b && echo x > c/settings.json",
            "cp -r there b && echo x > b/x/settings.json",
            "ln -s x b && echo x > c/settings.json",
            "git checkout main && cat d/settings.json there/settings.json",
            "git checkout main && some-tool there/settings.json",
            "echo x > d/settings.json",
        ],
    );
}

#[test]
fn nothing_else_that_the_call_does_shows_that_a_directory_is_no_link() {
    // S3, S4, U5
    check(
        Verdict::Ask,
        &[
            "git checkout evil && cp there/a d/approvals.jsonl",
            "git checkout evil && mv there/a d/approvals.jsonl",
            "git checkout evil && mkdir -p d/q && echo x > d/approvals.jsonl",
            "git checkout evil && mkdir -p d && echo x > d/approvals.jsonl",
            "git checkout evil && cp there/a d/zzz && echo x > d/settings.json",
            "tar xf x.tar && cp there/a d/approvals.jsonl",
            "git checkout evil && git clone https://e/x d/y && echo x > d/approvals.jsonl",
            "git checkout evil; git clone https://e/x d; echo x > d/approvals.jsonl",
            // Both put a link in the place of an empty directory.
            "mkdir d; git checkout evil; echo x > d/settings.json",
            "mkdir d; tar xf x.tar; echo x > d/settings.json",
            "(cd /tmp; mkdir d); tar xf x.tar; echo x > d/settings.json",
            "false && mkdir d; tar xf x.tar; echo x > d/settings.json",
        ],
    );
}

#[test]
fn a_directory_that_git_may_replace_by_a_link_is_asked_about() {
    // S3, S4, U5
    check(
        Verdict::Ask,
        &[
            "git checkout evil && echo x > there/settings.json",
            "git pull && cp x there/settings.json",
            "git checkout evil && cd there && echo x > settings.json",
            "hg update evil && tee there/approvals.jsonl",
            "tar -x --recursive-unlink -f x.tar; tee there/approvals.jsonl",
        ],
    );
    check(
        Verdict::Allow,
        &[
            "git checkout main && echo x > there/package.json",
            "git -C /project/there checkout main && echo x > there/settings.json",
            "git clone https://e/app && echo x > there/settings.json",
            "git checkout main && echo x > /elsewhere/settings.json",
        ],
    );
}

#[test]
fn however_files_are_brought_and_the_link_is_named_it_is_asked_about() {
    // S3, S4, U5
    check(
        Verdict::Ask,
        &[
            "git checkout evil && cd d && echo x > settings.json",
            "env git checkout evil; echo x > d/settings.json",
            "nohup time git pull; echo x > d/settings.json",
            "sh -c 'cd .; git checkout evil'; echo x > d/settings.json",
            "sh -c 'git checkout evil'; sh -c 'echo x > d/settings.json'",
            "git checkout evil && tee d/setting?.json",
            "git checkout evil && tee d/set*.json",
            "f=settings; git checkout evil; echo x > d/$f.json",
            "git checkout evil; echo x > d/settings.json; ((1))",
        ],
    );
    let far = format!("git checkout evil;{} echo x > d/settings.json", ":;".repeat(700));
    check(Verdict::Ask, &[&far]);
    check(Verdict::Allow, &["env git status; echo x > d/settings.json"]);
}
