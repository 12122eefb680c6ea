use serde_json::json;

use super::*;
use crate::fetch::Select;
use crate::limits::MAX_INDEX_SKILLS;
use crate::served::tests::{Tables, honest};

/// Answers by a function, and counts how often it was asked.
struct Pages<F>(F, usize);

impl<F: FnMut(Option<&str>) -> Value> SkillServer for Pages<F> {
    fn list(&mut self, cursor: Option<&str>) -> Result<Value, ServerError> {
        self.1 += 1;
        Ok((self.0)(cursor))
    }

    fn get(&mut self, _uri: &str) -> Result<Value, ServerError> {
        self.1 += 1;
        Ok((self.0)(None))
    }

    fn read(&mut self, uri: &str, _size: u64) -> Result<Vec<u8>, ServerError> {
        panic!("{uri} is read while it is listed")
    }
}

fn all(answer: impl FnMut(Option<&str>) -> Value) -> (Result<Listing, String>, usize) {
    let mut pages = Pages(answer, 0);
    let listing = Listing::all(&mut pages, "mcp:team").map_err(|error| error.to_string());
    (listing, pages.1)
}

fn entry(name: &str) -> Value {
    honest(name, &[]).0
}

#[test]
fn pages_follow_each_other_to_the_end() {
    // U2, P6
    let (listing, asked) = all(|cursor| match cursor {
        None => json!({"skills": [entry("a")], "nextCursor": "2"}),
        Some("2") => json!({"skills": [], "nextCursor": "3", "resultType": "complete"}),
        Some(_) => json!({"skills": [entry("b"), entry("a"), 7], "nextCursor": null}),
    });
    let listing = listing.unwrap();
    let names: Vec<&str> = listing.claims.iter().map(|claim| claim.name.as_str()).collect();
    assert_eq!((names, asked), (vec!["a", "b"], 3));
    assert_eq!(listing.faults[0], ("skill://a/SKILL.md".to_owned(), Fault::Twice));
    assert_eq!(listing.faults[1], (String::new(), Fault::Shape("uri")));
}

#[test]
fn a_list_without_end_is_ended() {
    // U2, P6
    let check = |(listing, asked): (Result<Listing, String>, usize), why: &str, most: usize| {
        let error = listing.unwrap_err();
        assert!(error.contains(why) && asked <= most, "{error}, asked {asked} times");
    };
    check(all(|_| json!({"skills": [], "nextCursor": "again"})), "round in a circle", 3);
    let mut number = 0;
    let endless = all(|_| {
        number += 1;
        json!({"skills": [], "nextCursor": number.to_string()})
    });
    check(endless, "8 of its pages in a row have no skill", 8);
    let mut number = 0;
    let slow = all(|_| {
        number += 1;
        json!({"skills": [entry(&format!("s{number}"))], "nextCursor": number.to_string()})
    });
    check(slow, "more than 256 pages", MAX_SERVED_PAGES);
    let huge = all(|cursor| {
        let first: usize = cursor.map_or(0, |text| text.parse().unwrap());
        let skills: Vec<Value> = (first..first + 4000).map(|n| entry(&format!("s{n}"))).collect();
        json!({"skills": skills, "nextCursor": (first + 4000).to_string()})
    });
    check(huge, "more than 10000 skills", MAX_INDEX_SKILLS / 4000 + 1);
    check(all(|_| json!({"skills": vec![json!(0); 10_001]})), "more than 10000 skills", 1);
}

#[test]
fn what_is_no_page_is_no_list() {
    // U2
    for (page, why) in [
        (json!(null), "no list `skills`"),
        (json!([]), "no list `skills`"),
        (json!({"skills": {}}), "no list `skills`"),
        (json!({"skills": [], "nextCursor": 7}), "not a short text"),
        (json!({"skills": [], "nextCursor": "x".repeat(5000)}), "not a short text"),
        (json!({"skills": [], "resultType": "input_required"}), "asks something back"),
    ] {
        let (listing, _) = all(|_| page.clone());
        let error = listing.unwrap_err();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_server_answers_for_the_skill_it_was_asked_about() {
    // U2
    let one = |answer: Value| {
        let mut pages = Pages(|_: Option<&str>| answer.clone(), 0);
        Listing::one(&mut pages, "mcp:team//a", "a").map_err(|error| error.to_string())
    };
    assert_eq!(one(json!({"skill": entry("a")})).unwrap().claims.len(), 1);
    let other = one(json!({"skill": entry("b")})).unwrap_err();
    assert!(other.contains("answers for another skill"), "{other}");
    assert!(one(json!({})).unwrap_err().contains("no `skill` in it"));
    assert!(one(json!({"resultType": "task"})).unwrap_err().contains("asks something back"));
}

#[test]
fn a_skill_whose_address_has_another_scheme_is_found_in_the_list() {
    // U2, P2
    let other = |name: &str| -> Value {
        serde_json::from_str(&entry(name).to_string().replace("skill://", "github://")).unwrap()
    };
    let tables = |listed: Vec<Value>| {
        let mut tables = Tables::default();
        for entry in &listed {
            let uri = entry["uri"].as_str().unwrap().replace("/SKILL.md", "");
            for (at, bytes) in honest(skill_at(&uri), &[]).1 {
                tables.table.files.insert(at.replace("skill://", "github://"), bytes);
            }
        }
        tables.table.pages.insert(String::new(), json!({"skills": listed}));
        tables
    };
    let server = tables(vec![other("acme/pdf"), other("acme/doc")]);
    let got = server.fetch("mcp:team//acme/pdf", Select::AtPath);
    assert_eq!(got, "pdf mcp:team//acme/pdf SKILL.md");
    assert_eq!(server.reads(), ["github://acme/pdf/SKILL.md"], "as the server spells it");
    let none = server.fetch("mcp:team//acme/other", Select::AtPath);
    assert!(none.contains("has no directory `acme/other`"), "{none}");
    // Of two skills that would be in one place the second one is none.
    let twice = tables(vec![other("pdf"), entry("pdf")]);
    assert_eq!(twice.fetch("mcp:team", Select::All), "pdf mcp:team//pdf SKILL.md");
    let mut bad = other("pdf");
    bad["resources"] = "dynamic".into();
    let refused = tables(vec![bad]).fetch("mcp:team//pdf", Select::AtPath);
    assert_eq!(refused, "refused pdf PK604");
}
