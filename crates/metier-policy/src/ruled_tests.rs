//! What is ruled on a command where nothing is active and everything else is allowed, so that all that is
//! said is about metier's own.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::{ActiveStack, HostTable, Place, Policy, Profile, Resolve, Ruling, ToolCall, decide};

/// The ruling on a command in `/project`, on a disk as `resolver` has it.
pub(crate) fn ruled(resolver: &dyn Resolve, command: &str) -> Ruling {
    let protected =
        ["/home/user/.local/share/metier", ".claude/settings.json", ".codex/hooks.json"]
            .map(PathBuf::from);
    let place = Place {
        home: Some(Path::new("/home/user")),
        protected: &protected,
        resolver,
        ..Place::lexical(Path::new("/project"))
    };
    let call = ToolCall::new("Bash", json!({ "command": command }));
    let policy = Policy::profile(Profile::FullAuto);
    decide(&policy, &ActiveStack::default(), &call, HostTable::plain(), &place)
}
