use super::faults::{self, Fault};
use super::*;
use crate::fixture::Ground;

fn folder(ground: &Ground) -> Folder {
    Folder::make_all(&ground.path().join("a/b/c")).unwrap()
}

#[test]
fn a_file_is_replaced_whole_or_not_at_all() {
    // P2, P5
    let ground = Ground::new();
    let folder = folder(&ground);
    folder.replace("f", b"old", 0o644).unwrap();
    let (_, calls) = faults::with(None, || folder.replace("f", b"new", 0o644).unwrap());
    folder.replace("f", b"old", 0o644).unwrap();
    for at in 0..calls.len() {
        for fault in [Fault::Gone, Fault::Fails(Errno::NOSPC)] {
            let _ = faults::with(Some((at, fault)), || folder.replace("f", b"new", 0o644));
            let text = folder.read("f", 9).unwrap().unwrap();
            assert!(text == b"old" || text == b"new", "{at}");
            folder.replace("f", b"old", 0o644).unwrap();
        }
    }
}

#[test]
fn every_rename_is_after_the_bytes_and_before_the_directory_is_flushed() {
    // P5
    let ground = Ground::new();
    let folder = folder(&ground);
    let (_, calls) = faults::with(None, || folder.replace("f", b"x", 0o644).unwrap());
    assert_eq!(calls, ["create", "write", "fsync", "fchmod", "rename", "fsync"]);
    let (_, calls) = faults::with(None, || folder.append("g", b"x\n", 0o600).unwrap());
    assert_eq!(calls, ["open to append", "pwrite", "fsync", "fsync"]);
}

#[test]
fn a_line_that_was_cut_short_goes_before_the_next_comes() {
    // P5
    let ground = Ground::new();
    let folder = folder(&ground);
    let check = |before: &str, after: &str| {
        folder.replace("lines", before.as_bytes(), 0o600).unwrap();
        folder.append("lines", b"next\n", 0o600).unwrap();
        let text = folder.read("lines", 1 << 20).unwrap().unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), after, "{before:.20}");
    };
    check("", "next\n");
    check("one\n", "one\nnext\n");
    check("one\ntw", "one\nnext\n");
    check("o", "next\n");
    check("one\n\n", "one\n\nnext\n");
    check("one\n{\"a\":1}", "one\n{\"a\":1}\nnext\n");
    check("one\n{\"a\":1", "one\nnext\n");
    let torn = folder.read("lines.torn", 1 << 20).unwrap().unwrap();
    assert_eq!(String::from_utf8(torn).unwrap(), "tw\no\n{\"a\":1\n", "nothing is thrown away");
    for length in [TAIL_BYTES - 1, TAIL_BYTES, TAIL_BYTES + 1, 3 * TAIL_BYTES] {
        let long = "x".repeat(usize::try_from(length).unwrap());
        check(&long, "next\n");
        check(&format!("one\n{long}"), "one\nnext\n");
        check(&format!("one\n{long}\n"), &format!("one\n{long}\nnext\n"));
    }
}

#[test]
fn nothing_leaves_the_folder() {
    // P2
    let ground = Ground::new();
    let folder = folder(&ground);
    ground.write("outside/secret", "s");
    folder.point("way", "../../../outside").unwrap();
    assert!(folder.find_beneath("way").is_err());
    assert!(folder.beneath("way/x").is_err());
    assert!(folder.child("way").is_err());
    assert!(folder.read("way", 9).is_err());
    folder.remove("way").unwrap();
    assert_eq!(ground.text("outside/secret"), "s", "the link went, not what it led to");
    assert_eq!(folder.kind("way").unwrap(), None);
    assert_eq!(folder.beneath("x/y").unwrap().path(), folder.path().join("x/y"));
}

#[test]
fn only_regular_files_within_the_limit_are_read() {
    // P2
    let ground = Ground::new();
    let folder = folder(&ground);
    folder.replace("f", b"12345", 0o644).unwrap();
    assert_eq!(folder.read("f", 5).unwrap().unwrap(), b"12345");
    assert!(folder.read("f", 4).is_err());
    assert_eq!(folder.read("none", 4).unwrap(), None);
    folder.make("d", 0o755).unwrap();
    assert!(folder.read("d", 4).is_err());
    let kinds = [("f", Kind::File), ("d", Kind::Directory)];
    for (name, kind) in kinds {
        assert_eq!(folder.kind(name).unwrap(), Some(kind));
    }
    folder.link("l", b"f").unwrap();
    assert_eq!(folder.kind("l").unwrap(), Some(Kind::Link));
    assert_eq!(folder.target("l").unwrap().unwrap(), Path::new("f"));
    assert_eq!(folder.target("f").unwrap(), None);
    assert_eq!(folder.names().unwrap(), ["d", "f", "l"]);
}

#[test]
fn a_failure_names_its_path_and_tells_a_full_disk_apart() {
    // P2
    let ground = Ground::new();
    let folder = folder(&ground);
    let at = Some((0, Fault::Fails(Errno::NOSPC)));
    let (failed, _) = faults::with(at, || folder.replace("f", b"x", 0o644));
    let error = failed.unwrap_err();
    assert!(error.is_full() && !error.is_missing());
    assert!(error.to_string().contains("a/b/c/"), "{error}");
    assert!(Folder::open(&ground.path().join("nowhere")).unwrap_err().is_missing());
    assert!(Folder::make_all(Path::new("/proc/nothing/here")).is_err());
    let (failed, _) = faults::with(Some((1, Fault::Fails(Errno::IO))), || folder.point("p", "x"));
    assert!(failed.is_err() && folder.names().unwrap().is_empty(), "no draft is left");
}

#[test]
fn trees_are_removed_with_whatever_names_are_in_them() {
    // P2
    let ground = Ground::new();
    let folder = folder(&ground);
    let tree = folder.beneath("t/u").unwrap();
    tree.replace("f", b"x", 0o444).unwrap();
    let odd = |name| OsStr::from_bytes(name);
    rustix::fs::symlink("x", tree.path().join(odd(b"\xff"))).unwrap();
    let below = Folder::make_all(&tree.path().join(odd(b"\xfe/\xfd/empty"))).unwrap();
    below.replace("f", b"x", 0o444).unwrap();
    below.set_mode(0o500).unwrap();
    tree.set_mode(0o555).unwrap();
    folder.remove("t").unwrap();
    folder.remove("t").unwrap();
    assert!(folder.names().unwrap().is_empty());
}

#[test]
fn a_file_that_is_something_else_is_called_what_it_is() {
    // P5, U1
    let ground = crate::fixture::Ground::new();
    ground.write("home/real", "x");
    rustix::fs::symlink("real", ground.path().join("home/link")).unwrap();
    ground.write("home/directory/x", "x");
    let folder = Folder::open(&ground.path().join("home")).unwrap();
    let said = |error: DiskError| error.source.to_string();
    assert!(said(folder.read("link", 9).unwrap_err()).starts_with("it is a link"));
    assert_eq!(said(folder.read("directory", 9).unwrap_err()), "it is not a file");
    assert!(said(folder.child("real").unwrap_err()).ends_with("not a directory"));
}

#[test]
fn a_directory_whose_path_is_no_text_is_made_under_its_own_name() {
    // P2
    let ground = Ground::new();
    let path = ground.path().join(OsStr::from_bytes(b"caf\xe9")).join("below");
    let made = Folder::make_all(&path).unwrap();
    assert_eq!(made.path(), path);
    assert!(real_path(&path).is_some());
    assert_eq!(Folder::open(ground.path()).unwrap().names().unwrap(), ["project"]);
}
