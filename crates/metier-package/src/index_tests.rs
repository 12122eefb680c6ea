use super::{Contents, Index, IndexError, Listed, Place, parse, place, search};
use crate::fetch::FetchError;
use crate::limits::MAX_INDEX_BYTES;
use crate::reference::Bases;

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
