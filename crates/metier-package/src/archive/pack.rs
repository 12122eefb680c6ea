//! Gzipped tar files written: the same files are the same bytes, whenever and wherever. Nothing of
//! the machine that writes is in them, no times, no owners.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

const BLOCK: usize = 512;

/// Bytes a name has in a header; longer ones stand in a header of their own.
const NAME_BYTES: usize = 100;

/// One file to be packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Its path, `/` between components.
    pub path: String,
    /// Whether it may be executed.
    pub executable: bool,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The files as a gzipped tar file, in the order given.
#[must_use]
pub fn pack(files: &[Packed]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    for file in files {
        let mut blocks = Vec::new();
        if file.path.len() > NAME_BYTES {
            let record = path_record(&file.path);
            blocks.extend(header("pax", record.len(), 0o644, b'x'));
            blocks.extend(padded(record.as_bytes()));
        }
        let mode = if file.executable { 0o755 } else { 0o644 };
        blocks.extend(header(&file.path, file.bytes.len(), mode, b'0'));
        blocks.extend(padded(&file.bytes));
        // Memory takes everything.
        let _ = gzip.write_all(&blocks);
    }
    let _ = gzip.write_all(&[0; 2 * BLOCK]);
    gzip.finish().unwrap_or_default()
}

/// `LENGTH path=…`, where the length counts itself.
fn path_record(path: &str) -> String {
    let rest = format!(" path={path}\n");
    let mut length = rest.len();
    while length != rest.len() + length.to_string().len() {
        length = rest.len() + length.to_string().len();
    }
    format!("{length}{rest}")
}

fn header(path: &str, size: usize, mode: u32, kind: u8) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| {
        for (to, from) in block.iter_mut().skip(at).zip(bytes) {
            *to = *from;
        }
    };
    put(0, path.as_bytes().get(..NAME_BYTES).unwrap_or(path.as_bytes()));
    put(100, format!("{mode:07o}\0").as_bytes());
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{size:011o}\0").as_bytes());
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    let told = format!("{sum:06o}\0 ");
    for (to, from) in block.iter_mut().skip(148).zip(told.bytes()) {
        *to = from;
    }
    block
}

fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut padded = bytes.to_vec();
    padded.resize(bytes.len().next_multiple_of(BLOCK), 0);
    padded
}

#[cfg(test)]
#[path = "pack_tests.rs"]
mod tests;
