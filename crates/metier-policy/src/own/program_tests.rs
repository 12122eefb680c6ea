use std::path::{Path, PathBuf};

use serde_json::json;

use super::*;
use crate::own::OWN_COMMAND;
use crate::{ActiveStack, HostTable, Lexical, Policy, Profile, Resolve, ToolCall, Verdict, decide};

/// A disk on which metier is `/opt/metier-r6`, `/tmp/t/mm` and `/mm` are links to it, and nothing in the
/// project is.
struct Disk;

impl Resolve for Disk {
    fn real(&self, absolute: &Path) -> Option<PathBuf> {
        Lexical.real(absolute)
    }

    fn program(&self) -> Option<PathBuf> {
        Some("/opt/metier-r6".into())
    }

    fn is_program(&self, program: &Path) -> bool {
        ["/opt/metier-r6", "/tmp/t/mm", "/mm"].iter().any(|own| Path::new(own) == program)
    }
}

/// What is said about metier's commands where this host runs it.
fn said(host: &str, command: &str) -> Verdict {
    let protected = [PathBuf::from("/home/user/.local/share/metier")];
    let place = Place {
        home: Some(Path::new("/home/user")),
        protected: &protected,
        resolver: &Disk,
        ..Place::lexical(Path::new("/project"))
    };
    let call = ToolCall::new("Bash", json!({ "command": command }));
    let host = HostTable::named(host).expect("a host");
    let policy = Policy::profile(Profile::FullAuto);
    let ruling = decide(&policy, &ActiveStack::default(), &call, host, &place);
    let said = ruling.reasons.iter().filter(|reason| reason.rule.as_deref() == Some(OWN_COMMAND));
    said.map(|reason| reason.verdict).max().unwrap_or(Verdict::Allow)
}

fn check(host: &str, expected: Verdict, commands: &[&str]) {
    for command in commands {
        assert_eq!(said(host, command), expected, "{host}: {command}");
    }
}

#[test]
fn metier_under_another_name_is_metier_wherever_the_call_goes_first() {
    // S3, S4, U5
    for host in ["claude-code", "codex"] {
        check(
            host,
            Verdict::Deny,
            &[
                "cd /tmp/t; ./mm --project p trust --yes strange",
                "cd /tmp/t && ./mm add owner/repo",
                "(cd /tmp/t; ./mm trust x)",
                "pushd /tmp/t; ./mm trust x",
                "env -C /tmp/t ./mm trust x",
                "cd src; ../../mm trust x",
                "cd /tmp; t/mm hook remove claude-code",
                "cd /tmp/t; ./mm unlink",
                "cd /tmp/t; nohup ./mm sync",
                "cd /tmp/t; $(echo ./mm) trust x",
                "cd /tmp/t; ls | xargs ./mm trust",
                "cd /tmp/t; ./mm trust x; ((1))",
                "cd /tmp/t; $PWD/mm add x",
                "cd /tmp/t; \"$(pwd)/mm\" add x",
                "./metier-r6 trust x",
                "cd \"$X\"; ./metier-r6 add x",
                "some-runner metier-r6 trust x",
                "python3 -c 'import os; os.system(\"metier-r6 trust x\")'",
            ],
        );
        check(host, Verdict::Ask, &["cd /tmp/t; ./mm release x", "cd /tmp/t; ./mm end"]);
        check(
            host,
            Verdict::Allow,
            &[
                "cd /tmp/t; ./mm list",
                "cd src && ./build.sh",
                "cd src && ./dev add x",
                "cd src && ./manage.py sync",
                "tar xf x.tar && cd x && ./configure && make",
                "cd \"$X\" && ./deploy.sh rollback",
                "cd \"$X\" && ./tool add 1 2",
                "cd \"$X\" && git hook run pre-commit",
            ],
        );
    }
}

#[test]
fn metier_is_found_where_the_call_has_programs_looked_for() {
    // S3, S4
    check(
        "claude-code",
        Verdict::Deny,
        &[
            "PATH=/tmp/t:$PATH mm trust x",
            "PATH=\"/tmp/t:$PATH\" mm add x",
            "PATH=/tmp/t:$PATH; mm trust x",
            "export PATH=/a:/tmp/t; mm trust x",
            "env PATH=/tmp/t mm trust x",
            "path=/tmp/t mm link",
            "cd /tmp/t; PATH=.:$PATH mm trust x",
            "cd /tmp; PATH=t:$PATH mm trust x",
            "PATH=/tmp/{t,u} mm trust x",
            "cd /tmp; PATH=$PWD/t:$PATH mm add x",
            "cd /tmp/t; PATH=$PWD:$PATH mm add x",
            "alias m=/tmp/t/mm; m add x",
            "hash -p /tmp/t/mm m; m sync",
        ],
    );
    check(
        "claude-code",
        Verdict::Ask,
        &[
            "PATH=$X mm trust x",
            "PATH=$X:$PATH mm trust x",
            "PATH=$X/bin:$PATH mm unlink",
            "PATH=/tmp/t:$PATH mm release x",
            "alias m=/tmp/t/mm; m release x",
        ],
    );
    check(
        "claude-code",
        Verdict::Allow,
        &[
            "PATH=/tmp/t:$PATH mm list",
            "PATH=$HOME/.local/bin:$PATH mise trust",
            "PATH=$PWD/bin:$PATH npm link",
            "PATH=node_modules/.bin:$PATH nx sync",
            "export PATH=$PATH:/usr/local/go/bin && go get -u x",
            "alias ll='ls -l'; git add x",
        ],
    );
}

#[test]
fn a_program_nobody_can_place_is_asked_about_where_its_words_are_metiers() {
    // S3, S4, U5
    check(
        "claude-code",
        Verdict::Ask,
        &[
            "cd \"$X\"; ./foo trust x",
            "cd -; ./foo untrust x",
            "cd /tmp/*; ./foo adopt",
            "cd \"$(cat f)\"; bin/foo hook remove codex",
            "cd \"$X\"; ./foo unlink codex",
            "/tmp/t/?x add x",
            "/tmp/*/[w]x sync",
        ],
    );
    check("codex", Verdict::Ask, &["./foo trust x", "../a/foo hook setup claude-code"]);
    check("claude-code", Verdict::Allow, &["./foo trust x", "cd src; ./foo trust x"]);
    check(
        "codex",
        Verdict::Allow,
        &["./foo sync", "./deploy.sh rollback", "mise trust", "npm unlink x", "/usr/bin/gpg trust"],
    );
}
