use serde_json::{Value, json};

use super::{SCHEMA, description, read, resolve};
use crate::index::{IndexError, Kind};
use crate::limits::{MAX_INDEX_DESCRIPTION, MAX_INDEX_PROBLEMS, MAX_INDEX_SKILLS};
use crate::reference::{Bases, Origin, Reference};

const URL: &str = "https://skills.example/.well-known/agent-skills/index.json";

fn entry(name: &str) -> Value {
    let digest = format!("sha256:{}", "ab".repeat(32));
    json!({"name": name, "type": "archive", "description": "Does it.", "url": "x.tar.gz",
           "digest": digest, "unknown": [1, 2]})
}

fn list(skills: Vec<Value>) -> Value {
    json!({"$schema": SCHEMA, "skills": skills, "unknown": true})
}

#[test]
fn a_list_says_where_each_skill_is_and_what_its_bytes_are() {
    // P6
    let contents = read(&list(vec![entry("pdf")]), URL).unwrap();
    let pdf = contents.skill("pdf").unwrap();
    assert_eq!(pdf.reference, "https://skills.example/.well-known/agent-skills/x.tar.gz");
    assert_eq!(pdf.digest.as_deref(), Some("ab".repeat(32).as_str()));
    assert_eq!(contents.problems, Vec::<String>::new());
}

#[test]
fn a_list_of_another_version_is_not_read() {
    // P6
    let check = |document: Value, says: &str| {
        let error = read(&document, URL).unwrap_err();
        assert!(matches!(error, IndexError::Schema(_)), "{error:?}");
        assert!(error.to_string().contains(says), "{error}");
    };
    let error = read(&json!({"skills": []}), URL).unwrap_err();
    assert!(matches!(error, IndexError::NoSchema), "{error:?}");
    assert!(error.to_string().contains("does not say its form"), "{error}");
    check(json!({"$schema": "https://example/\u{1b}[31m", "skills": []}), "https://example/");
    let error = read(&json!({"$schema": SCHEMA}), URL).unwrap_err();
    assert!(matches!(error, IndexError::NotAnIndex(_)), "{error:?}");
}

#[test]
fn what_is_wrong_with_one_entry_is_said_and_the_others_are_listed() {
    // P6, F4
    let check = |member: &str, value: Value, says: &str| {
        let mut bad = entry("bad");
        bad[member] = value;
        let contents = read(&list(vec![bad, entry("good")]), URL).unwrap();
        assert_eq!(contents.skills.len(), 1, "{member}");
        assert!(contents.problems[0].contains(says), "{:?}", contents.problems);
    };
    check("name", json!("../../etc"), "skill 0:");
    check("name", json!(7), "`name` is missing");
    check("digest", json!("md5:abc"), "no digest");
    check("digest", json!(format!("sha256:{}", "AB".repeat(32))), "no digest");
    check("digest", Value::Null, "`digest` is missing");
    check("url", json!("file:///etc/passwd"), "the address of `bad`");
    check("url", json!("http://elsewhere.example/x.zip"), "http");
    check("url", json!("http://127.0.0.1/x.zip"), "on this machine");
    for near in ["127.0.0.1:18443", "localhost", "[::1]", "169.254.169.254", "0x7f.1"] {
        check("url", json!(format!("https://{near}/x.tar.gz")), "on this machine");
    }
    check("type", json!("hologram"), "`bad` is of the type `hologram`, which is not known here");
    check("type", json!("\u{1b}[31m"), "which is not known here");
    check("url", json!("https://u:p@elsewhere.example/x.zip"), "password");
    check("url", json!("x.tar.gz?q=1"), "the address of `bad`");
    check("description", json!(null), "`description` is missing");
}

#[test]
fn a_second_of_a_name_is_said() {
    // P6
    let contents = read(&list(vec![entry("pdf"), entry("pdf")]), URL).unwrap();
    assert_eq!(contents.skills.len(), 1);
    assert_eq!(contents.problems, ["`pdf` is listed twice; the first counts"]);
}

#[test]
fn a_list_is_as_long_as_a_list_may_be() {
    // P6, F4
    let many = (0..MAX_INDEX_SKILLS + 5).map(|n| entry(&format!("skill-{n}"))).collect();
    let contents = read(&list(many), URL).unwrap();
    assert_eq!(contents.skills.len(), MAX_INDEX_SKILLS);
    assert!(contents.problems[0].starts_with("only 10000"), "{:?}", contents.problems);
    let bad = (0..1000).map(|_| json!({})).collect();
    let contents = read(&list(bad), URL).unwrap();
    assert_eq!(contents.problems.len(), MAX_INDEX_PROBLEMS + 1);
    let long = description(&"é".repeat(5000));
    assert_eq!(long.chars().count(), MAX_INDEX_DESCRIPTION);
    assert!(!description("a\u{1b}[31mb\nc").contains(['\u{1b}', '\n']));
}

#[test]
fn an_address_is_read_as_a_browser_reads_it() {
    // P6
    let check = |address: &str, expect: &str| assert_eq!(resolve(URL, address), expect);
    check("a.zip", "https://skills.example/.well-known/agent-skills/a.zip");
    check("./b/a.zip", "https://skills.example/.well-known/agent-skills/b/a.zip");
    check("../a.zip", "https://skills.example/.well-known/a.zip");
    check("../../../../a.zip", "https://skills.example/a.zip");
    check("/a.zip", "https://skills.example/a.zip");
    check("//other.example/a.zip", "https://other.example/a.zip");
    check("https://other.example/a.zip", "https://other.example/a.zip");
}

#[test]
fn what_a_skill_is_is_said_by_its_type_and_not_by_its_address() {
    // P6
    let check = |kind: &str, url: &str, expect: (Kind, &str)| {
        let mut one = entry("pdf");
        (one["type"], one["url"]) = (json!(kind), json!(url));
        let contents = read(&list(vec![one]), URL).unwrap();
        let pdf = contents.skill("pdf").unwrap();
        assert_eq!((pdf.kind, pdf.reference.as_str()), expect);
        let read = Reference::parse(&pdf.reference, &Bases::new("/")).unwrap();
        assert!(matches!(read.origin, Origin::ArchiveUrl(_)), "{read:?}");
    };
    let archive = |at| (Kind::Archive, at);
    check("archive", "/repo", archive("archive+https://skills.example/repo"));
    check("archive", "/repo.git", archive("archive+https://skills.example/repo.git"));
    check("archive", "/x.zip", archive("https://skills.example/x.zip"));
    check("skill-md", "/raw.txt", (Kind::SkillMd, "archive+https://skills.example/raw.txt"));
    check("skill-md", "/x/SKILL.md", (Kind::SkillMd, "https://skills.example/x/SKILL.md"));
    check(
        "archive",
        "https://github.com/acme/skills",
        archive("archive+https://github.com/acme/skills"),
    );
}
