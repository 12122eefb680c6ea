use std::path::PathBuf;

use metier_package::DiskError;
use metier_package::lockfile::{LockError, LockErrorKind};

use super::*;

fn disk(kind: std::io::ErrorKind) -> DiskError {
    DiskError { act: "write", path: PathBuf::from("x"), source: kind.into() }
}

#[test]
fn every_failure_has_a_kind_and_a_code() {
    // P2, U1
    use std::io::ErrorKind::{PermissionDenied, StorageFull};
    let check = |error: CommandError, kind: Kind, code: &str| {
        assert_eq!((error.kind, error.code), (kind, Some(code)), "{}", error.message());
    };
    let name = || "pdf".to_owned();
    check(change_error(ChangeError::Occupied(name())), Kind::Refused, "occupied");
    check(change_error(ChangeError::Drifted(name())), Kind::Refused, "drifted");
    check(change_error(ChangeError::NotKept(name())), Kind::Failed, "not_kept");
    check(change_error(ChangeError::NotInstalled(name())), Kind::Failed, "not_installed");
    check(change_error(ChangeError::NoEarlier(name())), Kind::Failed, "no_earlier");
    check(change_error(TurnError::Busy(name()).into()), Kind::Failed, "busy");
    check(change_error(disk(StorageFull).into()), Kind::Failed, "no_space");
    check(change_error(disk(PermissionDenied).into()), Kind::Failed, "disk");
    check(change_error(CopyError::from(disk(StorageFull)).into()), Kind::Failed, "no_space");
    check(change_error(CopyError::Changed(name()).into()), Kind::Failed, "disk");
    check(record_error(disk(StorageFull).into()), Kind::Failed, "no_space");
    check(record_error(disk(PermissionDenied).into()), Kind::Failed, "disk");
    let lock = LockError { path: "l".into(), line: 3, kind: LockErrorKind::Conflicted };
    check(record_error(lock.into()), Kind::Failed, "lock_unreadable");
    let damaged = RecordError::Damaged { path: name(), reason: name() };
    check(record_error(damaged), Kind::Failed, "records_damaged");
    let unwritable = RecordError::Unwritable { file: name(), reason: name() };
    check(record_error(unwritable), Kind::Failed, "records_unwritable");
    check(reference_error(ReferenceError::Empty, "\u{1b}"), Kind::Usage, "bad_reference");
    let place = || "https://git.example".to_owned();
    check(fetch_error(FetchError::NotFound { place: place() }), Kind::Failed, "not_found");
    let file = FetchError::NoSource { place: place(), what: "a file" };
    check(fetch_error(file), Kind::Failed, "not_a_source");
    check(fetch_error(FetchError::RateLimited { place: place() }), Kind::Failed, "rate_limited");
    check(fetch_error(FetchError::NoGit), Kind::Failed, "no_git");
    let full = FetchError::NoSpace { missing: 1, path: "x".into() };
    check(fetch_error(full), Kind::Failed, "no_space");
    let sign_in = FetchError::Authentication { place: place(), detail: name() };
    check(fetch_error(sign_in), Kind::Failed, "authentication");
    let server = || "mcp:team".to_owned();
    let unknown = FetchError::NoServer { label: name() };
    check(fetch_error(unknown), Kind::Failed, "no_such_server");
    check(fetch_error(FetchError::NoClient { place: server() }), Kind::Failed, "no_client");
    check(fetch_error(FetchError::NoSkills { place: server() }), Kind::Failed, "no_skills");
    let answer = FetchError::Answer { place: server(), detail: name() };
    check(fetch_error(answer), Kind::Failed, "bad_answer");
    let lie = FetchError::Claim { place: server(), uri: name(), why: name() };
    check(fetch_error(lie), Kind::Refused, "claim_mismatch");
    let sign_in = FetchError::Authentication { place: server(), detail: name() };
    assert!(fetch_error(sign_in).hints[0].contains(".netrc"));
    let unwritable = RecordError::Unwritable { file: name(), reason: name() };
    check(index_error(IndexError::Record(unwritable)), Kind::Failed, "records_unwritable");
    check(index_error(IndexError::Command), Kind::Usage, "bad_command");
    assert_eq!(fetch_error(FetchError::Interrupted).kind, Kind::Interrupted);
}
