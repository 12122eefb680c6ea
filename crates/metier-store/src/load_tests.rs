use std::path::{Path, PathBuf};

use metier_format::Code;

use super::{MAX_SKILL_BYTES, Source, resource, skill, too_large};
use crate::digest::{hex, sha256};
use crate::store::{LoadError, Resources, Skill};

fn load(file: &str, name: Option<&str>, text: &[u8]) -> Result<Skill, LoadError> {
    let source = Source {
        directory: PathBuf::from("root/one"),
        file: file.to_owned(),
        name: name.map(str::to_owned),
        bytes: text.to_vec(),
    };
    skill(source, || Ok(Resources::default()))
}

fn codes(skill: &Skill) -> Vec<Code> {
    skill.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn a_skill_is_its_manifest_and_its_body() {
    // R1, F1
    let check = |text: &str, body: &str| {
        let skill = load("SKILL.md", Some("one"), text.as_bytes()).unwrap();
        assert_eq!(skill.body, body);
        assert_eq!(skill.source, text.as_bytes());
        assert_eq!(skill.digest, hex(&sha256(text.as_bytes())));
        assert_eq!(skill.manifest.name.as_str(), "one");
    };
    check("---\nname: one\ndescription: d\n---\n# Body\n", "# Body\n");
    check("---\nname: one\ndescription: d\n---\n", "");
    check("---\nname: one\ndescription: d\n---", "");
    check("---\r\nname: one\r\ndescription: d\r\n---\r\n\r\nBody", "\r\nBody");
    check(
        "---\nname: one\ndescription: d\n---\n---\nnot: frontmatter\n---\n",
        "---\nnot: frontmatter\n---\n",
    );
}

#[test]
fn what_is_wrong_without_preventing_loading_is_kept() {
    // F3
    let text = b"---\nname: one\ndescription: d\n---\n";
    assert_eq!(codes(&load("SKILL.md", Some("one"), text).unwrap()), []);
    assert_eq!(codes(&load("SKILL.md", None, text).unwrap()), []);
    assert_eq!(codes(&load("SKILL.md", Some("two"), text).unwrap()), [Code::NameNotDirectory]);
    let both = load("skill.md", Some("two"), text).unwrap();
    assert_eq!(codes(&both), [Code::FileName, Code::NameNotDirectory]);
}

#[test]
fn what_prevents_loading_is_an_error_that_says_so() {
    // F3, F4
    let check = |text: &[u8], code: Code| match load("SKILL.md", Some("one"), text) {
        Err(LoadError::Invalid { path, diagnostics }) => {
            assert_eq!(path, Path::new("root/one/SKILL.md"));
            assert!(diagnostics.iter().any(|d| d.code == code), "{diagnostics:?}");
            let error = LoadError::Invalid { path, diagnostics };
            assert!(error.to_string().starts_with("`root/one/SKILL.md` cannot be loaded: "));
        }
        other => panic!("{text:?} gives {other:?}"),
    };
    check(b"", Code::NoFrontmatter);
    check(b"---\nname: one\n", Code::UnclosedFrontmatter);
    check(b"---\nname: one\n---\n", Code::DescriptionMissing);
    check(b"---\nname: one\ndescription: d\n---\ncaf\xe9\n", Code::NotUtf8);
}

#[test]
fn the_files_are_listed_only_for_a_skill_that_loads() {
    // R1
    let source = |text: &[u8]| Source {
        directory: PathBuf::from("x"),
        file: "SKILL.md".into(),
        name: None,
        bytes: text.to_vec(),
    };
    let gone = || Err(LoadError::NotFound(PathBuf::from("x")));
    let bad = skill(source(b"nothing"), || panic!("nobody asks for the files"));
    assert!(matches!(bad, Err(LoadError::Invalid { .. })));
    let vanished = skill(source(b"---\nname: a\ndescription: d\n---\n"), gone);
    assert!(matches!(vanished, Err(LoadError::NotFound(_))));
}

#[test]
fn a_file_that_is_too_large_says_how_large() {
    // F4
    let LoadError::Invalid { path, diagnostics } = too_large(Path::new("x/SKILL.md"), 99) else {
        panic!("it is not valid");
    };
    assert_eq!(path, Path::new("x/SKILL.md"));
    assert_eq!(diagnostics[0].code, Code::FileTooLarge);
    let message = format!("The file has 99 bytes; the limit is {MAX_SKILL_BYTES}");
    assert_eq!(diagnostics[0].message, message);
}

#[test]
fn bytes_that_are_not_text_are_binary() {
    // R1
    let check = |bytes: &[u8], binary: bool| {
        let resource = resource("a/b", bytes.to_vec()).unwrap();
        assert_eq!((&*resource.path, resource.binary), ("a/b", binary), "{bytes:?}");
        assert_eq!(resource.bytes, bytes);
    };
    check(b"", false);
    check(b"plain text\r\n\t\x1b", false);
    check("\u{feff}caf\u{e9} \u{1f600}".as_bytes(), false);
    check(b"nul \0 inside", true);
    check(b"latin \xe9", true);
    check(b"cut \xc3", true);
    check(b"\x89PNG\r\n\x1a\n", true);
}
