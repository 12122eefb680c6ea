//! The judge takes any command. Skills only narrow, the same question has the same answer, and a
//! command that runs a denied one is never allowed, whatever stands beside it.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use metier_format::{AllowedTools, SkillName, ToolPattern};
use metier_policy::{
    ActiveSkill, ActiveStack, HostTable, Place, Policy, PolicyFile, PolicyLayer, ToolCall, Verdict,
};
use serde_json::json;

/// Everything is allowed but `rm`.
static NO_RM: LazyLock<Policy> = LazyLock::new(|| {
    let text = "profile = \"full-auto\"\n[[rule]]\nid = \"no-rm\"\npattern = \"Bash(rm:*)\"\n\
                verdict = \"deny\"\nreason = \"never\"\n";
    Policy::merge([(PolicyLayer::Personal, PolicyFile::read(text, "no-rm").unwrap())])
});

/// A skill that may use git, cat and echo.
static STACK: LazyLock<ActiveStack> = LazyLock::new(|| {
    let tools = ToolPattern::tokenize("Bash(git:*) Bash(cat:*) Bash(echo:*)").unwrap();
    let mut stack = ActiveStack::default();
    stack.push(ActiveSkill {
        allowed: Some(AllowedTools::Only(tools)),
        ..ActiveSkill::unrestricted(SkillName::parse("narrow").unwrap())
    });
    stack
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let free = ActiveStack::default();
    let loose = rule(text, &free);
    let narrow = rule(text, &STACK);
    assert!(narrow >= loose, "a skill made {text:?} laxer: {loose:?} to {narrow:?}");
    // What stands first runs first, whatever follows.
    for before in ["rm -rf y; ", "rm y\n", "rm y & ", "$(rm y); ", "git log | rm y\n", "(rm y)\n"] {
        let whole = format!("{before}{text}");
        assert_ne!(rule(&whole, &free), Verdict::Allow, "{whole:?}");
        assert_ne!(rule(&whole, &STACK), Verdict::Allow, "{whole:?}");
    }
    // What stands last runs too, unless the text before it swallows it: a comment, a
    // here-document, a line that goes on.
    let swallows = text.contains('#') || text.contains("<<") || text.ends_with('\\');
    for (stack, verdict) in [(&free, loose), (&*STACK, narrow)] {
        if verdict != Verdict::Allow || swallows {
            continue;
        }
        for after in ["\nrm -rf y", "\n(rm y)", "\necho $(rm y)", "\nexec rm y"] {
            let whole = format!("{text}{after}");
            assert_ne!(rule(&whole, stack), Verdict::Allow, "{whole:?}");
        }
    }
});

fn rule(command: &str, stack: &ActiveStack) -> Verdict {
    let call = ToolCall::new("Bash", json!({ "command": command }));
    let place = Place::lexical("/project".as_ref());
    let decide = || metier_policy::decide(&NO_RM, stack, &call, HostTable::plain(), &place);
    let ruling = decide();
    assert_eq!(ruling, decide(), "the same question has the same answer");
    assert!(ruling.verdict == Verdict::Allow || !ruling.reasons.is_empty());
    ruling.verdict
}
