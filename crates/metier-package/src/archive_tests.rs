use proptest::prelude::*;

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
