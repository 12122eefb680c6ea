//! Whatever the bytes of an archive are, reading them ends, and what is admitted stays inside. The
//! first byte says whether the rest is read as it is or as the content of a gzip member, which no
//! fuzzer finds by itself.

#![no_main]

use std::io::Write as _;

use libfuzzer_sys::fuzz_target;
use metier_package::archive::list;

fuzz_target!(|bytes: &[u8]| {
    let Some((how, rest)) = bytes.split_first() else { return };
    let listed = if how % 2 == 0 {
        list(rest)
    } else {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        gzip.write_all(rest).expect("memory");
        list(&gzip.finish().expect("memory"))
    };
    for path in listed.iter().flatten() {
        assert!(
            !path.starts_with('/') && path.split('/').all(|part| part != ".." && !part.is_empty())
        );
    }
});
