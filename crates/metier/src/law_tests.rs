use std::path::Path;

use metier_policy::policy::PolicyErrorKind;
use metier_policy::{Lexical, Place as Where, PolicyLayer, Profile, ToolCall, Verdict, decide};
use metier_testing::World;
use serde_json::json;

use super::{Law, Place};
use crate::config::ClientPolicy;

fn place(layer: PolicyLayer, path: impl AsRef<Path>, named: bool) -> Place {
    Place { layer, path: path.as_ref().to_owned(), named }
}

fn verdict(law: &Law, tool: &str, command: &str) -> Verdict {
    let call = ToolCall::new(tool, json!({ "command": command }));
    let here = Where {
        cwd: Path::new("/p"),
        home: None,
        project: None,
        protected: &[],
        resolver: &Lexical,
    };
    let host = metier_policy::HostTable::plain();
    decide(&law.policy, &Default::default(), &call, host, &here).verdict
}

fn rule(verdict: &str, pattern: &str) -> String {
    format!("[[rule]]\nverdict = \"{verdict}\"\npattern = \"{pattern}\"\n")
}

#[test]
fn without_files_the_profile_is_the_law() {
    // S4
    let gone = [place(PolicyLayer::Enterprise, "/nowhere/policy.toml", false)];
    let law = Law::read(&gone, None, &[]);
    assert_eq!((law.digest.as_str(), law.sources.len()), ("", 0));
    assert_eq!(verdict(&law, "Bash", "git status"), Verdict::Allow);
    let strict = Law::read(&gone, Some(Profile::Strict), &[]);
    assert_eq!(verdict(&strict, "Bash", "git status"), Verdict::Ask);
}

#[test]
fn every_file_is_asked_and_the_strictest_answer_counts() {
    // S4
    let world = World::new();
    let mine = world.write("mine.toml", rule("deny", "Bash(rm:*)"));
    let theirs = world.write(
        "theirs.toml",
        rule("allow", "Bash(rm:*)")
            + &rule("deny", "Bash(ls:*)").replace("[[rule]]", "[[rule]]\nid = \"b\""),
    );
    let places =
        [place(PolicyLayer::Personal, &mine, false), place(PolicyLayer::Project, &theirs, false)];
    let law = Law::read(&places, Some(Profile::FullAuto), &[]);
    assert_eq!(verdict(&law, "Bash", "rm -rf x"), Verdict::Deny, "a project cannot loosen");
    assert_eq!(verdict(&law, "Bash", "ls"), Verdict::Deny, "a project can tighten");
    assert_eq!(verdict(&law, "Bash", "git status"), Verdict::Allow);
    let layers: Vec<&str> = law.sources.iter().map(|source| source.layer).collect();
    assert_eq!(layers, ["personal", "project"]);
    assert_eq!(law.digest.len(), 64);
}

#[test]
fn a_file_that_cannot_be_used_denies_everything_and_says_where() {
    // S4
    let world = World::new();
    let broken = world.write("broken.toml", "[[rule]]\nverdict = \"perhaps\"\npattern = \"*\"\n");
    let text = world.write("text.toml", "not a policy");
    let latin = world.write("latin.toml", b"# \xe9\n");
    for (path, named) in [
        (broken.as_path(), false),
        (&text, false),
        (&latin, false),
        (world.path(), false),
        (Path::new("/nowhere/policy.toml"), true),
    ] {
        let law =
            Law::read(&[place(PolicyLayer::Project, path, named)], Some(Profile::FullAuto), &[]);
        assert_eq!(verdict(&law, "Read", "x"), Verdict::Deny, "{}", path.display());
        let error = law.policy.error().unwrap().to_string();
        assert!(error.starts_with(path.to_str().unwrap()), "{error}");
    }
    let gone = Law::read(&[place(PolicyLayer::Personal, "/nowhere/policy.toml", true)], None, &[]);
    let kind = &gone.policy.error().unwrap().kind;
    assert!(matches!(kind, PolicyErrorKind::Unreadable(_)), "{kind:?}");
    let law = Law::read(&[place(PolicyLayer::Personal, &broken, false)], None, &[]);
    let error = law.policy.error().unwrap().to_string();
    assert!(error.contains("broken.toml:2:11: "), "{error}");
}

#[test]
fn writing_where_any_agent_looks_for_skills_is_asked_about() {
    // S4
    let places = metier_store::client::Places {
        home: Some("/home/user".into()),
        project: Some("/project".into()),
        trusted: true,
        metier_home: Some("/home/user/.local/share/metier".into()),
        ..Default::default()
    };
    let here = Where {
        cwd: Path::new("/project"),
        home: Some(Path::new("/home/user")),
        project: Some(Path::new("/project")),
        protected: &[],
        resolver: &Lexical,
    };
    let roots = metier_store::client::default_roots(&places);
    assert!(roots.len() > 100, "{}", roots.len());
    for profile in [Profile::Default, Profile::Strict] {
        let law = Law::read(&[], Some(profile), &[]);
        for root in &roots {
            let file = root.path.join("planted/SKILL.md");
            let call = ToolCall::new("Write", json!({ "file_path": file }));
            let host = metier_policy::HostTable::plain();
            let ruling = decide(&law.policy, &Default::default(), &call, host, &here);
            assert!(ruling.verdict > Verdict::Allow, "{profile:?}: {}", file.display());
        }
    }
}

#[test]
fn the_section_of_a_client_tightens_and_never_relaxes() {
    // S4, U2
    let world = World::new();
    let path = world.write("client.toml", rule("deny", "Bash(git:*)"));
    let section = [ClientPolicy::File(path)];
    let law = Law::read(&[], None, &section);
    assert_eq!(verdict(&law, "Bash", "git status"), Verdict::Deny);
    assert_eq!((law.sources[0].layer, law.digest.is_empty()), ("client", false));
    let relaxed = [ClientPolicy::Profile(Profile::FullAuto)];
    let law = Law::read(&[], Some(Profile::Strict), &relaxed);
    assert_eq!(verdict(&law, "Bash", "git status"), Verdict::Ask);
    let strict = [ClientPolicy::Profile(Profile::Strict)];
    let law = Law::read(&[], Some(Profile::FullAuto), &strict);
    assert_eq!(verdict(&law, "Bash", "git status"), Verdict::Ask);
    let gone = [ClientPolicy::File(world.path().join("gone.toml"))];
    let law = Law::read(&[], Some(Profile::FullAuto), &gone);
    assert_eq!(verdict(&law, "Bash", "git status"), Verdict::Deny);
    assert!(matches!(law.policy.error().unwrap().kind, PolicyErrorKind::Unreadable(_)));
}
