//! Any tool name with any arguments gets a ruling from every host's table, and a skill that allows
//! nothing lets nothing through but what keeps the conversation going.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use metier_format::{AllowedTools, SkillName};
use metier_policy::{
    ActiveSkill, ActiveStack, HostTable, Place, Policy, Profile, ToolCall, Verdict,
};
use serde_json::Value;

static NOTHING: LazyLock<ActiveStack> = LazyLock::new(|| {
    let mut stack = ActiveStack::default();
    stack.push(ActiveSkill {
        allowed: Some(AllowedTools::Only(Vec::new())),
        ..ActiveSkill::unrestricted(SkillName::parse("closed").unwrap())
    });
    stack
});

// The first line is the tool, the rest its arguments.
fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (tool, arguments) = text.split_once('\n').unwrap_or((text, "{}"));
    let Ok(arguments) = serde_json::from_str::<Value>(arguments) else { return };
    let call = ToolCall::new(tool, arguments);
    let place = Place::lexical("/project".as_ref());
    let policy = Policy::profile(Profile::FullAuto);
    for host in HostTable::known().filter_map(HostTable::named) {
        let free = metier_policy::decide(&policy, &ActiveStack::default(), &call, host, &place);
        let closed = metier_policy::decide(&policy, &NOTHING, &call, host, &place);
        assert!(closed.verdict >= free.verdict, "{call:?}");
        let flows = host.tool(&tool.to_lowercase()).is_some_and(|entry| entry.flow.is_some());
        assert!(flows || closed.verdict != Verdict::Allow, "{}: {call:?}", host.name);
    }
});
