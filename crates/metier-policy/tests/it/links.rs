//! Links in a project: a rule that asks about a file is about it by whatever name it is reached.

use std::path::{Path, PathBuf};

use metier_policy::{
    ActiveStack, HostTable, Lexical, Place, Policy, PolicyFile, PolicyLayer, Profile, Resolve,
    Ruling, ToolCall, Verdict, decide,
};
use serde_json::{Value, json};

use crate::world;

/// A disk with links in the project.
struct Links;

const LINKS: [(&str, &str); 5] = [
    ("/project/s", "/home/user/.ssh"),
    ("/project/brc", "/home/user/.bashrc"),
    ("/project/lnk", "/home/user/.config"),
    ("/project/hm", "/home/user"),
    ("/project/dist", "/data/dist"),
];

impl Resolve for Links {
    fn real(&self, absolute: &Path) -> Option<PathBuf> {
        let real = LINKS.iter().find_map(|(link, to)| {
            let rest = absolute.strip_prefix(link).ok()?;
            Some(if rest.as_os_str().is_empty() { to.into() } else { Path::new(to).join(rest) })
        });
        Lexical.real(&real.unwrap_or_else(|| absolute.to_owned()))
    }
}

fn rule(policy: &Policy, tool: &str, arguments: Value) -> Ruling {
    let place = Place { resolver: &Links, ..world::place() };
    let call = ToolCall::new(tool, arguments);
    decide(policy, &ActiveStack::default(), &call, HostTable::plain(), &place)
}

fn shell(policy: &Policy, command: &str) -> Ruling {
    rule(policy, "Bash", json!({ "command": command }))
}

#[test]
fn what_is_asked_about_is_certain_by_any_link_to_it() {
    // S3, S4, U5
    let policy = Policy::profile(Profile::Default);
    for command in [
        "cat s/id_rsa",
        "cat ~/.ssh/id_rsa",
        "cat hm/.ssh/id_rsa",
        "echo x > brc",
        "echo x >> hm/.gitconfig",
        "echo x > lnk/git/config",
        "echo x > s/authorized_keys",
        "cp x s/authorized_keys",
        "tee -a brc",
    ] {
        let ruling = shell(&policy, command);
        assert_eq!(ruling.verdict, Verdict::Ask, "{command}");
        assert!(ruling.is_certain(), "{command}: {}", ruling.explanation());
    }
    for (tool, path) in [
        ("Read", "s/id_rsa"),
        ("Read", "~/.ssh/id_rsa"),
        ("Write", "brc"),
        ("Write", "hm/.gitconfig"),
        ("Edit", "lnk/git/config"),
    ] {
        let ruling = rule(&policy, tool, json!({ "file_path": path, "path": path }));
        assert_eq!(ruling.verdict, Verdict::Ask, "{tool} {path}");
        assert!(ruling.is_certain(), "{tool} {path}: {}", ruling.explanation());
    }
}

#[test]
fn links_to_what_nobody_asks_about_are_files_like_any_other() {
    // S3, S4
    let policy = Policy::profile(Profile::Default);
    for command in [
        "cat dist/x",
        "echo x > dist/index.html",
        "cat hm/notes.md",
        "echo x > hm/notes.md",
        "cat src/s/id",
        "cat lnk/app/settings.json",
    ] {
        assert_eq!(shell(&policy, command).verdict, Verdict::Allow, "{command}");
    }
}

#[test]
fn a_file_with_two_names_gets_the_strictest_of_the_rules_about_either() {
    // S3, S4
    let text = "default = 'allow'\n\
                [[rule]]\nverdict = 'ask'\npattern = 'Write(~/.config/**)'\n\
                [[rule]]\nverdict = 'deny'\npattern = 'Write(./lnk/kept/**)'\n\
                [[rule]]\nverdict = 'allow'\npattern = 'Write(**)'";
    let file = PolicyFile::read(text, "links.toml").unwrap_or_else(|error| panic!("{error}"));
    let policy = Policy::merge([(PolicyLayer::Personal, file)]);
    for (command, expected) in [
        ("echo x > lnk/kept/a", Verdict::Deny),
        ("echo x > lnk/other/a", Verdict::Ask),
        ("echo x > src/a", Verdict::Allow),
        ("echo x > dist/a", Verdict::Allow),
    ] {
        let ruling = shell(&policy, command);
        assert_eq!(ruling.verdict, expected, "{command}: {}", ruling.explanation());
    }
}
