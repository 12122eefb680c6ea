#![expect(clippy::disallowed_methods, reason = "tests make files")]

use proptest::prelude::*;
use rustix::fs::FileType;

use super::*;

fn ignore() -> impl FnMut(Entry, &[u8]) -> Result<(), Stop> {
    |_, _| Ok(())
}

#[test]
fn the_dot_in_front_and_the_slash_behind_say_nothing() {
    // P1
    let entry = |path: &str, kind: Kind| Entry { path: path.as_bytes().into(), kind, size: 0 };
    let file = || Kind::File { executable: false };
    let cases = [
        (entry("./a/b", file()), Some("a/b")),
        (entry("a/", Kind::Directory), Some("a")),
        (entry("a/", file()), Some("a/")),
        (entry("./", Kind::Directory), None),
        (entry(".", Kind::Directory), None),
        (entry("././a", file()), Some("./a")),
    ];
    for (entry, expect) in cases {
        let path = inner_path(&entry);
        assert_eq!(path.as_deref(), expect.map(str::as_bytes), "{entry:?}");
    }
}

#[test]
fn what_is_called_like_an_archive_and_is_none_is_called_what_it_is() {
    // P1, U1
    let place = tempfile::tempdir().unwrap();
    let check = |name: &str, expect: &str| {
        let path = place.path().join(name);
        let error = read(&path).unwrap_err();
        assert_eq!(error.to_string(), format!("`{}` {expect}", path.display()));
        assert!(matches!(error, FetchError::NoSource { .. }));
    };
    std::fs::create_dir(place.path().join("d.zip")).unwrap();
    check("d.zip", "is a directory, and called like an archive");
    // Nobody writes to it, and nobody waits for that.
    let pipe = place.path().join("pipe.skill");
    rustix::fs::mknodat(CWD, pipe, FileType::Fifo, Mode::RWXU, 0).unwrap();
    check("pipe.skill", "is no file, and called like an archive");
    std::fs::write(place.path().join("file"), "x").unwrap();
    for nowhere in ["none.zip", "file/none.zip"] {
        let error = read(&place.path().join(nowhere)).unwrap_err();
        assert!(matches!(error, FetchError::NotFound { .. }), "{error}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_fail_in_another_way(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        // P2
        let _ = zip::read(&bytes, &mut ignore());
        let _ = tar::read(&bytes, &mut ignore());
        let tail = [b"PK\x05\x06", &bytes[..]].concat();
        let _ = zip::read(&tail, &mut ignore());
        let mut packed = flate2::bufread::GzEncoder::new(&bytes[..], flate2::Compression::none());
        let mut whole = Vec::new();
        std::io::Read::read_to_end(&mut packed, &mut whole).unwrap();
        let _ = tar::read(&whole, &mut ignore());
    }
}
