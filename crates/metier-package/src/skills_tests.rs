use std::collections::BTreeMap;

use super::*;
use crate::offer::Take;

/// A source made of texts.
struct Texts {
    entries: Vec<Entry>,
    texts: Vec<String>,
}

impl Offer for Texts {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn prepare(&mut self, _wanted: &[usize]) -> Result<(), FetchError> {
        Ok(())
    }

    fn read(&mut self, wanted: &[usize], take: Take<'_>) -> Result<(), FetchError> {
        wanted.iter().try_for_each(|index| take(*index, self.texts[*index].as_bytes()))
    }
}

/// The paths of the skills found in a source with these files; a file without text is a skill.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let sorted: BTreeMap<&str, &str> = files.iter().copied().collect();
    let text = |path: &str, text: &str| {
        let name = path.rsplit('/').nth(1).unwrap_or("root").to_lowercase();
        let skill = format!("---\nname: {name}\ndescription: Does it. Use when wanted.\n---\n");
        if text.is_empty() { skill } else { text.to_owned() }
    };
    let texts: Vec<String> = sorted.iter().map(|(path, t)| text(path, t)).collect();
    let entry = |(path, text): (&&str, &String)| Entry {
        path: path.as_bytes().into(),
        kind: Kind::File { executable: false },
        size: text.len() as u64,
    };
    let entries = sorted.keys().zip(&texts).map(entry).collect();
    let offering = find(&mut Texts { entries, texts }, "root").unwrap();
    offering.skills.into_iter().map(|skill| skill.path).collect()
}

#[test]
fn skills_are_found_by_the_rules_of_discovery() {
    // P1
    let check = |files: &[&str], expect: &[&str]| {
        let files: Vec<_> = files.iter().map(|path| (*path, "")).collect();
        assert_eq!(found(&files), expect, "{files:?}");
    };
    check(&["SKILL.md"], &[""]);
    check(&["SKILL.md", "skills/one/SKILL.md"], &[""]);
    check(&["skills/one/SKILL.md", "skills/two/SKILL.md"], &["skills/one", "skills/two"]);
    check(&["a/b/c/one/SKILL.md"], &["a/b/c/one"]);
    check(&["one/skill.md"], &["one"]);
    check(&["one/SKILL.md", "one/sub/SKILL.md"], &["one"]);
    check(&[".hidden/one/SKILL.md", "node_modules/a/SKILL.md"], &[]);
    check(&[".claude/skills/one/SKILL.md"], &[".claude/skills/one"]);
    check(&["README.md"], &[]);
}

#[test]
fn plugins_name_skills_where_nobody_looks() {
    // P1
    let marketplace = r#"{"plugins": [
        {"name": "a", "source": "./", "skills": ["./.kept/one", "skills/two"]},
        {"name": "b", "source": "./plugins/b"},
        {"name": "c", "source": {"source": "github", "repo": "x/y"}, "skills": "../../etc"},
        {"name": "d", "source": "../out", "skills": ["/etc"]}]}"#;
    let files = [
        (".claude-plugin/marketplace.json", marketplace),
        (".kept/one/SKILL.md", ""),
        ("skills/two/SKILL.md", ""),
        ("plugins/b/skills/three/SKILL.md", ""),
        ("plugins/e/.claude-plugin/plugin.json", r#"{"name": "e", "skills": "./.own/"}"#),
        ("plugins/e/.own/four/SKILL.md", ""),
        (".unnamed/five/SKILL.md", ""),
    ];
    let expect = [".kept/one", "plugins/b/skills/three", "plugins/e/.own/four", "skills/two"];
    assert_eq!(found(&files), expect);
    assert_eq!(found(&[(".claude-plugin/plugin.json", "not JSON"), ("a/SKILL.md", "")]), ["a"]);
}

#[test]
fn a_path_of_a_plugin_stays_inside() {
    // P2
    for (base, path, expect) in [
        ("", "./skills/a", Some("skills/a")),
        ("plugins/x/", "./skills", Some("plugins/x/skills")),
        ("", "./", Some("")),
        ("", "../x", None),
        ("a/", "../x", None),
        ("", "/etc", None),
        ("", "-x", None),
        ("", ".git/x", None),
    ] {
        assert_eq!(joined(base, path).as_deref(), expect, "{base} {path}");
    }
}

#[test]
fn what_a_scan_passes_over() {
    // P1
    for (path, expect) in [
        ("a/.cache", true),
        ("node_modules", true),
        ("a/venv", true),
        ("a/.claude", false),
        (".claude-plugin", false),
        ("skills", false),
    ] {
        assert_eq!(is_passed_over(path.as_bytes()), expect, "{path}");
    }
}
