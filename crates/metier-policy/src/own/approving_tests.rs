use super::*;

/// Commands that are a person's, with flags wherever the parser takes them.
const THE_USERS: &[&str] = &[
    "trust x",
    "untrust x",
    "add owner/repo --yes",
    "adopt",
    "update --yes",
    "sync",
    "rollback x",
    "remove x",
    "link codex",
    "unlink codex",
    "index add team https://skills.example",
    "index remove team",
    "hook setup codex",
    "hook remove codex",
    "hook claude-code",
    "hook",
    "chibi install owner/repo",
    "chibi --install",
    "--json trust x",
    "--home list trust x",
    "--home=x --quiet trust x",
    "--root personal=a --project show add x",
    "-q -v --profile full-auto link",
    "--color never index --session list add team x",
    "-- trust x",
];

const ORDINARY: &[&str] = &[
    "",
    "--version",
    "list",
    "list --json",
    "show trust",
    "--json show trust",
    "--home trust list",
    "search add remove",
    "run a b.py -- trust",
    "use add",
    "guard Bash",
    "read link x.md",
    "help trust",
    "index",
    "index list add",
    "index search remove",
    "hook check codex",
    "doctor --fix",
    "trusted",
];

#[test]
fn what_is_for_the_user_is_told_from_the_rest_whatever_the_flags() {
    // S3, S4
    for line in THE_USERS {
        assert!(is_for_the_user(&words(line)), "{line}");
    }
    for line in ORDINARY {
        assert!(!is_for_the_user(&words(line)), "{line}");
    }
}

#[test]
fn a_command_only_a_running_shell_knows_counts_as_one_that_is_meant() {
    // S3
    let unknown = [
        vec![Word::unknown()],
        vec![Word::starting("tr")],
        vec![Word::known("--home"), Word::unknown(), Word::known("list")],
        vec![Word::starting("--ho"), Word::known("list")],
        vec![Word::known("index"), Word::unknown()],
        vec![Word::known("hook"), Word::starting("")],
    ];
    for words in unknown {
        assert_eq!(asked(&words, false), Asked::Unknown, "{words:?}");
    }
    let ordinary = [
        vec![Word::known("show"), Word::unknown()],
        vec![Word::starting("--home="), Word::known("list")],
        vec![Word::known("--home"), Word::starting("/x"), Word::known("list")],
    ];
    for words in ordinary {
        assert_eq!(asked(&words, false), Asked::Ordinary, "{words:?}");
    }
}

#[test]
fn text_is_searched_for_what_is_spelled_out_and_nothing_else() {
    // S3
    for text in [
        "os.system('metier trust x')",
        "subprocess.run([\"metier\", \"--home\", \"h\", \"add\", \"x\"])",
        "$(which metier) trust x",
        "/usr/bin/metier\ttrust",
        "agent-skills install x",
    ] {
        assert!(spelled(text).is_some(), "{text}");
    }
    for text in [
        "metier: add a word",
        "metier-add trust",
        "premetier trust",
        "metier list",
        "metier",
        "agent-skills list",
        "the agent-skills directory",
        "metier=3",
    ] {
        assert_eq!(spelled(text), None, "{text}");
    }
    let long = "metier.".repeat(50_000);
    assert_eq!(spelled(&long), None);
}

fn spelled(text: &str) -> Option<Found> {
    [PROGRAM, PLUGIN].into_iter().find_map(|called| in_text(text, called, false))
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}
