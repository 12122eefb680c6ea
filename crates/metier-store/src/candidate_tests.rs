use metier_format::Code;
use metier_format::manifest::{Scope, Text};
use metier_format::{AllowedTools, Manifest, Parsed, Span, Spanned, ToolPattern};

use super::{
    Spot, Start, at_a_glance, candidate, directory_name, facts, is_skill_file, misnamed, parsed,
    start,
};
use crate::digest::sha256;
use crate::discover::{Facts, FoundScope};
use crate::layer::RootId;

const TEXT: &[u8] = b"---\nname: sort-mail\ndescription: Sorts mail.\n---\nBody.\n";

fn spot(path: &[u8]) -> Spot<'_> {
    Spot { root: RootId(3), path, identity: (1, 2) }
}

fn text(value: &str) -> Text {
    Spanned::new(value.to_owned(), Span::default())
}

fn manifest() -> Manifest {
    parsed(TEXT, Some(b"sort-mail")).manifest.expect("a good skill")
}

#[test]
fn more_is_read_only_while_the_frontmatter_is_open() {
    // D2
    let check = |text: &[u8], expect: Start| assert_eq!(start(text), expect, "{text:?}");
    check(TEXT, Start::Closed);
    check(b"---\nname: x\n", Start::GoesOn);
    check(b"# No frontmatter at all", Start::Absent);
    check(b"", Start::GoesOn);
    check(b"\xef\xbb\xbf \r\n\n", Start::GoesOn);
    check(b"---\nname: x\n---", Start::GoesOn);
    check(b"---\nname: x\n---\n", Start::Closed);
    check(b"---\nname: x\n---\nB", Start::Closed);
}

#[test]
fn a_candidate_says_what_and_where_it_is() {
    // D1, D2
    let found = candidate(TEXT, parsed(TEXT, Some(b"sort-mail")), spot(b"a/sort-mail")).unwrap();
    assert_eq!(found.name.as_str(), "sort-mail");
    assert_eq!(&*found.description, "Sorts mail.");
    assert_eq!((found.root, found.identity), (RootId(3), (1, 2)));
    assert_eq!(found.path.to_str(), Some("a/sort-mail"));
    assert_eq!(found.digest, sha256(b"name: sort-mail\ndescription: Sorts mail.\n"));
    assert_eq!(found.facts, None);
}

#[test]
fn a_glance_gives_the_same_candidate_as_parsing() {
    // D1, N1
    let check = |yaml: &str| {
        let text = format!("---\nname: a\ndescription: What it does.\n{yaml}---\nBody\n");
        let text = text.as_bytes();
        let glanced = at_a_glance(text, Some(b"a"), spot(b"x/a")).expect("a plain file");
        assert_eq!(Ok(glanced), candidate(text, parsed(text, Some(b"a")), spot(b"x/a")), "{yaml}");
    };
    check("");
    check("license: MIT\ncompatibility: Needs git\n");
    check("metadata:\n  version: '2'\nallowed-tools: Read Bash(git:*)\n");
}

#[test]
fn a_glance_is_not_enough_when_the_bytes_end_with_the_fence() {
    // D2
    let text = b"---\nname: a\ndescription: b\n---";
    assert_eq!(at_a_glance(text, Some(b"a"), spot(b"a")), None);
    assert_eq!(at_a_glance(TEXT, None, spot(b"")), None);
    assert_eq!(at_a_glance(TEXT, Some(b"\xff"), spot(b"\xff")), None);
    assert_eq!(at_a_glance(TEXT, Some(b"other"), spot(b"other")), None);
}

#[test]
fn what_cannot_be_loaded_comes_with_its_reasons() {
    // D2
    let why = candidate(b"text", parsed(b"text", None), spot(b"x")).unwrap_err();
    assert_eq!(why.iter().map(|d| d.code).collect::<Vec<_>>(), [Code::NoFrontmatter]);
    let none = Parsed::default();
    assert_eq!(candidate(b"", none, spot(b"x")).unwrap_err(), []);
}

#[test]
fn facts_are_kept_only_when_there_are_any() {
    // D4, N3
    assert_eq!(facts(&mut manifest()), None);
    let mut full = manifest();
    full.priority = -4;
    full.tags = vec![text("mail"), text("sort")];
    full.origin.version = Some(text("1.10"));
    full.origin.min_host_version = Some(text("2"));
    full.origin.max_host_version = Some(text("3"));
    full.compatibility = Some(text("Needs a mailbox"));
    full.scope = Scope { tenants: Some(vec![text("acme")]), ..Scope::default() };
    full.invocation.disable_model_invocation = true;
    full.invocation.user_invocable = false;
    let expected = Facts {
        priority: -4,
        tags: ["mail".into(), "sort".into()].into(),
        version: Some("1.10".into()),
        compatibility: Some("Needs a mailbox".into()),
        allowed_tools: None,
        scope: Some(Box::new(FoundScope {
            tenants: Some(vec!["acme".into()]),
            ..FoundScope::default()
        })),
        min_host_version: Some("2".into()),
        max_host_version: Some("3".into()),
        disable_model_invocation: true,
        user_invocable: false,
    };
    assert_eq!(facts(&mut full), Some(Box::new(expected)));
}

#[test]
fn tools_are_one_line_and_unreadable_ones_allow_nothing() {
    // D5, S3
    let check = |tools: AllowedTools, expect: &str| {
        let mut manifest = manifest();
        manifest.allowed_tools = Some(Spanned::new(tools.clone(), Span::default()));
        let facts = facts(&mut manifest).expect("tools are a fact");
        assert_eq!(facts.allowed_tools.as_deref(), Some(expect));
        if let AllowedTools::Only(patterns) = tools {
            let shown: Vec<String> = patterns.iter().map(ToString::to_string).collect();
            assert_eq!(shown.join(" "), expect, "as the format crate writes them");
        }
    };
    let bash = ToolPattern { tool: "Bash".into(), argument: Some("git add *".into()) };
    let read = ToolPattern { tool: "Read".into(), argument: None };
    check(AllowedTools::Only(vec![bash, read]), "Bash(git add *) Read");
    check(AllowedTools::Only(Vec::new()), "");
    check(AllowedTools::Unreadable, "");
}

#[test]
fn other_spellings_of_the_file_are_known_and_reported() {
    // F1
    assert!(is_skill_file(b"SKILL.md") && is_skill_file(b"skill.MD"));
    assert!(!is_skill_file(b"SKILLS.md") && !is_skill_file(b"SKILL.md.bak"));
    assert_eq!(misnamed("SKILL.md"), None);
    let finding = misnamed("Skill.md").unwrap();
    assert_eq!(
        (finding.code, &*finding.message),
        (Code::FileName, "The file is called `Skill.md`")
    );
}

#[test]
fn the_directory_of_a_root_that_is_a_skill_is_the_roots_own() {
    // D1
    assert_eq!(directory_name(b"", Some(b"root")), Some(&b"root"[..]));
    assert_eq!(directory_name(b"", None), None);
    assert_eq!(directory_name(b"a/b", Some(b"root")), Some(&b"b"[..]));
}
