use metier_format::{Diagnostic, Span};

use super::*;
use crate::fixture::Fixture;
use crate::selection::{Enabled, Selection};

fn sentence(fixture: Fixture, typed: &str) -> String {
    why(&fixture.catalog(), typed).sentence()
}

fn personal() -> Fixture {
    Fixture::new().root(Layer::Personal, "/home/skills")
}

fn profile(id: &str) -> &'static Emulation {
    Agent::profile(id).unwrap()
}

#[test]
fn a_name_alone_is_told_with_its_place() {
    // D3
    assert_eq!(
        sentence(personal().skill("pdf"), "PDF"),
        "`pdf` is the personal one (`/home/skills/pdf`)"
    );
    assert_eq!(sentence(personal().skill("pdf"), "docx"), "there is no skill called `docx`");
    assert_eq!(sentence(personal(), "\u{1b}[2J"), "there is no skill called `\\u{1b}[2J`");
}

#[test]
fn the_rule_that_decided_is_said_as_a_person_would() {
    // D3
    let check = |fixture: Fixture, expect: &str| {
        let said = sentence(fixture, "pdf");
        let (_, reason) = said.split_once("): ").unwrap_or_else(|| panic!("{said}"));
        assert_eq!(reason, expect);
    };
    let base = || personal().skill("pdf");
    check(base().root(Layer::Project, "/work/skills").skill("pdf"), "personal beats project");
    check(
        base().root(Layer::Personal, "/other").skill("pdf").facts(|facts| facts.priority = -2),
        "priority 0 beats -2",
    );
    check(
        base().root(Layer::Personal, "/a").with_root(|root| root.client_order = 9).skill("pdf"),
        "`/home/skills` comes before `/a`",
    );
    check(base().root(Layer::Personal, "/z").skill("pdf"), "its path sorts before `/z/pdf`");
    let untrusted = Fixture::new()
        .root(Layer::Project, "/a")
        .with_root(|root| root.trusted = false)
        .skill("pdf")
        .root(Layer::Project, "/work/skills")
        .skill("pdf");
    check(untrusted, "`/a/pdf` is not trusted");
    let linked = Fixture::new()
        .root(Layer::Personal, "/home/skills")
        .skill("pdf")
        .with(|found| found.identity = (1, 7))
        .root(Layer::Project, "/link")
        .skill("pdf")
        .with(|found| found.identity = (1, 7));
    check(linked, "`/link/pdf` is the same directory");
    let three = base()
        .root(Layer::Project, "/work/skills")
        .skill("pdf")
        .root(Layer::Project, "/work/other")
        .skill("pdf")
        .root(Layer::Bundled, "bundled")
        .skill("pdf");
    check(three, "personal beats project, personal beats bundled");
}

#[test]
fn who_may_see_it_is_part_of_the_answer() {
    // D3, D4
    let by_hand = personal().skill("pdf").facts(|facts| facts.disable_model_invocation = true);
    assert_eq!(
        sentence(by_hand, "pdf"),
        "`pdf` is the personal one (`/home/skills/pdf`), which only you can call"
    );
    let untrusted = Fixture::new()
        .root(Layer::Project, "/work/skills")
        .with_root(|root| root.trusted = false)
        .skill("pdf");
    let expect = "`pdf` is the project's one (`/work/skills/pdf`), and no model sees it until you \
                  trust the folder";
    assert_eq!(sentence(untrusted, "pdf"), expect);
}

#[test]
fn what_was_left_out_is_told_with_its_reason() {
    // D3, D4
    let off = Selection { enabled: Enabled::None, ..Selection::default() };
    let catalog =
        personal().skill("pdf").root(Layer::Project, "/work/skills").skill("pdf").select(&off);
    let answer = why(&catalog, "pdf");
    assert_eq!(answer.sentence(), "`pdf` (`/home/skills/pdf`) is not among the enabled skills");
    let outcomes: Vec<_> = answer.candidates.iter().map(|c| c.outcome.as_str()).collect();
    assert_eq!(outcomes, ["hidden", "shadowed"]);

    let catalog = personal()
        .skill("pdf")
        .root(Layer::Enterprise, "/etc/skills")
        .skill("pdf")
        .scope(|scope| scope.agents = Some(vec!["codex".into()]))
        .select(&Selection { agent: Some("goose".into()), ..Selection::default() });
    assert_eq!(
        why(&catalog, "pdf").sentence(),
        "`pdf` is the personal one (`/home/skills/pdf`): `/etc/skills/pdf` is not offered to the \
         agent `goose`"
    );
}

#[test]
fn a_broken_skill_is_told_by_its_directory() {
    // D3
    let broken = || personal().broken("group/pdf/SKILL.md", Code::InvalidYaml, "what is\nthis");
    let answer = why(&broken().catalog(), "Pdf");
    assert_eq!(
        answer.sentence(),
        "`pdf` (`/home/skills/group/pdf`) cannot be loaded: what is this"
    );
    let beside = broken().skill("pdf");
    assert_eq!(
        sentence(beside, "pdf"),
        "`pdf` is the personal one (`/home/skills/pdf`): `/home/skills/group/pdf` cannot be loaded"
    );
    let mut at_root = Fixture::new().root(Layer::Personal, "/home/pdf");
    at_root = at_root.broken("SKILL.md", Code::NotUtf8, "not UTF-8");
    let first = Diagnostic::new(Code::FileName, "a warning");
    let place = Diagnostic::new(Code::NotUtf8, "bad byte").at(b"a\nb", Span::new(2, 3));
    at_root.discovery.skipped[0].diagnostics = vec![first, place];
    let answer = why(&at_root.catalog(), "pdf");
    let expect = "`/home/pdf` (personal, present): cannot be loaded (SK001, line 2): bad byte";
    assert_eq!(answer.lines(), [expect], "the first finding that prevents loading");
}

#[test]
fn every_candidate_has_its_line() {
    // D3
    let catalog = personal()
        .skill("pdf")
        .facts(|facts| facts.priority = 3)
        .skill_at("old/pdf", "pdf", "Older.")
        .root(Layer::Project, "/work/skills")
        .with_root(|root| root.trusted = false)
        .skill("pdf")
        .catalog();
    let expect = [
        "`/home/skills/pdf` (personal, priority 3, present): wins",
        "`/home/skills/old/pdf` (personal, present): is shadowed: within a layer the higher \
         priority wins",
        "`/work/skills/pdf` (project, untrusted): is shadowed: the layer that comes first wins",
    ];
    assert_eq!(why(&catalog, "pdf").lines(), expect);
}

#[test]
fn the_answer_is_data_too() {
    // D3
    let off = Selection { disabled: vec![NameKey::of("docx")], ..Selection::default() };
    let catalog = personal()
        .skill("pdf")
        .skill("docx")
        .root(Layer::Project, "/work/skills")
        .skill("pdf")
        .broken("docx/SKILL.md", Code::NulByte, "a NUL")
        .select(&off);
    let expect = json!({
        "name": "pdf",
        "agent": null,
        "caveat": null,
        "sentence": "`pdf` is the personal one (`/home/skills/pdf`): personal beats project",
        "candidates": [
            {
                "name": "pdf", "path": "/home/skills/pdf", "layer": "personal", "priority": 0,
                "trust": "present", "outcome": "wins", "reason": "wins", "visibility": "model",
            },
            {
                "name": "pdf", "path": "/work/skills/pdf", "layer": "project", "priority": 0,
                "trust": "present", "outcome": "shadowed", "rule": "layer",
                "reason": "is shadowed: the layer that comes first wins",
                "winner": "/home/skills/pdf",
            },
        ],
    });
    assert_eq!(why(&catalog, "pdf").to_json(), expect);
    let docx = why(&catalog, "docx").to_json();
    assert_eq!(docx["candidates"][0]["hidden"], "disabled");
    assert_eq!(docx["candidates"][1]["code"], "SK003");
    assert_eq!(docx["candidates"][1]["line"], Value::Null);
}

/// One `pdf` in each directory that matters to some agent.
fn everywhere(emulation: &'static Emulation, trusted: bool) -> Discovery {
    let places = crate::client::Places {
        home: Some("/home".into()),
        project: Some("/work".into()),
        trusted,
        ..Default::default()
    };
    let mut fixture = Fixture::new();
    for root in crate::client::roots_for(emulation, &places) {
        let path = root.path.to_string_lossy().into_owned();
        fixture = fixture.root(root.layer, &path).with_root(|r| *r = root).skill("pdf");
    }
    fixture.discovery
}

#[test]
fn each_agent_answers_by_its_own_order() {
    // D3
    let check = |id: &str, trusted: bool, expect: &str| {
        let emulation = profile(id);
        let answer = why_as(emulation, &everywhere(emulation, trusted), "pdf");
        let winner = answer.winner().unwrap();
        assert_eq!(winner.directory.to_string_lossy(), expect, "{id}");
    };
    check("claude-code", true, "/etc/claude-code/.claude/skills/pdf");
    check("codex", true, "/work/.agents/skills/pdf");
    check("gemini-cli", true, "/work/.agents/skills/pdf");
    check("gemini-cli", false, "/home/.agents/skills/pdf");
    check("opencode", false, "/work/.opencode/skill/pdf");
    check("goose", false, "/work/.goose/skills/pdf");
}

#[test]
fn claude_code_prefers_the_personal_skill_and_codex_the_projects() {
    // D3
    let at = |personal: &str, project: &str| {
        Fixture::new()
            .root(Layer::Personal, personal)
            .with_root(|root| root.client_order = 2)
            .skill("pdf")
            .root(Layer::Project, project)
            .with_root(|root| root.client_order = 3)
            .skill("pdf")
    };
    let claude = at("/home/.claude/skills", "/work/.claude/skills").discovery;
    let answer = why_as(profile("claude-code"), &claude, "pdf");
    assert_eq!(
        answer.sentence(),
        "for Claude Code, `pdf` is the personal one (`/home/.claude/skills/pdf`): \
         `/home/.claude/skills` comes before `/work/.claude/skills`"
    );
    assert_eq!(answer.candidates[1].outcome.as_str(), "shadowed");

    let codex = at("/home/.agents/skills", "/work/.agents/skills")
        .with_root(|root| root.client_order = 1)
        .discovery;
    let answer = why_as(profile("codex"), &codex, "pdf");
    assert_eq!(
        answer.sentence(),
        "for Codex, `pdf` is the project's one (`/work/.agents/skills/pdf`): \
         `/home/.agents/skills/pdf` is listed beside it"
    );
    let kept = &answer.candidates[1];
    assert_eq!(
        (kept.outcome.as_str(), kept.outcome.sentence().as_str()),
        ("kept", "is listed as well, after the first")
    );
    let json = answer.to_json();
    assert_eq!(json["agent"], "codex");
    assert!(json["caveat"].as_str().unwrap().contains("working directory"));
}

#[test]
fn an_agent_that_gates_on_trust_does_not_show_what_it_would_skip() {
    // D3, D4
    let emulation = profile("gemini-cli");
    let answer = why_as(emulation, &everywhere(emulation, false), "pdf");
    let outcomes: Vec<_> = answer.candidates.iter().map(|c| c.outcome.as_str()).collect();
    assert_eq!(outcomes, ["wins", "untrusted", "untrusted", "shadowed"]);
    assert!(answer.sentence().contains("`/work/.gemini/skills/pdf` is not trusted"));
    let mut only = everywhere(emulation, false);
    only.found.retain(|found| found.root.0 < 2);
    let answer = why_as(emulation, &only, "pdf");
    assert!(
        answer.sentence().ends_with(
            "no model sees it until you trust the folder: \
        `/work/.gemini/skills/pdf` is not trusted"
        ),
        "{}",
        answer.sentence()
    );
}

#[test]
fn to_other_agents_two_spellings_are_two_skills() {
    // D3
    let discovery = personal().skill("pdf").skill_at("x", "PDF", "Loud.").discovery;
    let answer = why_as(profile("goose"), &discovery, "pdf");
    let outcomes: Vec<_> = answer.candidates.iter().map(|c| c.outcome.as_str()).collect();
    assert_eq!(outcomes, ["wins", "wins"]);
    assert!(answer.sentence().ends_with("`/home/skills/x` is another skill to it"));
}

#[test]
fn every_candidate_of_a_name_is_told_once() {
    // D3, D4
    let catalog = personal()
        .skill("pdf")
        .skill_at("b", "PDF", "Loud.")
        .skill_at("c", "pdf", "For codex.")
        .scope(|scope| scope.agents = Some(vec!["codex".into()]))
        .skill("docx")
        .broken("d/Pdf/SKILL.md", Code::NoFrontmatter, "no frontmatter")
        .broken("e/docx/SKILL.md", Code::NoFrontmatter, "no frontmatter")
        .select(&Selection { agent: Some("goose".into()), ..Selection::default() });
    let answer = why(&catalog, "pdf");
    let told: Vec<_> = answer
        .candidates
        .iter()
        .map(|c| (c.directory.to_string_lossy().into_owned(), c.outcome.as_str()))
        .collect();
    let expect = [
        ("/home/skills/b", "wins"),
        ("/home/skills/pdf", "shadowed"),
        ("/home/skills/c", "hidden"),
        ("/home/skills/d/Pdf", "skipped"),
    ];
    assert_eq!(told, expect.map(|(path, outcome)| (path.to_owned(), outcome)));
    assert_eq!(answer.winner(), answer.candidates.first());
    assert_eq!(answer.lines().len(), 4);
}

#[test]
fn a_path_cannot_put_live_characters_into_the_answer() {
    // D3
    let catalog = personal()
        .skill_at("\u{1b}[31m\npdf", "pdf", "Red.")
        .root(Layer::Project, "/work/\u{202e}")
        .skill("pdf")
        .catalog();
    let answer = why(&catalog, "pdf");
    let all = answer.lines().join("") + &answer.sentence();
    assert!(!all.chars().any(metier_format::text::is_live), "{all:?}");
    assert!(!all.contains('\n'));
}

#[test]
fn an_agent_without_the_skill_says_so() {
    // D3
    let emulation = profile("opencode");
    let answer = why_as(emulation, &Discovery::default(), "pdf");
    assert_eq!(answer.sentence(), "for OpenCode, there is no skill called `pdf`");
    assert!(answer.winner().is_none());
    let broken = personal().broken("pdf/SKILL.md", Code::NotUtf8, "not UTF-8").discovery;
    assert_eq!(
        why_as(emulation, &broken, "pdf").sentence(),
        "for OpenCode, `pdf` (`/home/skills/pdf`) cannot be loaded: not UTF-8"
    );
}
