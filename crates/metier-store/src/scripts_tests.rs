use std::path::Path;

use super::{Language, ScriptNameError, Scripts, language, matches};
use crate::store::{Location, Skill};
use crate::{Layer, MemoryStore, RootId, Store};

fn at() -> Location {
    Location { root: RootId(0), path: Path::new("tool").into() }
}

/// A skill with these files, empty ones, and more frontmatter.
fn scripts_with(more: &str, files: &[&str]) -> Scripts {
    let text = format!("---\nname: tool\ndescription: A tool. Use it.\n{more}\n---\nX\n");
    let mut store = MemoryStore::new(Layer::Personal).file("tool/SKILL.md", text.into_bytes());
    for file in files {
        let (path, bytes) = match file.split_once('=') {
            Some((path, bytes)) => (path, bytes.to_owned()),
            None => (*file, String::new()),
        };
        store = match path.strip_suffix('!') {
            Some(path) => store.executable(&format!("tool/{path}"), bytes.into_bytes()),
            None => store.file(&format!("tool/{path}"), bytes.into_bytes()),
        };
    }
    let skill: Skill = store.load(&at()).unwrap();
    Scripts::in_store(&store, &at(), &skill)
}

fn paths(scripts: &Scripts) -> Vec<&str> {
    scripts.found.iter().map(|script| script.path.as_str()).collect()
}

#[test]
fn scripts_are_found_by_extension_execute_bit_or_first_line_in_three_directories() {
    // R2
    let files = [
        "scripts/a.py",
        "scripts/deep/b.SH",
        "bin/tool!",
        "bin/plain=#!/bin/sh\n",
        "tools/c.lua=#!/usr/bin/lua",
        "tools/data.json",
        "scripts/README.md",
        "bin/notes",
        "scripts/.hidden.py",
        "scripts/.x/y.py",
        "references/d.py",
        "e.py",
    ];
    let scripts = scripts_with("", &files);
    let expect = ["bin/plain", "bin/tool", "scripts/a.py", "scripts/deep/b.SH", "tools/c.lua"];
    assert_eq!(paths(&scripts), expect);
    let names: Vec<&str> = scripts.found.iter().map(|script| script.name.as_str()).collect();
    assert_eq!(names, ["plain", "tool", "a", "deep/b", "c"]);
}

#[test]
fn a_listed_script_is_one_wherever_it_lies_and_the_others_are_none() {
    // R2
    let files = ["scripts/status.py", "scripts/Markets.py", "setup.sh", "scripts/other.py"];
    let more = "scripts: [status, markets.py, ./setup.sh, ../evil.py, /etc/passwd, gone.py]";
    let scripts = scripts_with(more, &files);
    assert_eq!(paths(&scripts), ["scripts/Markets.py", "scripts/status.py", "setup.sh"]);
    let refused: Vec<&str> = scripts.refused.iter().map(|r| r.path.as_str()).collect();
    assert_eq!(refused, ["../evil.py", "/etc/passwd", "gone.py"]);
}

#[test]
fn ignored_scripts_are_left_out() {
    // R2
    let files = ["scripts/a.py", "scripts/a_test.py", "scripts/_b.py", "scripts/lib/c.py"];
    let check = |ignore: &str, expect: &[&str]| {
        let scripts = scripts_with(&format!("scripts-ignore: {ignore}"), &files);
        assert_eq!(paths(&scripts), expect, "{ignore}");
    };
    check("['*_test.py', '_*.py']", &["scripts/a.py", "scripts/lib/c.py"]);
    check("['lib/*']", &["scripts/_b.py", "scripts/a.py", "scripts/a_test.py"]);
    check("['scripts/**']", &[]);
    check("['**/c.py']", &["scripts/_b.py", "scripts/a.py", "scripts/a_test.py"]);
    let odd = scripts_with("scripts-ignore: ['[ab].py']", &files);
    assert_eq!(odd.refused.len(), 1);
    assert_eq!(odd.found.len(), 4);
}

#[test]
fn a_name_in_any_case_with_or_without_extension_means_the_script() {
    // R2
    let files = ["scripts/MixedCase.py", "scripts/two_words.sh", "bin/Tool!"];
    let scripts = scripts_with("", &files);
    let check = |typed: &str, expect: &str| {
        assert_eq!(scripts.find(typed).unwrap().path, expect, "{typed}");
    };
    for typed in ["MixedCase", "mixedcase", "MIXEDCASE.PY", "scripts/mixedcase.py", "MixedCase.py"]
    {
        check(typed, "scripts/MixedCase.py");
    }
    for typed in ["two_words", "two-words", "Two-Words.sh", "./scripts/two_words.sh"] {
        check(typed, "scripts/two_words.sh");
    }
    check("tool", "bin/Tool");
}

#[test]
fn a_name_that_several_scripts_have_is_an_error_that_lists_them() {
    // R2
    let scripts = scripts_with("", &["scripts/run.py", "scripts/run.sh", "bin/Run!", "bin/x!"]);
    let error = scripts.find("RUN").unwrap_err();
    let candidates = ["bin/Run", "scripts/run.py", "scripts/run.sh"].map(str::to_owned).to_vec();
    // The names alone do not tell them apart, so each is called by more of its path.
    let names: Vec<&str> = scripts.found.iter().map(|script| script.name.as_str()).collect();
    assert_eq!(names, ["bin/Run", "x", "run.py", "run.sh"]);
    assert_eq!(error, ScriptNameError::Ambiguous { name: "RUN".into(), candidates });
    assert_eq!(scripts.find("run.py").unwrap().path, "scripts/run.py");
    assert_eq!(scripts.find("Run").unwrap().path, "bin/Run");
}

#[test]
fn what_is_no_name_is_refused_before_it_is_looked_for() {
    // R2, R3
    let scripts = scripts_with("", &["scripts/status.py"]);
    let long = "x".repeat(2000);
    for typed in ["", "..", "../status", "/etc/passwd", "a\\b", "a\0b", "a\nb", "x//y", &long] {
        let error = scripts.find(typed).unwrap_err();
        assert!(matches!(error, ScriptNameError::Invalid(_)), "{typed:?}: {error}");
    }
    let error = scripts.find("statsu").unwrap_err();
    let expect =
        ScriptNameError::NotFound { name: "statsu".into(), suggestion: Some("status".into()) };
    assert_eq!(error, expect);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests plant links")]
fn a_link_that_leaves_the_skill_is_refused_and_said() {
    // R2
    let world = tempfile::tempdir().unwrap();
    let skill = world.path().join("tool");
    std::fs::create_dir_all(skill.join("scripts")).unwrap();
    std::fs::write(skill.join("SKILL.md"), "---\nname: tool\ndescription: A tool.\n---\nX\n")
        .unwrap();
    std::fs::write(skill.join("scripts/real.py"), "").unwrap();
    std::os::unix::fs::symlink("/etc/hostname", skill.join("scripts/evil.py")).unwrap();
    std::os::unix::fs::symlink("real.py", skill.join("scripts/alias.py")).unwrap();
    let store = crate::FileStore::new(vec![crate::Root::given(Layer::Personal, world.path())]);
    let loaded = store.load(&at()).unwrap();
    let scripts = Scripts::in_store(&store, &at(), &loaded);
    assert_eq!(paths(&scripts), ["scripts/alias.py", "scripts/real.py"]);
    assert_eq!(scripts.refused.len(), 1);
    let error = scripts.find("evil").unwrap_err();
    assert!(matches!(error, ScriptNameError::Refused { .. }), "{error}");
    assert_eq!(store.directory(&at()), Some(skill));
}

#[test]
fn extensions_say_the_language_in_any_case() {
    // R2
    for (path, expect) in [
        ("a.py", Language::Python),
        ("a.PY", Language::Python),
        ("a.sh", Language::Shell),
        ("a.mjs", Language::JavaScript),
        ("a.ts", Language::TypeScript),
        ("a.rb", Language::Ruby),
        ("a.pl", Language::Perl),
        ("a", Language::Other),
        ("a.tar.gz", Language::Other),
        ("dir.py/a", Language::Other),
    ] {
        assert_eq!(language(path), expect, "{path}");
    }
}

#[test]
fn wildcards_stop_at_directories_unless_doubled() {
    // R2
    for (glob, text, expect) in [
        ("*.py", "a.py", true),
        ("*.py", "d/a.py", false),
        ("**.py", "d/a.py", true),
        ("d/**/a", "d/a", true),
        ("d/**/a", "d/x/y/a", true),
        ("d/**/a", "d/xa", false),
        ("?", "a", true),
        ("?", "/", false),
        ("a?c", "abc", true),
        ("", "", true),
        ("*", "", true),
        ("a*b*c", "axxbxxc", true),
        ("a*b*c", "axxbxx", false),
    ] {
        assert_eq!(matches(glob.as_bytes(), text.as_bytes()), expect, "{glob} {text}");
    }
    // Nothing here takes exponential time.
    assert!(!matches("*a".repeat(60).as_bytes(), "a".repeat(59).as_bytes()));
}
