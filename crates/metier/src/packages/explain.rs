//! What each failure of `metier-package` is called, what kind it is, and what to do about it.

use metier_format::text::visible_line;
use metier_package::index::IndexError;
use metier_package::reference::Origin;
use metier_package::{
    Bases, ChangeError, CopyError, FetchError, RecordError, Reference, ReferenceError, TurnError,
};

use crate::error::{CommandError, Kind};

/// What skills are added from, of what lies on a disk.
const SOURCES: &str = "give a directory, which may be a skill's or one with skills below, or an archive \
     whose name ends in `.tar.gz`, `.tgz`, `.zip` or `.skill`";

/// The failure of a change.
pub(crate) fn change_error(error: ChangeError) -> CommandError {
    match error {
        ChangeError::Record(error) => record_error(error),
        ChangeError::Turn(TurnError::Busy(_)) => CommandError::failed(error)
            .code("busy")
            .hint("try again when it is done, or end that process"),
        ChangeError::Occupied(ref name) => {
            let name = visible_line(name).into_owned();
            let error = CommandError::refused(error).code("occupied");
            let error = error.hint(format!("move it away, or install `{name}` elsewhere"));
            error.hint(format!("`metier remove {name}` forgets it if metier has it installed"))
        }
        ChangeError::Drifted(ref name) => {
            let hint = format!("`metier verify {}` says what changed", visible_line(name));
            let error = CommandError::refused(error).code("drifted").hint(hint);
            error.hint("`metier sync` puts it back, and keeps what was changed")
        }
        ChangeError::Unkept { .. } => {
            let hint = "move it away, and `metier sync` puts back what the lock says";
            CommandError::refused(error).code("unkept").hint(hint)
        }
        ChangeError::NotKept(_) => CommandError::failed(error).code("not_kept"),
        ChangeError::NotInstalled(_) => {
            let error = CommandError::failed(error).code("not_installed");
            error.hint("`metier info` lists what is installed")
        }
        ChangeError::NoEarlier(ref name) => {
            let name = visible_line(name);
            let hint = format!(
                "`metier update {name}` goes forward again, or `metier add` where it has a ref of its own"
            );
            CommandError::failed(error).code("no_earlier").hint(hint)
        }
        ChangeError::Disk(ref disk) | ChangeError::Copy(CopyError::Disk(ref disk))
            if disk.is_full() =>
        {
            full(CommandError::failed(error))
        }
        ChangeError::Turn(_) | ChangeError::Copy(_) | ChangeError::Disk(_) => {
            CommandError::failed(error).code("disk")
        }
    }
}

/// The failure of reading what is written down.
pub(crate) fn record_error(error: RecordError) -> CommandError {
    match error {
        RecordError::Lock(ref lock) => {
            let hint = lock.kind.hint();
            CommandError::failed(error).code("lock_unreadable").hint(hint)
        }
        RecordError::Damaged { .. } => CommandError::failed(error).code("records_damaged"),
        RecordError::Unwritable { .. } => {
            let error = CommandError::failed(error).code("records_unwritable");
            error.hint(
                "records are text, so every path in them has to be UTF-8; rename the directory",
            )
        }
        RecordError::Disk(ref disk) if disk.is_full() => full(CommandError::failed(error)),
        RecordError::Disk(_) => CommandError::failed(error).code("disk"),
    }
}

/// The failure of a text that should say where skills are.
pub(crate) fn reference_error(error: ReferenceError, text: &str) -> CommandError {
    let shown: String = text.chars().take(200).collect();
    let message = format!("`{}` does not say where skills are: {error}", visible_line(&shown));
    let error = CommandError::usage(message).code("bad_reference");
    error.hint("write `owner/repo`, `owner/repo/path`, a git URL, a directory or an archive")
}

/// The failure of a fetch.
pub(crate) fn fetch_error(error: FetchError) -> CommandError {
    let (code, hint): (&'static str, Option<String>) = match &error {
        FetchError::NotFound { .. } => ("not_found", Some("check the spelling".to_owned())),
        FetchError::NoSource { .. } => ("not_a_source", Some(SOURCES.to_owned())),
        FetchError::NoSuchRef { .. } => ("no_such_ref", None),
        FetchError::NoSuchPath { .. } => ("no_such_path", None),
        FetchError::Authentication { place, .. } if is_by_curl(place) => {
            let hint = "a login in `.netrc` goes only to what you type and to your own indexes; \
                        `metier index add` makes a server one of them";
            ("authentication", Some(hint.to_owned()))
        }
        FetchError::Authentication { .. } => (
            "authentication",
            Some("git asks its credential helper and your SSH agent; set up either".to_owned()),
        ),
        FetchError::Untrusted { .. } => ("untrusted_server", None),
        FetchError::RateLimited { .. } => ("rate_limited", Some("try again later".to_owned())),
        FetchError::Unreachable { .. } => {
            let hint = "nothing was changed; is it running, and is the address right?";
            ("unreachable", Some(hint.to_owned()))
        }
        FetchError::Redirect { .. } => {
            let hint = "only https is followed, and on this machine http; give the address itself";
            ("not_followed", Some(hint.to_owned()))
        }
        FetchError::TimedOut { .. } => ("timed_out", None),
        FetchError::Offline { .. } => ("offline", None),
        FetchError::NoSpace { .. } => return full(CommandError::failed(error)),
        FetchError::Interrupted => return CommandError::new(Kind::Interrupted, error),
        FetchError::Refused(_) => return CommandError::refused(error).code("package_refused"),
        FetchError::NoSkill { .. } => ("no_skill", None),
        FetchError::NoSuchSkill { offered, .. } => {
            let names: Vec<String> =
                offered.iter().take(20).map(|n| visible_line(n).into_owned()).collect();
            ("no_such_skill", Some(format!("it has {}", names.join(", "))))
        }
        FetchError::Changed { .. } => ("changed_while_read", None),
        FetchError::NoServer { .. } => (
            "no_such_server",
            Some("`metier index add NAME mcp+https://…` or `metier index add NAME -- PROGRAM …` adds one".to_owned()),
        ),
        FetchError::NoClient { .. } => ("no_client", None),
        FetchError::NoSkills { .. } => ("no_skills", None),
        FetchError::Answer { .. } => ("bad_answer", None),
        FetchError::Claim { .. } => return CommandError::refused(error).code("claim_mismatch"),
        FetchError::NoGit => ("no_git", Some("install git".to_owned())),
        FetchError::NoCurl => ("no_curl", Some("install curl".to_owned())),
        FetchError::Digest { .. } => return CommandError::refused(error).code("digest_mismatch"),
        FetchError::Uncheckable { .. } => {
            return CommandError::refused(error).code("digest_uncheckable");
        }
        _ => ("fetch_failed", None),
    };
    let failed = CommandError::failed(error).code(code);
    match hint {
        Some(hint) => failed.hint(hint),
        None => failed,
    }
}

/// The failure of something about an index.
pub(crate) fn index_error(error: IndexError) -> CommandError {
    match error {
        IndexError::Fetch(error) => fetch_error(error),
        IndexError::Reference { .. } => CommandError::usage(error).code("bad_reference"),
        IndexError::Name(_) => CommandError::usage(error).code("bad_index_name"),
        IndexError::Schema(_) | IndexError::NoSchema => {
            CommandError::failed(error).code("index_unknown")
        }
        IndexError::NotAnIndex(_) => CommandError::failed(error).code("not_an_index"),
        IndexError::Exists(_) => CommandError::failed(error).code("index_exists"),
        IndexError::Missing(_) => {
            let error = CommandError::failed(error).code("no_such_index");
            error.hint("`metier index list` names those there are")
        }
        IndexError::OtherName { .. } => CommandError::refused(error).code("name_mismatch"),
        IndexError::Command => CommandError::usage(error).code("bad_command"),
        IndexError::TooMany => CommandError::failed(error).code("too_many_indexes"),
        IndexError::Damaged(_) => CommandError::failed(error).code("records_damaged"),
        IndexError::Record(error) => record_error(error),
        IndexError::Turn(TurnError::Busy(_)) => CommandError::failed(error).code("busy"),
        IndexError::Turn(TurnError::Disk(_)) | IndexError::Disk(_) => {
            CommandError::failed(error).code("disk")
        }
    }
}

/// Whether a place is asked by curl: an MCP server, a list, or a file on a web server.
fn is_by_curl(place: &str) -> bool {
    let bases = Bases::new("/");
    let read = Reference::parse(place, &bases).map(|reference| reference.origin);
    matches!(read, Ok(Origin::Mcp(_) | Origin::ArchiveUrl(_))) || place.ends_with(".json")
}

fn full(error: CommandError) -> CommandError {
    error.code("no_space").hint("make room on the disk and try again; nothing was changed")
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;
