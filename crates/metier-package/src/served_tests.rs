use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use metier_sandbox::Runner;
use metier_store::digest::{TreeFile, hex, sha256};
use serde_json::json;

use super::*;
use crate::fetch::{Select, fetch, offered};
use crate::progress::Silent;
use crate::retry::Retry;
use crate::source::Fetched;
use crate::staging;

/// A server that says what a table says: pages by cursor, entries and files by address.
#[derive(Clone, Default)]
pub(crate) struct Table {
    pub(crate) pages: BTreeMap<String, Value>,
    pub(crate) entries: BTreeMap<String, Value>,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

/// Tables behind a connection, and what was read from them.
#[derive(Default)]
pub(crate) struct Tables {
    pub(crate) table: Table,
    pub(crate) read: Mutex<Vec<String>>,
    pub(crate) endpoints: Mutex<Vec<String>>,
    pub(crate) fails: Option<ServerError>,
}

struct Talk<'a>(&'a Tables);

impl SkillServers for Tables {
    fn connect<'a>(
        &'a self,
        endpoint: Endpoint<'a>,
        _cancel: &'a Cancel,
    ) -> Result<Box<dyn SkillServer + 'a>, ServerError> {
        self.endpoints.lock().unwrap().push(format!("{endpoint:?}"));
        match &self.fails {
            Some(error) => Err(error.clone()),
            None => Ok(Box::new(Talk(self))),
        }
    }
}

impl SkillServer for Talk<'_> {
    fn list(&mut self, cursor: Option<&str>) -> Result<Value, ServerError> {
        let page = self.0.table.pages.get(cursor.unwrap_or_default());
        page.cloned().ok_or_else(|| ServerError::Refuses("no such page".to_owned()))
    }

    fn get(&mut self, uri: &str) -> Result<Value, ServerError> {
        self.0
            .table
            .entries
            .get(uri)
            .cloned()
            .ok_or_else(|| ServerError::Unknown("not here".to_owned()))
    }

    fn read(&mut self, uri: &str, _size: u64) -> Result<Vec<u8>, ServerError> {
        self.0.read.lock().unwrap().push(uri.to_owned());
        self.0
            .table
            .files
            .get(uri)
            .cloned()
            .ok_or_else(|| ServerError::Unknown("not here".to_owned()))
    }
}

pub(crate) fn manifest_of(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}. Use when due.\n---\n\nBody of {name}.\n")
}

/// What an honest server says of the skill at `path` with these files beside its `SKILL.md`.
pub(crate) fn honest(path: &str, files: &[(&str, &str)]) -> (Value, Vec<(String, Vec<u8>)>) {
    let name = path.rsplit('/').next().unwrap();
    let own = manifest_of(name);
    let all = [("SKILL.md", own.as_str())].into_iter().chain(files.iter().copied());
    let all: Vec<(String, Vec<u8>)> = all
        .map(|(at, text)| (format!("skill://{path}/{at}").replace(' ', "%20"), text.into()))
        .collect();
    let resource = |(uri, bytes): &(String, Vec<u8>)| {
        let digest = format!("sha256:{}", hex(&sha256(bytes)));
        json!({"uri": uri, "digest": digest, "size": bytes.len()})
    };
    let entry = json!({
        "uri": format!("skill://{path}/SKILL.md"),
        "frontmatter": {"name": name, "description": format!("Does {name}. Use when due.")},
        "resources": all.iter().map(resource).collect::<Vec<_>>(),
    });
    (entry, all)
}

impl Tables {
    /// An honest server with these skills.
    pub(crate) fn with(skills: &[(&str, &[(&str, &str)])]) -> Self {
        let mut tables = Self::default();
        let mut listed = Vec::new();
        for (path, files) in skills {
            let (entry, files) = honest(path, files);
            tables.table.entries.insert(
                entry["uri"].as_str().unwrap().to_owned(),
                json!({"resultType": "complete", "skill": entry}),
            );
            tables.table.files.extend(files);
            listed.push(entry);
        }
        tables.table.pages.insert(String::new(), json!({"skills": listed}));
        tables
    }

    /// The same with the entry at `uri` changed wherever the server says it.
    pub(crate) fn changed(mut self, uri: &str, change: impl Fn(&mut Value)) -> Self {
        for page in self.table.pages.values_mut() {
            let skills = page["skills"].as_array_mut().unwrap().iter_mut();
            skills.filter(|entry| entry["uri"] == uri).for_each(&change);
        }
        if let Some(got) = self.table.entries.get_mut(uri) {
            change(&mut got["skill"]);
        }
        self
    }

    pub(crate) fn reads(&self) -> Vec<String> {
        self.read.lock().unwrap().clone()
    }

    /// Fetches, and says what came: `name path files…`, `refused path code`, or the error.
    pub(crate) fn fetch(&self, typed: &str, select: Select<'_>) -> String {
        self.with_fetch(select, |settings| {
            let reference = parsed(typed);
            match fetch(&reference, settings, &mut Silent) {
                Ok(fetched) => told(&fetched),
                Err(error) => {
                    assert!(!staging::is_there(settings.staging), "nothing is left behind");
                    error.to_string()
                }
            }
        })
    }

    pub(crate) fn with_fetch<T>(
        &self,
        select: Select<'_>,
        work: impl FnOnce(&Fetch<'_>) -> T,
    ) -> T {
        let folder = tempfile::tempdir().unwrap();
        let index = Index::of_command("team", &["served".to_owned(), "--all".to_owned()]).unwrap();
        let staging = folder.path().join("staging");
        work(&Fetch {
            runner: &Runner::new(),
            cancel: &Cancel::never(),
            cache: Path::new("/nowhere"),
            staging: &staging,
            environment: &[],
            select,
            offline: false,
            signers: None,
            sites: &[],
            retry: &Retry::default(),
            servers: Some(Servers { indexes: &[index], client: self }),
        })
    }
}

pub(crate) fn parsed(typed: &str) -> Reference {
    Reference::parse(typed, &crate::reference::Bases::new("/")).unwrap()
}

fn told(fetched: &Fetched) -> String {
    let skills = fetched.skills.iter().map(|staged| {
        let locked = &staged.locked;
        let path = |file: &TreeFile| String::from_utf8(file.path.to_vec()).unwrap();
        let files: Vec<String> = staged.tree.files().iter().map(path).collect();
        assert_eq!((&locked.commit, &locked.requested), (&None, &None));
        format!("{} {}//{} {}", staged.name, locked.source, locked.path, files.join(","))
    });
    let refused = fetched.refused.iter().map(|one| format!("refused {} {}", one.path, one.code));
    skills.chain(refused).collect::<Vec<_>>().join("\n")
}

fn two() -> Tables {
    Tables::with(&[
        ("acme/billing/refunds", &[("references/a b.md", "notes"), ("scripts/run.sh", "echo")]),
        ("pdf", &[]),
    ])
}

#[test]
fn a_listing_reads_no_file() {
    // U2, P6
    let tables = two();
    let names = tables.with_fetch(Select::All, |settings| {
        let all = offered(&parsed("mcp:team"), settings, &mut Silent).unwrap();
        assert_eq!(all.1, []);
        all.0.iter().map(|one| format!("{} {}", one.name, one.path)).collect::<Vec<_>>()
    });
    assert_eq!(names, ["refunds acme/billing/refunds", "pdf pdf"]);
    assert_eq!(tables.reads(), Vec::<String>::new(), "not at listing");
}

#[test]
fn a_listing_says_what_of_it_cannot_be_believed() {
    // U2, P2
    let tables = two().changed("skill://pdf/SKILL.md", |entry| {
        entry["resources"] = "dynamic".into();
    });
    let (skills, refused) = tables.with_fetch(Select::All, |settings| {
        offered(&parsed("mcp:team"), settings, &mut Silent).unwrap()
    });
    assert_eq!((skills.len(), refused.len()), (1, 1));
    assert_eq!(refused[0].path, "pdf");
    assert!(refused[0].reason.contains("made as they are asked for"), "{refused:?}");
}

#[test]
fn a_skill_is_fetched_by_path_and_by_name_and_nothing_else_is_read() {
    // U2, P1
    let tables = two();
    let whole = "refunds mcp:team//acme/billing/refunds SKILL.md,references/a b.md,scripts/run.sh";
    assert_eq!(tables.fetch("mcp:team//acme/billing/refunds", Select::AtPath), whole);
    let reads = tables.reads();
    assert_eq!(reads.len(), 3, "each file once: {reads:?}");
    assert!(reads[0].ends_with("SKILL.md"), "before the others");
    assert_eq!(tables.fetch("mcp:team", Select::Named(&["refunds".to_owned()])), whole);
    assert!(tables.reads().iter().all(|uri| !uri.contains("pdf")));
    let both = format!("pdf mcp:team//pdf SKILL.md\n{whole}");
    assert_eq!(tables.fetch("mcp:team", Select::All), both);
    let from_web = tables.fetch("mcp+https://skills.example/mcp//pdf", Select::AtPath);
    assert_eq!(from_web, "pdf mcp+https://skills.example/mcp//pdf SKILL.md");
    let endpoints = tables.endpoints.lock().unwrap();
    assert_eq!(endpoints[0], r#"Command(["served", "--all"])"#);
    assert_eq!(endpoints.last().unwrap(), r#"Url("https://skills.example/mcp")"#);
}

#[test]
fn what_is_not_there_or_cannot_be_asked_says_so() {
    // U2, P2
    let check = |tables: &Tables, typed: &str, expect: &str| {
        let said = tables.fetch(typed, Select::AtPath);
        assert_eq!(said, expect, "{typed}");
    };
    let tables = two();
    check(&tables, "mcp:other//pdf", "there is no MCP server called `other` here");
    check(&tables, "mcp:team//none", "`mcp:team//none` has no directory `none`");
    let named = tables.fetch("mcp:team", Select::Named(&["none".to_owned()]));
    assert_eq!(named, "there is no skill `none` in `mcp:team`");
    for (error, expect) in [
        (ServerError::Unreachable("gone\u{1b}[2J".to_owned()), "cannot be reached: gone"),
        (ServerError::TimedOut, "took too long to answer"),
        (ServerError::Interrupted, "it was interrupted"),
        (ServerError::Authentication("401".to_owned()), "cannot be read without signing in: 401"),
        (ServerError::NoSkills, "is an MCP server that does not offer skills"),
        (ServerError::Unknown("not here".to_owned()), "it knows nothing of that name"),
        (ServerError::Refuses("no".to_owned()), "gives no answer: it refuses: no"),
        (ServerError::Nonsense("x".repeat(9999)), "in a way that cannot be understood: xxx"),
        (ServerError::TooMuch(7), "answers with more than 7 bytes"),
        (ServerError::NoCurl, "curl, which brings archives, is not installed"),
    ] {
        let tables = Tables { fails: Some(error), ..two() };
        let said = tables.fetch("mcp:team//pdf", Select::AtPath);
        assert!(said.contains(expect) && !said.contains('\u{1b}'), "{said}");
        assert!(said.len() < 700, "a server does not fill the screen");
    }
    let unknown = FetchError::NoServer { label: "x".into() }.to_string();
    assert_eq!(unknown, "there is no MCP server called `x` here");
    let reference = parsed("mcp:team//pdf");
    two().with_fetch(Select::AtPath, |settings| {
        let offline = Fetch { offline: true, ..*settings };
        let error = fetch(&reference, &offline, &mut Silent).unwrap_err();
        assert!(matches!(error, FetchError::Offline { .. }), "{error}");
        let alone = Fetch { servers: None, ..*settings };
        let error = fetch(&reference, &alone, &mut Silent).unwrap_err();
        assert!(matches!(error, FetchError::NoClient { .. }), "{error}");
    });
}

#[test]
fn what_a_server_claims_now_is_known_without_reading() {
    // P3
    let tables = two();
    tables.with_fetch(Select::All, |settings| {
        let claim = claimed(&parsed("mcp:team//pdf"), settings).unwrap().unwrap();
        let digest = hex(&sha256(manifest_of("pdf").as_bytes()));
        assert_eq!(claim.digests(), [("SKILL.md", digest.as_str())]);
        assert_eq!(claimed(&parsed("/somewhere"), settings).unwrap(), None);
    });
    assert!(tables.reads().is_empty());
    let dynamic = two().changed("skill://pdf/SKILL.md", |entry| {
        entry["resources"] = "dynamic".into();
    });
    dynamic.with_fetch(Select::All, |settings| {
        let error = claimed(&parsed("mcp:team//pdf"), settings).unwrap_err();
        assert!(error.to_string().contains("made as they are asked for"), "{error}");
    });
}
