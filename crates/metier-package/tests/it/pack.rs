//! Archives written byte by byte, so that they can lie.

use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc};
use std::io::Write as _;

/// One entry of a tar file.
#[derive(Clone)]
pub(crate) struct Tar {
    pub(crate) name: Vec<u8>,
    pub(crate) flag: u8,
    pub(crate) mode: u32,
    pub(crate) link: Vec<u8>,
    pub(crate) content: Vec<u8>,
    /// The size field, when it lies.
    pub(crate) size: Option<Vec<u8>>,
}

impl Tar {
    pub(crate) fn file(name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> Self {
        let (name, content) = (name.as_ref().to_vec(), content.as_ref().to_vec());
        Self { name, flag: b'0', mode: 0o644, link: Vec::new(), content, size: None }
    }

    pub(crate) fn kind(name: impl AsRef<[u8]>, flag: u8, link: &str) -> Self {
        Self { flag, link: link.as_bytes().to_vec(), ..Self::file(name, "") }
    }

    /// An extended header for the entry after it.
    pub(crate) fn pax(flag: u8, records: &[(&str, &[u8])]) -> Self {
        let mut content = Vec::new();
        for (key, value) in records {
            let rest = key.len() + value.len() + 3;
            let digits = (1..).find(|d| (rest + d).to_string().len() == *d).unwrap();
            content.extend(format!("{} {key}=", rest + digits).bytes());
            content.extend(*value);
            content.push(b'\n');
        }
        Self { flag, ..Self::file("pax", content) }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut block = [0u8; 512];
        let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &self.name[..self.name.len().min(100)]);
        put(100, format!("{:07o}", self.mode).as_bytes());
        let size = format!("{:011o}", self.content.len()).into_bytes();
        put(124, self.size.as_ref().unwrap_or(&size));
        put(136, b"00000000000");
        put(148, b"        ");
        put(156, &[self.flag]);
        put(157, &self.link[..self.link.len().min(100)]);
        put(257, b"ustar\x0000");
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        let mut bytes = block.to_vec();
        bytes.extend(&self.content);
        bytes.resize(bytes.len().div_ceil(512) * 512, 0);
        bytes
    }
}

/// A tar file. A name too long for a header gets the extension for it.
pub(crate) fn tar(entries: &[Tar]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries {
        if entry.name.len() > 100 {
            let long = Tar { flag: b'L', ..Tar::file("././@LongLink", &entry.name) };
            bytes.extend(long.bytes());
        }
        bytes.extend(entry.bytes());
    }
    bytes.extend([0; 1024]);
    bytes
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn tar_gz(entries: &[Tar]) -> Vec<u8> {
    gzip(&tar(entries))
}

/// One entry of a zip file. What is `Some` lies.
#[derive(Clone)]
pub(crate) struct Zip {
    pub(crate) name: Vec<u8>,
    pub(crate) content: Vec<u8>,
    /// Mode and kind as Unix has it.
    pub(crate) mode: u32,
    pub(crate) method: u16,
    pub(crate) flags: u16,
    pub(crate) local_name: Option<Vec<u8>>,
    pub(crate) local_method: Option<u16>,
    pub(crate) packed: Option<Vec<u8>>,
    pub(crate) size: Option<u32>,
    pub(crate) crc: Option<u32>,
    pub(crate) start: Option<u32>,
    pub(crate) extra: Vec<u8>,
    /// Bytes between this entry and the next.
    pub(crate) gap: Vec<u8>,
}

impl Zip {
    pub(crate) fn file(name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> Self {
        Self {
            name: name.as_ref().to_vec(),
            content: content.as_ref().to_vec(),
            mode: 0o100_644,
            method: 8,
            flags: 0,
            local_name: None,
            local_method: None,
            packed: None,
            size: None,
            crc: None,
            start: None,
            extra: Vec::new(),
            gap: Vec::new(),
        }
    }

    pub(crate) fn kind(name: impl AsRef<[u8]>, mode: u32, content: &str) -> Self {
        Self { mode, ..Self::file(name, content) }
    }

    fn packed(&self) -> Vec<u8> {
        match (&self.packed, self.method) {
            (Some(packed), _) => packed.clone(),
            (None, 8) => deflate(&self.content),
            (None, _) => self.content.clone(),
        }
    }

    /// What both headers say of the content, from the flags on.
    fn facts(&self, method: u16) -> Vec<u8> {
        let mut crc = Crc::new();
        crc.update(&self.content);
        let mut bytes = [self.flags.to_le_bytes(), method.to_le_bytes(), [0; 2], [0; 2]].concat();
        bytes.extend(self.crc.unwrap_or(crc.sum()).to_le_bytes());
        bytes.extend((self.packed().len() as u32).to_le_bytes());
        bytes.extend(self.size.unwrap_or(self.content.len() as u32).to_le_bytes());
        bytes
    }
}

pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zip(entries: &[Zip]) -> Vec<u8> {
    zip_with(entries, entries.len() as u16, b"")
}

/// A zip file that says it has so many entries, with a comment.
pub(crate) fn zip_with(entries: &[Zip], count: u16, comment: &[u8]) -> Vec<u8> {
    let length = |bytes: &[u8]| (bytes.len() as u16).to_le_bytes();
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let start = entry.start.unwrap_or(bytes.len() as u32);
        let local = entry.local_name.as_ref().unwrap_or(&entry.name);
        bytes.extend(b"PK\x03\x04\x14\0");
        bytes.extend(entry.facts(entry.local_method.unwrap_or(entry.method)));
        bytes.extend([length(local), length(&entry.extra)].concat());
        bytes.extend(local);
        bytes.extend(&entry.extra);
        bytes.extend(entry.packed());
        bytes.extend(&entry.gap);
        directory.extend(b"PK\x01\x02\x14\x03\x14\0");
        directory.extend(entry.facts(entry.method));
        directory
            .extend([length(&entry.name), length(&entry.extra), [0; 2], [0; 2], [0; 2]].concat());
        directory.extend((entry.mode << 16).to_le_bytes());
        directory.extend(start.to_le_bytes());
        directory.extend(&entry.name);
        directory.extend(&entry.extra);
    }
    let (start, size) = (bytes.len() as u32, directory.len() as u32);
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    bytes.extend([size.to_le_bytes(), start.to_le_bytes()].concat());
    bytes.extend(length(comment));
    bytes.extend(comment);
    bytes
}
