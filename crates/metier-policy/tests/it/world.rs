//! The world the tests happen in, in few words.

use std::path::Path;

use metier_format::{AllowedTools, SkillName, ToolPattern};
use metier_policy::{
    ActiveSkill, ActiveStack, HostTable, Lexical, Place, Policy, Profile, Ruling, ToolCall, decide,
};
use serde_json::json;

/// `/project`, with `/home/user` as home.
pub(crate) fn place() -> Place<'static> {
    Place {
        cwd: Path::new("/project"),
        home: Some(Path::new("/home/user")),
        project: Some(Path::new("/project")),
        protected: &[],
        resolver: &Lexical,
    }
}

/// A skill that allows these tools.
pub(crate) fn skill(name: &str, allowed: &str) -> ActiveSkill {
    let patterns = ToolPattern::tokenize(allowed);
    ActiveSkill {
        allowed: Some(patterns.map_or(AllowedTools::Unreadable, AllowedTools::Only)),
        layer: "personal".to_owned(),
        trust: "approved".to_owned(),
        ..ActiveSkill::unrestricted(SkillName::parse(name).expect("a valid name"))
    }
}

/// The ruling of a policy that allows everything, while one skill with these tools is active.
pub(crate) fn rule(allowed: &str, tool: &str, arguments: serde_json::Value) -> Ruling {
    let stack = ActiveStack::from_iter([skill("tested", allowed)]);
    let call = ToolCall::new(tool, arguments);
    decide(&Policy::profile(Profile::FullAuto), &stack, &call, HostTable::plain(), &place())
}

/// The same for a shell command.
pub(crate) fn shell(allowed: &str, command: &str) -> Ruling {
    rule(allowed, "Bash", json!({ "command": command }))
}
