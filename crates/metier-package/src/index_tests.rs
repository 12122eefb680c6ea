#![expect(clippy::disallowed_methods, reason = "tests write files")]

use super::{
    Asking, Contents, Index, IndexError, Kind, Listed, Place, fetch_listed, parse, place, refresh,
    search,
};
use crate::fetch::{Fetch, FetchError, Select};
use crate::limits::{MAX_COMMAND_BYTES, MAX_COMMAND_WORDS, MAX_INDEX_BYTES};
use crate::progress::Silent;
use crate::reference::Bases;
use crate::served::Endpoint;
use crate::served::tests::Tables;

fn bases() -> Bases {
    Bases::new("/work")
}

#[test]
fn an_address_is_a_servers_a_documents_or_a_repositorys() {
    // P6
    let check = |source: &str, expect: &str| {
        let told = match place(source, &bases()).unwrap() {
            Place::Web(url) => format!("web {url}"),
            Place::Source(reference) => format!("source {reference}"),
        };
        assert_eq!(told, expect, "{source}");
    };
    let known = "/.well-known/agent-skills/index.json";
    check("https://skills.example", &format!("web https://skills.example{known}"));
    check("https://skills.example/team/", &format!("web https://skills.example/team{known}"));
    check("http://127.0.0.1:7777", &format!("web http://127.0.0.1:7777{known}"));
    check("https://x.example/a/marketplace.json", "web https://x.example/a/marketplace.json");
    check("acme/skills", "source https://github.com/acme/skills");
    check("https://github.com/acme/skills", "source https://github.com/acme/skills");
    check("https://git.example/skills.git", "source https://git.example/skills.git");
    check("git@git.example:acme/skills", "source git@git.example:acme/skills");
    check("./team", "source /work/team");
    check("./team/.claude-plugin/marketplace.json", "source /work/team");
    check("/.claude-plugin/marketplace.json", "source /");
    check("./marketplace.json", "source /work/marketplace.json");
}

#[test]
fn an_index_has_a_name_and_a_place() {
    // P6
    assert!(Index::new("team-1", "https://skills.example", &bases()).is_ok());
    for name in ["", "a/b", "..", "a b", &"x".repeat(65)] {
        let index = Index::new(name, "https://skills.example", &bases());
        assert!(matches!(index, Err(IndexError::Name(_))), "{name}");
    }
    for source in ["http://skills.example", "https://u:p@x.example", "ftp://x.example", "word"] {
        let index = Index::new("team", source, &bases());
        assert!(matches!(index, Err(IndexError::Reference { .. })), "{source}");
    }
}

#[test]
fn a_document_is_one_object_and_not_too_long() {
    // P6, F4
    for bytes in [&b""[..], b"[]", b"7", b"{", b"\xff", "[".repeat(10_000).as_bytes()] {
        assert!(matches!(parse(bytes), Err(IndexError::NotAnIndex(_))), "{bytes:?}");
    }
    assert!(parse(&vec![b' '; MAX_INDEX_BYTES + 1]).is_err());
    let heavy = format!("{{\"skills\":[{}]}}", vec!["[[[[]]]]"; 60_000].join(","));
    let heavy = parse(heavy.as_bytes()).unwrap_err().to_string();
    assert!(heavy.contains("more values than fit"), "{heavy}");
    assert!(parse(b"{}").is_ok());
}

#[test]
fn skills_of_all_indexes_are_found_the_best_first() {
    // P6
    let listed = |name: &str, description: &str| Listed {
        name: name.to_owned(),
        description: description.to_owned(),
        reference: String::new(),
        digest: None,
        kind: Kind::Skill,
    };
    let index = |name: &str, skills: Vec<Listed>| {
        let index = Index { name: name.to_owned(), source: String::new(), command: Vec::new() };
        (index, Contents { skills, ..Contents::default() })
    };
    let indexes = [
        index("one", vec![listed("charts", "Draws charts."), listed("pdf", "Fills in forms.")]),
        index("two", vec![listed("forms", "Fills in forms of all kinds.")]),
    ];
    let found = search(&indexes, "forms", 10);
    let told: Vec<(&str, &str)> = found.iter().map(|f| (f.index, f.listed.name.as_str())).collect();
    assert_eq!(told, [("two", "forms"), ("one", "pdf")]);
    assert_eq!(search(&indexes, "forms", 1).len(), 1);
    assert!(search(&indexes, "zebra", 10).is_empty());
}

#[test]
fn an_archive_with_another_digest_is_said_to_be_another() {
    // P6
    let error = FetchError::Digest {
        place: "https://x.example/a.zip".to_owned(),
        expected: "aa".to_owned(),
        found: "bb".to_owned(),
    };
    let said = IndexError::from(error).to_string();
    assert!(said.contains("bb") && said.contains("aa"), "{said}");
}

#[test]
fn a_digest_of_what_cannot_be_checked_is_a_refusal() {
    // P6
    Tables::with(&[]).with_fetch(Select::All, |fetch| {
        let asking = Asking { fetch, bases: &bases(), now: 0 };
        for reference in ["https://git.example/repo", "/work/team", "/work/a.zip", "mcp:it"] {
            let listed = Listed {
                name: "one".to_owned(),
                description: String::new(),
                reference: reference.to_owned(),
                digest: Some("0".repeat(64)),
                kind: Kind::Archive,
            };
            let error = fetch_listed(&listed, &asking, &mut Silent).unwrap_err();
            let told = matches!(error, IndexError::Fetch(FetchError::Uncheckable { .. }));
            assert!(told, "{reference}: {error}");
        }
    });
}

#[test]
fn a_program_is_an_index_when_it_can_be_started_as_typed() {
    // P6, U2
    let words = |words: &[&str]| -> Vec<String> { words.iter().map(ToString::to_string).collect() };
    let index = Index::of_command("team", &words(&["serve", "--all"])).unwrap();
    assert_eq!(index.source, "mcp:team");
    assert_eq!(index.endpoint(), Some(Endpoint::Command(&words(&["serve", "--all"]))));
    let text = serde_json::to_string(&index).unwrap();
    assert_eq!(serde_json::from_str::<Index>(&text).unwrap(), index);
    let before: Index = serde_json::from_str(r#"{"name": "a", "source": "b"}"#).unwrap();
    assert_eq!((before.command.len(), before.endpoint()), (0, None), "from before there were any");
    let long = "x".repeat(MAX_COMMAND_BYTES + 1);
    let many = vec!["x"; MAX_COMMAND_WORDS + 1];
    for bad in [&[][..], &[""], &["a\0b"], &[long.as_str()], &many] {
        let refused = Index::of_command("team", &words(bad));
        assert!(matches!(refused, Err(IndexError::Command)), "{refused:?}");
    }
    assert!(matches!(Index::of_command("-x", &words(&["a"])), Err(IndexError::Name(_))));
    let web = Index::new("web", "MCP+https://Skills.Example/mcp/", &bases()).unwrap();
    assert_eq!(web.endpoint(), Some(Endpoint::Url("https://skills.example/mcp")));
    for bad in ["mcp:team", "mcp+https://skills.example//pdf"] {
        let refused = Index::new("web", bad, &bases());
        assert!(matches!(refused, Err(IndexError::NotAnIndex(_))), "{refused:?}");
    }
}

#[test]
fn a_server_lists_what_can_be_believed_and_says_what_cannot() {
    // P6, U2
    let tables = Tables::with(&[("acme/pdf", &[]), ("bad", &[])])
        .changed("skill://bad/SKILL.md", |entry| entry["resources"] = "dynamic".into());
    let index = Index::of_command("office", &["serve".to_owned()]).unwrap();
    let contents = tables.with_fetch(Select::All, |fetch| {
        let asking = Asking { fetch, bases: &bases(), now: 7 };
        refresh(&index, None, &asking, &mut Silent).unwrap()
    });
    assert_eq!(contents.asked, 7);
    let listed = &contents.skills[..];
    assert_eq!((listed.len(), listed[0].name.as_str()), (1, "pdf"));
    assert_eq!(listed[0].reference, "mcp:office//acme/pdf");
    assert!(contents.problems[0].contains("made as they are asked for"), "{contents:?}");
    assert!(tables.reads().is_empty(), "a list is no reason to read");
    let lost = tables.with_fetch(Select::All, |fetch| {
        let fetch = &Fetch { servers: None, ..*fetch };
        refresh(&index, None, &Asking { fetch, bases: &bases(), now: 7 }, &mut Silent)
    });
    assert!(matches!(lost, Err(IndexError::Fetch(FetchError::NoClient { .. }))), "{lost:?}");
}

#[test]
fn a_list_of_plugins_that_is_too_large_is_said_and_every_skill_listed() {
    // P6, F4
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, bytes: &[u8]| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    write("skills/pdf/SKILL.md", b"---\nname: pdf\ndescription: Does it.\n---\n");
    write("skills/bad/SKILL.md", b"no frontmatter");
    write(".claude-plugin/marketplace.json", &vec![b' '; MAX_INDEX_BYTES + 1]);
    let index = Index::new("here", folder.path().to_str().unwrap(), &bases()).unwrap();
    let contents = Tables::default().with_fetch(Select::All, |fetch| {
        let asking = Asking { fetch, bases: &bases(), now: 7 };
        refresh(&index, None, &asking, &mut Silent).unwrap()
    });
    let names: Vec<&str> = contents.skills.iter().map(|listed| listed.name.as_str()).collect();
    assert_eq!(names, ["pdf"]);
    let problems = contents.problems.join("\n");
    assert!(problems.contains("marketplace.json` has 8388609 bytes"), "{problems}");
    assert!(problems.contains("`skills/bad` is refused"), "{problems}");
}
