//! The codes of findings: a contract, one table.

use std::fmt;

use serde::{Serialize, Serializer};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// Something does not work as somebody wanted.
    Warning,
    /// Something cannot be relied on.
    Error,
}

/// What a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// An installed skill is not what was installed.
    Drifted,
    /// A skill that is approved and not installed is not what was approved.
    Changed,
    /// A locked skill is not on disk.
    Missing,
    /// A lock or a list of what is wanted cannot be read.
    LockUnreadable,
    /// One of metier's own files is not as it was written.
    RecordsDamaged,
    /// Lines in the list of approvals are none.
    ApprovalsDamaged,
    /// The disk does not let something be looked at.
    Unreadable,
    /// Others may write to metier's own directory.
    OpenToOthers,
    /// An act did not come to an end.
    Interrupted,
    /// Whoever had the turn is gone and did not give it back.
    StaleTurn,
    /// Somebody is changing skills now.
    Busy,
    /// Lock, wishes and receipts do not say the same.
    OutOfSync,
    /// A link of a remembered agent is not there.
    LinkMissing,
    /// A link into metier's own directory leads nowhere.
    LinkDangling,
    /// A link into metier's own directory that nobody wrote down.
    LinkUnrecorded,
    /// Something stands where a link should be, or a skill cannot be linked.
    LinkBlocked,
    /// An agent is linked and not on this machine.
    AgentGone,
    /// An agent's plugin is a copy of another metier.
    PluginStale,
    /// An agent is linked, and its plugin is not there or is another one.
    PluginMissing,
    /// A kept tree that nothing refers to.
    Unreferenced,
    /// A skill that another of its name hides.
    Shadowed,
    /// A policy cannot be used.
    PolicyUnusable,
    /// A program that is not installed.
    NoProgram,
    /// An agent's hooks are switched off.
    HooksOff,
    /// An agent's settings do not have metier's hooks as they were written.
    HooksEdited,
    /// An agent does not trust metier's hooks, and leaves them out in silence.
    HooksUntrusted,
    /// The program that an agent's hooks start is not there.
    HooksProgram,
    /// An agent has metier's hooks and not its MCP server.
    HooksServer,
    /// An agent's settings have metier's hooks, and nothing says that somebody set them up.
    HooksUnrecorded,
}

/// What is to be said about a code.
struct Row(Code, &'static str, Severity, Repair, &'static str);

/// Whether the doctor does something about it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repair {
    Safe,
    Ask,
}

const TABLE: &[Row] = &[
    Row(
        Code::Drifted,
        "drifted",
        Severity::Error,
        Repair::Ask,
        "`metier sync` puts back what the lock says; `metier trust NAME` says yes to what is there",
    ),
    Row(
        Code::Changed,
        "changed",
        Severity::Error,
        Repair::Ask,
        "`metier trust NAME` shows what changed and says yes to what is there",
    ),
    Row(
        Code::PolicyUnusable,
        "policy-unusable",
        Severity::Error,
        Repair::Ask,
        "put the file right; until then every skill and every call is denied",
    ),
    Row(
        Code::Missing,
        "missing",
        Severity::Error,
        Repair::Safe,
        "`metier sync` brings it back; `metier remove NAME` forgets it",
    ),
    Row(
        Code::LockUnreadable,
        "lock-unreadable",
        Severity::Error,
        Repair::Ask,
        "restore the file from version control",
    ),
    Row(
        Code::RecordsDamaged,
        "records-damaged",
        Severity::Error,
        Repair::Ask,
        "restore the file from a backup, or move it away and run `metier sync`",
    ),
    Row(
        Code::ApprovalsDamaged,
        "approvals-damaged",
        Severity::Warning,
        Repair::Ask,
        "`metier trust NAME` says yes again to a skill that is not approved any more",
    ),
    Row(
        Code::Unreadable,
        "unreadable",
        Severity::Error,
        Repair::Ask,
        "see to it that you may read and write there",
    ),
    Row(
        Code::OpenToOthers,
        "open-to-others",
        Severity::Error,
        Repair::Safe,
        "take the right to write from everybody but you: `chmod go-w`",
    ),
    Row(
        Code::Interrupted,
        "interrupted",
        Severity::Warning,
        Repair::Safe,
        "the next command finishes or undoes it",
    ),
    Row(
        Code::StaleTurn,
        "stale-turn",
        Severity::Warning,
        Repair::Safe,
        "the next command that changes something clears it away",
    ),
    Row(Code::Busy, "busy", Severity::Note, Repair::Ask, "wait until it is done"),
    Row(
        Code::OutOfSync,
        "out-of-sync",
        Severity::Warning,
        Repair::Ask,
        "`metier sync` makes them say the same",
    ),
    Row(
        Code::LinkMissing,
        "link-missing",
        Severity::Warning,
        Repair::Safe,
        "`metier link` makes it; `metier unlink AGENT` wants it no more",
    ),
    Row(
        Code::LinkDangling,
        "link-dangling",
        Severity::Warning,
        Repair::Safe,
        "remove the link, or install the skill",
    ),
    Row(
        Code::LinkUnrecorded,
        "link-unrecorded",
        Severity::Warning,
        Repair::Ask,
        "`metier link AGENT` takes it into the books, or remove it",
    ),
    Row(
        Code::LinkBlocked,
        "link-blocked",
        Severity::Note,
        Repair::Ask,
        "move away what is there, or `metier adopt` takes it over",
    ),
    Row(
        Code::AgentGone,
        "agent-gone",
        Severity::Warning,
        Repair::Safe,
        "`metier unlink AGENT` forgets it",
    ),
    Row(
        Code::PluginStale,
        "plugin-stale",
        Severity::Warning,
        Repair::Safe,
        "`metier link chibi` copies this metier there",
    ),
    Row(
        Code::PluginMissing,
        "plugin-missing",
        Severity::Warning,
        Repair::Safe,
        "`metier link chibi` copies this metier there; `metier unlink chibi` wants it no more",
    ),
    Row(
        Code::Unreferenced,
        "unreferenced",
        Severity::Note,
        Repair::Safe,
        "`metier doctor --fix` removes it",
    ),
    Row(
        Code::Shadowed,
        "shadowed",
        Severity::Note,
        Repair::Ask,
        "`metier why NAME` says by which rule; remove or rename one of them",
    ),
    Row(
        Code::HooksOff,
        "hooks-off",
        Severity::Error,
        Repair::Ask,
        "remove the key, or start the agent so that it does not count",
    ),
    Row(
        Code::HooksEdited,
        "hooks-edited",
        Severity::Error,
        Repair::Ask,
        "`metier hook setup AGENT` writes them again; `metier hook remove AGENT` wants them no more",
    ),
    Row(
        Code::HooksUntrusted,
        "hooks-untrusted",
        Severity::Error,
        Repair::Ask,
        "`metier hook setup codex` records the trust again",
    ),
    Row(
        Code::HooksProgram,
        "hooks-program",
        Severity::Error,
        Repair::Safe,
        "`metier hook setup AGENT` makes them start this program; until then they block every call",
    ),
    Row(
        Code::HooksServer,
        "hooks-server",
        Severity::Warning,
        Repair::Ask,
        "`metier hook setup AGENT` puts it back",
    ),
    Row(
        Code::HooksUnrecorded,
        "hooks-unrecorded",
        Severity::Warning,
        Repair::Safe,
        "`metier hook setup AGENT` takes them into the books; `metier hook remove AGENT` takes them out",
    ),
    Row(Code::NoProgram, "no-program", Severity::Note, Repair::Ask, "install it if you need it"),
];

impl Code {
    /// All there are.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.0)
    }

    /// The word used in every output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.row().map_or("unknown", |row| row.1)
    }

    /// How bad it is.
    #[must_use]
    pub fn severity(self) -> Severity {
        self.row().map_or(Severity::Error, |row| row.2)
    }

    /// What to do about it.
    #[must_use]
    pub fn fix(self) -> &'static str {
        self.row().map_or("", |row| row.4)
    }

    /// Whether the doctor does something about it.
    #[must_use]
    pub fn is_repairable(self) -> bool {
        self.row().is_some_and(|row| row.3 == Repair::Safe)
    }

    /// Whether it means that content is not what somebody said yes to.
    #[must_use]
    pub fn is_integrity(self) -> bool {
        matches!(self, Self::Drifted | Self::Changed)
    }

    fn row(self) -> Option<&'static Row> {
        TABLE.iter().find(|row| row.0 == self)
    }
}

impl Severity {
    /// The word used in every output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
