use serde_json::{Value, json};

use super::*;
use crate::fetch::Select;
use crate::served::TakeFile;
use crate::served::tests::{Tables, manifest_of};

const PDF: &str = "skill://pdf/SKILL.md";
const FORM: &str = "skill://pdf/references/form.md";

fn server() -> Tables {
    Tables::with(&[("pdf", &[("references/form.md", "a form")])])
}

fn fetched(tables: &Tables) -> String {
    tables.fetch("mcp:team//pdf", Select::AtPath)
}

#[test]
fn a_file_that_is_not_what_was_listed_is_never_used() {
    // U2, P2, P4
    let lies: [(&str, &[u8], &str); 6] = [
        (FORM, b"a worm", "its SHA-256 is"),
        (FORM, b"a form, and more", "it has 16 bytes and not 6"),
        (FORM, b"", "it has 0 bytes and not 6"),
        (PDF, b"---\nname: pdf\n---\n", "bytes and not"),
        (PDF, b"", "it has 0 bytes"),
        (FORM, b"a for\xff", "its SHA-256 is"),
    ];
    for (uri, bytes, why) in lies {
        let mut tables = server();
        tables.table.files.insert(uri.to_owned(), bytes.to_vec());
        let said = fetched(&tables);
        assert!(said.contains(why) && said.contains(uri), "{said}");
        let further = tables.reads().contains(&FORM.to_owned());
        assert_eq!(further, uri == FORM, "after a bad `SKILL.md` nothing more is read");
    }
    let mut tables = server();
    tables.table.files.remove(FORM);
    assert!(fetched(&tables).contains("the server does not give it: not here"));
}

/// A server that gives so many files and then no more.
struct Stops(usize);

impl SkillServer for Stops {
    fn list(&mut self, _cursor: Option<&str>) -> Result<Value, ServerError> {
        Err(ServerError::NoSkills)
    }

    fn get(&mut self, _uri: &str) -> Result<Value, ServerError> {
        Err(ServerError::NoSkills)
    }

    fn read(&mut self, uri: &str, _size: u64) -> Result<Vec<u8>, ServerError> {
        match self.0.checked_sub(1) {
            Some(left) => self.0 = left,
            None => return Err(ServerError::TooMuch(1)),
        }
        Ok(uri.into())
    }

    fn read_many(&mut self, files: &[(&str, u64)], take: TakeFile<'_>) {
        for (uri, size) in files.iter().take(self.0) {
            let _ = take(self.read(uri, *size));
        }
    }
}

/// The same, asked for one file after the other.
struct OneByOne(Stops);

impl SkillServer for OneByOne {
    fn list(&mut self, cursor: Option<&str>) -> Result<Value, ServerError> {
        self.0.list(cursor)
    }

    fn get(&mut self, uri: &str) -> Result<Value, ServerError> {
        self.0.get(uri)
    }

    fn read(&mut self, uri: &str, size: u64) -> Result<Vec<u8>, ServerError> {
        self.0.read(uri, size)
    }
}

#[test]
fn every_file_that_was_asked_for_comes_or_is_named() {
    // U2, P2
    let files: Vec<ClaimedFile> = ["skill://a/1", "skill://a/2", "skill://a/3"]
        .map(|uri| ClaimedFile {
            uri: uri.to_owned(),
            path: uri.to_owned(),
            sha256: hex(&sha256(uri.as_bytes())),
            size: uri.len() as u64,
        })
        .to_vec();
    let files: Vec<&ClaimedFile> = files.iter().collect();
    let check = |server: &mut dyn SkillServer, expect: usize, why: &str| {
        let mut given = Vec::new();
        let done = read(server, &files, "mcp:team", &mut |nth, bytes| {
            given.push((nth, bytes));
            Ok(())
        });
        let expected: Vec<(usize, Vec<u8>)> =
            files.iter().take(expect).map(|file| file.uri.clone().into()).enumerate().collect();
        assert_eq!(given, expected);
        let said = done.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(said.contains(why), "`{why}` expected, got `{said}`");
    };
    check(&mut Stops(3), 3, "");
    check(&mut Stops(2), 2, "skill://a/3");
    check(&mut Stops(0), 0, "it did not come");
    check(&mut OneByOne(Stops(3)), 3, "");
    check(&mut OneByOne(Stops(1)), 1, "far more bytes came");
    check(&mut OneByOne(Stops(1)), 1, "skill://a/2");
}

#[test]
fn every_skill_is_made_sure_of_before_the_other_files_of_any() {
    // U2, P4
    let tables = Tables::with(&[("a", &[("1.md", "one")]), ("b", &[("2.md", "two")])]);
    assert!(!tables.fetch("mcp:team", Select::All).contains("refused"));
    let reads = tables.reads();
    assert_eq!(
        reads,
        ["skill://a/SKILL.md", "skill://b/SKILL.md", "skill://a/1.md", "skill://b/2.md"]
    );
}

#[test]
fn frontmatter_that_differs_ends_it_before_the_next_file() {
    // U2, P4
    let tables = server().changed(PDF, |entry| {
        entry["frontmatter"]["description"] = "Something harmless".into();
    });
    let said = fetched(&tables);
    assert!(said.contains("`description` is not what the server lists"), "{said}");
    assert_eq!(tables.reads(), [PDF]);
}

#[test]
fn what_changes_between_list_and_read_is_refused() {
    // U2
    let mut tables = server();
    let newer = manifest_of("pdf").replace("Body", "Newer body");
    tables.table.files.insert(PDF.to_owned(), newer.into_bytes());
    assert!(fetched(&tables).contains("is not what the server lists"));
}

#[test]
fn skills_inside_a_skill_come_as_files_and_not_as_skills() {
    // U2, P4
    let inner = manifest_of("inner");
    let plugin = r#"{"name": "p", "skills": ["./inner"]}"#;
    let tables = Tables::with(&[(
        "outer",
        &[
            ("inner/SKILL.md", inner.as_str()),
            (".claude-plugin/plugin.json", plugin),
            (".agents/skills/inner/SKILL.md", inner.as_str()),
        ],
    )]);
    let files = ".agents/skills/inner/SKILL.md,.claude-plugin/plugin.json,SKILL.md,inner/SKILL.md";
    let expect = format!("outer mcp:team//outer {files}");
    assert_eq!(tables.fetch("mcp:team", Select::All), expect);
    assert_eq!(tables.fetch("mcp:team//outer", Select::AtPath), expect);
    let named = tables.fetch("mcp:team", Select::Named(&["inner".to_owned()]));
    assert_eq!(named, "there is no skill `inner` in `mcp:team`");
    // Listed by itself it is one, and somebody has to ask for it.
    let both =
        Tables::with(&[("outer", &[("inner/SKILL.md", inner.as_str())]), ("outer/inner", &[])]);
    let alone = both.fetch("mcp:team//outer/inner", Select::AtPath);
    assert_eq!(alone, "inner mcp:team//outer/inner SKILL.md");
}

#[test]
fn a_bad_entry_is_named_and_keeps_no_other_out() {
    // U2, P2
    let tables = Tables::with(&[("bad", &[("x.md", "x")]), ("good", &[])]).changed(
        "skill://bad/SKILL.md",
        |entry| {
            entry["resources"][1]["uri"] = "skill://bad/../good/SKILL.md".into();
        },
    );
    let all = tables.fetch("mcp:team", Select::All);
    assert_eq!(all, "good mcp:team//good SKILL.md\nrefused bad PK604");
    let good = tables.fetch("mcp:team", Select::Named(&["good".to_owned()]));
    assert_eq!(good, "good mcp:team//good SKILL.md");
    let bad = tables.fetch("mcp:team", Select::Named(&["bad".to_owned()]));
    assert!(bad.contains("goes up with `..`"), "{bad}");
    assert_eq!(tables.fetch("mcp:team//bad", Select::AtPath), "refused bad PK604");
}

#[test]
fn nothing_a_server_sends_is_executable_or_a_link() {
    // U2, P2
    let tables = Tables::with(&[("pdf", &[("scripts/run.sh", "#!/bin/sh\n")])]).changed(PDF, |e| {
        e["resources"][1]["mode"] = json!("100755");
    });
    tables.with_fetch(Select::AtPath, |settings| {
        let reference = crate::served::tests::parsed("mcp:team//pdf");
        let fetched = crate::fetch(&reference, settings, &mut crate::Silent).unwrap();
        let kinds: Vec<_> =
            fetched.skills[0].tree.files().iter().map(|file| format!("{:?}", file.kind)).collect();
        assert_eq!(kinds, ["File", "File"]);
    });
}
