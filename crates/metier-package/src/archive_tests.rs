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
fn a_file_is_what_the_index_says_or_refused() {
    // P6
    let directory = tempfile::TempDir::new().unwrap();
    let path = directory.path().join("it");
    let check_as = |bytes: &[u8], form: Form, says: Option<&str>| {
        std::fs::write(&path, bytes).unwrap();
        let digest = hex(&sha256(bytes));
        let told = check(&path, (&digest, form), "x").err().map(|error| error.to_string());
        assert_eq!(told.is_some(), says.is_some(), "{told:?}");
        assert!(told.unwrap_or_default().contains(says.unwrap_or_default()));
        assert!(check(&path, (&"0".repeat(64), form), "x").is_err());
    };
    check_as(b"---\nname: a\n---\n", Form::SkillMd, None);
    check_as(b"\xef\xbb\xbf---\nname: a\n---\n", Form::SkillMd, None);
    check_as(b"---\nname: a\n---\n", Form::Archive, Some("it is a `SKILL.md`"));
    check_as(b"PK\x03\x04", Form::Archive, None);
    check_as(b"PK\x03\x04", Form::SkillMd, Some("it is an archive"));
    check_as(b"\x1f\x8b\x08", Form::SkillMd, Some("it is an archive"));
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

/// `bytes` as one member of gzip.
fn member(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::bufread::GzEncoder::new(bytes, flate2::Compression::fast());
    let mut whole = Vec::new();
    std::io::Read::read_to_end(&mut packed, &mut whole).unwrap();
    whole
}

/// A tar file with one `SKILL.md` in it.
fn one_skill() -> Vec<u8> {
    let text = b"---\nname: one\ndescription: One. Use when due.\n---\n";
    let mut header = [0_u8; 512];
    header[..12].copy_from_slice(b"one/SKILL.md");
    header[100..107].copy_from_slice(b"0000644");
    header[124..135].copy_from_slice(format!("{:011o}", text.len()).as_bytes());
    header[148..156].fill(b' ');
    header[156] = b'0';
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    let mut tar = [&header[..], text].concat();
    tar.resize(2048, 0);
    tar
}

#[test]
fn a_gzip_file_may_have_any_number_of_parts() {
    // P1
    let tar = one_skill();
    let whole = list(&member(&tar)).unwrap();
    assert_eq!(whole, ["one/SKILL.md"]);
    for part in [1, 100, 512, 513, 2047] {
        let parts: Vec<u8> = tar.chunks(part).flat_map(member).collect();
        assert_eq!(list(&parts).unwrap(), whole, "parts of {part}");
        let padded = [&parts[..], &[0; 9]].concat();
        assert_eq!(list(&padded).unwrap(), whole, "zeros behind it say nothing");
        let cut = &parts[..parts.len() - 3];
        let said = list(cut).unwrap_err().to_string();
        assert!(said.contains("it ends too early"), "{said}");
    }
    let empty = member(b"");
    let parts = [&empty[..], &member(&tar[..700]), &empty, &member(&tar[700..]), &empty].concat();
    assert_eq!(list(&parts).unwrap(), whole);
}

#[test]
fn what_stands_behind_the_parts_of_a_gzip_file_is_refused() {
    // P2
    let tar = one_skill();
    let check = |bytes: &[u8], says: &str| {
        let said = list(bytes).unwrap_err().to_string();
        assert!(said.contains(says), "{said}");
    };
    // Two archives one after another: some programs read the first, some both.
    let second = [member(&tar), member(&tar)].concat();
    check(&second, &Hazard::Trailing.to_string());
    check(&[&member(&tar)[..], b"more"].concat(), &Hazard::Trailing.to_string());
    check(&[&member(&tar)[..], &[0; 4], &member(b"x")].concat(), &Hazard::Trailing.to_string());
    let many = member(b"").repeat(crate::limits::MAX_GZIP_MEMBERS);
    check(&[&many[..], &member(&tar)].concat(), "it has too many parts");
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
