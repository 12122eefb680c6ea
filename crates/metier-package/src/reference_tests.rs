use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::source::Signature;

fn bases() -> Bases {
    Bases { home: Some(PathBuf::from("/home/me")), ..Bases::new("/work") }
}

#[test]
fn what_people_type_is_read_as_the_table_says() {
    // P1
    let table = include_str!("reference_tests.tsv");
    let mut wrong = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let (typed, expect) = line.split_once('\t').unwrap();
        let got = match Reference::parse(typed, &bases()) {
            Ok(reference) => reference.to_string(),
            Err(error) => format!("{error:?}"),
        };
        if got != expect {
            wrong.push(format!("{typed}: {expect} expected, got {got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn control_characters_and_very_long_references_are_refused() {
    // P1
    for bad in ["\n", "\0", "\r", "\u{1b}", "\u{202e}", "\u{200b}"] {
        let text = format!("owner/re{bad}po");
        let error = Reference::parse(&text, &bases());
        assert!(matches!(error, Err(ReferenceError::Character(_))), "{text:?}: {error:?}");
        let local = Reference::parse(&format!("./x{bad}y"), &bases());
        assert!(matches!(local, Err(ReferenceError::Character(_))), "{local:?}");
    }
    let long = format!("owner/{}", "x".repeat(MAX_REFERENCE_BYTES));
    assert_eq!(Reference::parse(&long, &bases()), Err(ReferenceError::TooLong));
    let nobody = Bases::new("/work");
    assert_eq!(Reference::parse("~/x", &nobody), Err(ReferenceError::NoHome));
}

#[test]
fn every_error_is_a_sentence() {
    // P1
    let text = || "x".to_owned();
    for error in [
        ReferenceError::Empty,
        ReferenceError::TooLong,
        ReferenceError::Character('\n'),
        ReferenceError::OptionLike(text()),
        ReferenceError::Scheme(text()),
        ReferenceError::File(text()),
        ReferenceError::Insecure,
        ReferenceError::Credentials,
        ReferenceError::Host(text()),
        ReferenceError::UnknownHost(text()),
        ReferenceError::Repository(text()),
        ReferenceError::Path { path: text(), why: text() },
        ReferenceError::Ref(text()),
        ReferenceError::TwoRefs,
        ReferenceError::OneWord(text()),
        ReferenceError::Label(text()),
        ReferenceError::Unversioned,
        ReferenceError::NoHome,
    ] {
        let said = error.to_string();
        assert!(said.len() > 10 && !said.ends_with('.') && !said.contains('\n'), "{said}");
    }
}

#[test]
fn what_a_browser_shows_has_as_many_readings_as_its_path_has_parts() {
    // P1
    let read = |text: &str| {
        let readings = Reference::parse(text, &bases()).unwrap().readings().into_iter();
        readings
            .map(|(name, path)| format!("{}:{path}", name.unwrap_or_default()))
            .collect::<Vec<_>>()
    };
    let viewed = read("https://github.com/o/r/tree/feature/x/skills/pdf");
    let expect = [
        "feature:x/skills/pdf",
        "feature/x:skills/pdf",
        "feature/x/skills:pdf",
        "feature/x/skills/pdf:",
    ];
    assert_eq!(viewed, expect);
    assert_eq!(read("https://github.com/o/r/tree/main"), ["main:"]);
    assert_eq!(read("o/r/skills/pdf#feature"), ["feature:skills/pdf"]);
    assert_eq!(read("o/r"), [":"]);
}

#[test]
fn short_forms_follow_the_settings() {
    // P1
    for (base, expect) in [
        ("http://127.0.0.1:3000", "http://127.0.0.1:3000/owner/repo"),
        ("https://git.company.example/mirror/", "https://git.company.example/mirror/owner/repo"),
        ("git@git.company.example:", "git@git.company.example:owner/repo"),
        ("file:///srv/git", "file:///srv/git/owner/repo"),
    ] {
        let bases = Bases { repositories: base.to_owned(), ..bases() };
        assert_eq!(Reference::parse("owner/repo", &bases).unwrap().to_string(), expect);
    }
    for base in ["", "no-url", "http://example.org", "--upload-pack=x"] {
        let bases = Bases { repositories: base.to_owned(), ..bases() };
        assert!(Reference::parse("owner/repo", &bases).is_err(), "{base}");
    }
}

#[test]
fn an_owner_and_a_name_may_also_be_a_skill_of_the_owners_collection() {
    // P1
    let reference = Reference::parse("owner/pdf#v1", &bases()).unwrap();
    let url = "https://github.com/owner/skills".to_owned();
    let expect = Otherwise { url: url.clone(), skill: "pdf".to_owned() };
    assert_eq!(reference.otherwise, Some(expect));
    assert_eq!(reference.otherwise_there(&url).to_string(), format!("{url}#v1"));
    for other in ["owner/skills", "owner/repo/path", "https://github.com/owner/repo", "./x"] {
        assert_eq!(Reference::parse(other, &bases()).unwrap().otherwise, None, "{other}");
    }
}

#[test]
fn what_a_lockfile_names_is_read_as_strictly_as_what_is_typed() {
    // P3
    let locked = |source: &str, path: &str, commit: Option<&str>| Locked {
        source: source.to_owned(),
        path: path.to_owned(),
        requested: Some("main".to_owned()),
        commit: commit.map(str::to_owned),
        signature: Signature::None,
    };
    let id = "0123456789012345678901234567890123456789";
    let good = Reference::locked(&locked("https://github.com/o/r", "a/@b", Some(id))).unwrap();
    assert_eq!((good.path.as_str(), good.requested.as_deref()), ("a/@b", Some(id)));
    let local = Reference::locked(&locked("/srv/x", "one", None)).unwrap();
    assert_eq!(local.origin, Origin::Directory(PathBuf::from("/srv/x")));
    for (source, path, commit) in [
        ("ext::sh -c x", "", Some(id)),
        ("--upload-pack=x", "", Some(id)),
        ("https://github.com/o/r", "../x", Some(id)),
        ("https://github.com/o/r", "", Some("--upload-pack=x")),
        ("https://github.com/o/r", "", Some("main")),
    ] {
        assert!(Reference::locked(&locked(source, path, commit)).is_err(), "{source} {path}");
    }
}

use crate::Locked;

proptest! {
    #[test]
    fn whatever_is_typed_nothing_becomes_an_option_or_leaves(text in "\\PC{0,40}") {
        // P1
        check(&text);
    }

    #[test]
    fn whatever_is_put_together_nothing_becomes_an_option_or_leaves(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "https://", "ssh://", "file://", "git@", "github.com", "host.example", "owner",
                "repo", "/", "//", "..", ".", "-", "--upload-pack=x", "@", "#", ":", "::", "tree",
                "blob", "src", "branch", "main", "v1", "skills", ".git", "~", "%2e", "%2f", "?",
                "ext", ".zip", "0123456", "[::1]", "127.0.0.1", "http://", "\\", " ", "é",
            ]),
            0..9,
        )
    ) {
        // P1
        check(&parts.concat());
    }
}

/// Whatever is accepted is safe to give to git, stays inside, and is read back as the same.
fn check(text: &str) {
    let Ok(reference) = Reference::parse(text, &bases()) else { return };
    let canonical = reference.to_string();
    let again = Reference::parse(&canonical, &bases()).unwrap();
    assert_eq!(again.to_string(), canonical, "{text}");
    assert_eq!(
        (&again.origin, &again.path, &again.requested),
        (&reference.origin, &reference.path, &reference.requested),
        "{text}"
    );
    if let Origin::Git(url) = &reference.origin {
        assert!(!url.starts_with('-') && !url.contains("::") || url.contains('['), "{url}");
        assert!(!url.contains(char::is_whitespace) && !url.contains('\0'), "{url}");
        let path = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
        assert!(!path.split(['/', ':']).any(|part| part == ".." || part.starts_with('-')), "{url}");
    }
    assert!(!reference.path.starts_with(['/', '-']), "{text}");
    assert!(!reference.path.split('/').any(|part| part == ".."), "{text}");
    let requested = reference.requested.unwrap_or_default();
    assert!(!requested.starts_with('-') && !requested.contains([':', '^', '*']), "{text}");
}

#[test]
fn a_site_is_scheme_host_and_port_in_one_spelling() {
    // P2, P6
    let check = |text: &str, expect: Option<&str>| {
        assert_eq!(site(text).as_deref(), expect, "{text}");
    };
    check("https://A.example", Some("https://a.example:443"));
    check("https://a.example:443/x?y#z", Some("https://a.example:443"));
    check("archive+https://a.example:8443/x", Some("https://a.example:8443"));
    check("mcp+http://127.0.0.1/mcp", Some("http://127.0.0.1:80"));
    check("http://[::1]:7777", Some("http://[::1]:7777"));
    check("http://a.example/x", None);
    check("https://u:p@a.example/x", None);
    check("ssh://git@a.example/x", None);
    check("git@a.example:x", None);
    check("mcp:team", None);
    check("/work/x", None);
    check("owner/repo", None);
}
