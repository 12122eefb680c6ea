use notify::event::{
    AccessKind, AccessMode, CreateKind, DataChange, EventKind, MetadataKind, ModifyKind,
    RemoveKind, RenameMode,
};

use super::super::WatchError;
use super::super::tree::Happening;
use super::happening;

#[test]
fn opening_and_reading_a_file_is_no_change() {
    // D7
    let check = |kind, expect| assert_eq!(happening(kind), expect, "{kind:?}");
    check(EventKind::Access(AccessKind::Open(AccessMode::Any)), None);
    check(EventKind::Access(AccessKind::Close(AccessMode::Read)), None);
    let content = Some(Happening::Content);
    check(EventKind::Access(AccessKind::Close(AccessMode::Write)), content);
    check(EventKind::Modify(ModifyKind::Data(DataChange::Any)), content);
    let entry = Some(Happening::Entry);
    check(EventKind::Create(CreateKind::Folder), entry);
    check(EventKind::Remove(RemoveKind::File), entry);
    check(EventKind::Modify(ModifyKind::Name(RenameMode::To)), entry);
    check(EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any)), entry);
    check(EventKind::Any, entry);
}

#[test]
fn the_systems_limit_is_told_from_other_failures() {
    // D7
    let limit = notify::Error::new(notify::ErrorKind::MaxFilesWatch);
    assert_eq!(WatchError::from(limit), WatchError::SystemLimit);
    let other = WatchError::from(notify::Error::generic("no such thing"));
    assert_eq!(other.to_string(), "files cannot be watched: no such thing");
    let gone = WatchError::from(notify::Error::path_not_found());
    assert!(matches!(gone, WatchError::System(_)));
    let io = WatchError::from(notify::Error::io(std::io::Error::other("busy")));
    assert_eq!(io, WatchError::System("busy".to_owned()));
}
