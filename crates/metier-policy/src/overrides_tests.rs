use metier_format::parse;

use super::*;

fn parsed(yaml: &str) -> (Vec<Override>, Vec<OverrideError>) {
    let text = format!("---\nname: x\ndescription: y\noverrides:{yaml}\n---\n");
    let parsed = parse(text.as_bytes(), None);
    let manifest = parsed.manifest.expect("a manifest");
    Override::parse(manifest.overrides.as_ref().expect("overrides"))
}

#[test]
fn every_kind_of_proposal_is_read() {
    // S7
    let (found, faults) = parsed(
        "\n  model: opus\n  provider: anthropic\n  tool-defaults:\n    Bash:\n      timeout: \"60\"\n  \
         aliases:\n    sh: Bash\n  context-scope:\n    include: docs",
    );
    assert_eq!(faults, []);
    let expected = [
        Override::Model { model: "opus".into() },
        Override::Provider { provider: "anthropic".into() },
        Override::ToolDefault {
            tool: "Bash".into(),
            arguments: serde_json::json!({"timeout": "60"}),
        },
        Override::Alias { name: "sh".into(), tool: "Bash".into() },
        Override::ContextScope { scope: serde_json::json!({"include": "docs"}) },
    ];
    assert_eq!(found, expected);
}

#[test]
fn spellings_of_one_word_are_one_key() {
    // S7
    for key in ["tool-defaults", "tool_defaults", "toolDefaults", "ToolDefaults"] {
        let (found, faults) = parsed(&format!("\n  {key}:\n    Bash: x"));
        assert_eq!((found.len(), faults.len()), (1, 0), "{key}");
    }
}

#[test]
fn what_is_no_proposal_is_reported_and_has_no_effect() {
    // S7
    let check = |yaml: &str, expected: OverrideError| {
        let (found, faults) = parsed(yaml);
        assert_eq!(found, [], "{yaml}");
        assert_eq!(faults, [expected], "{yaml}");
    };
    check(" text", OverrideError::NotAMap);
    check("\n  - model", OverrideError::NotAMap);
    check("\n  permissions: all", OverrideError::UnknownKey("permissions".into()));
    let wrong = |key: &str, expected| OverrideError::WrongType { key: key.into(), expected };
    check("\n  model:\n    a: b", wrong("model", "text"));
    check("\n  provider: \"\"", wrong("provider", "text"));
    check("\n  tool-defaults: x", wrong("tool-defaults", "a map of tools"));
    check("\n  aliases: x", wrong("aliases", "a map of names"));
    check("\n  aliases:\n    a:\n      b: c", wrong("aliases", "a map of names"));
}

#[test]
fn good_proposals_survive_bad_ones() {
    // S7
    let (found, faults) = parsed("\n  model: opus\n  nonsense: 1\n  provider: x");
    assert_eq!((found.len(), faults.len()), (2, 1));
    assert_eq!(faults[0].to_string(), "`overrides.nonsense` is not a known override");
}

#[test]
fn proposals_say_what_they_are() {
    // S7
    let table = [
        (Override::Model { model: "m".into() }, OverrideKind::Model, "model", "the model `m`"),
        (
            Override::Provider { provider: "p".into() },
            OverrideKind::Provider,
            "provider",
            "the provider `p`",
        ),
        (
            Override::ToolDefault { tool: "Bash".into(), arguments: Value::Null },
            OverrideKind::ToolDefault,
            "tool-default",
            "other defaults for `Bash`",
        ),
        (
            Override::Alias { name: "sh".into(), tool: "Bash".into() },
            OverrideKind::Alias,
            "alias",
            "the name `sh` for `Bash`",
        ),
        (
            Override::ContextScope { scope: Value::Null },
            OverrideKind::ContextScope,
            "context-scope",
            "another context scope",
        ),
    ];
    for (proposal, kind, word, shown) in table {
        assert_eq!(proposal.kind(), kind);
        assert_eq!(kind.as_str(), word);
        assert_eq!(proposal.shown(), shown);
        let json = serde_json::to_value(&proposal).expect("JSON");
        assert_eq!(json["kind"], word);
    }
    assert_eq!(OverrideKind::ALL.len(), 5);
}
