//! Gzipped tar files: members of gzip one after another, as every program reads them; one header for
//! each file, and of the extensions only the long names that GNU and POSIX agree on how to read.
//! Anything with a second reading is refused.

use std::io::{self, Read};

use flate2::bufread::GzDecoder;

use super::{Take, file_kind, malformed, most_unpacked};
use crate::archive::Stop;
use crate::entry::{Entry, Kind};
use crate::hazard::{At, Hazard};
use crate::limits::{MAX_FILE_BYTES, MAX_GZIP_MEMBERS, MAX_PATH_BYTES, MAX_RATIO, MAX_TOTAL_BYTES};

const BLOCK: usize = 512;

/// How a member of gzip begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Bytes of an extended header, which holds names and times.
const MAX_EXTENSION_BYTES: u64 = 64 << 10;

/// Bytes of padding and headers around the content, at most.
const OVERHEAD_BYTES: u64 = 256 << 20;

/// Reads a gzipped tar file.
pub(super) fn read(bytes: &[u8], take: Take<'_>) -> Result<(), Stop> {
    let limit = most_unpacked(bytes.len() as u64).min(MAX_TOTAL_BYTES + OVERHEAD_BYTES);
    let input = Members { now: GzDecoder::new(bytes), more: MAX_GZIP_MEMBERS - 1 };
    let mut tar = Tar { input, left: limit, long: Long::default() };
    while let Some(header) = tar.header()? {
        tar.entry(&header, take)?;
    }
    tar.only_zeros()?;
    let rest = tar.input.now.into_inner();
    if rest.iter().any(|byte| *byte != 0) {
        return Err(Hazard::Trailing.at(b".").into());
    }
    Ok(())
}

struct Tar<'a> {
    input: Members<'a>,
    /// Bytes that may still come out.
    left: u64,
    long: Long,
}

/// What all members of a gzip file hold, one after another.
struct Members<'a> {
    now: GzDecoder<&'a [u8]>,
    /// How many more there may be.
    more: usize,
}

impl Read for Members<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.now.read(buffer)?;
            let rest = *self.now.get_ref();
            if count > 0 || buffer.is_empty() || !rest.starts_with(&GZIP) {
                return Ok(count);
            }
            let more = self.more.checked_sub(1);
            self.more = more.ok_or_else(|| io::Error::from(io::ErrorKind::QuotaExceeded))?;
            self.now = GzDecoder::new(rest);
        }
    }
}

/// What an extension says about the entry after it.
#[derive(Default)]
struct Long {
    path: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<u64>,
}

impl Tar<'_> {
    /// The next header; none at the end.
    fn header(&mut self) -> Result<Option<[u8; BLOCK]>, At> {
        let mut block = [0; BLOCK];
        self.fill(&mut block)?;
        if block.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        let told =
            octal(field(&block, 148, 8)).ok_or_else(|| malformed("a checksum is missing"))?;
        let outside = |index: &usize| !(148..156).contains(index);
        let bytes = block.iter().enumerate();
        let sum: u64 =
            bytes.map(|(index, b)| if outside(&index) { u64::from(*b) } else { 32 }).sum();
        if sum != told { Err(malformed("a header's checksum is wrong")) } else { Ok(Some(block)) }
    }

    fn entry(&mut self, block: &[u8; BLOCK], take: Take<'_>) -> Result<(), Stop> {
        let size = octal(field(block, 124, 12)).ok_or_else(|| unsupported("sizes in binary"))?;
        let flag = block.get(156).copied().unwrap_or(0);
        match flag {
            b'x' | b'L' | b'K' => return Ok(self.extension(flag, size)?),
            // Settings for all entries; those that programs write are comments.
            b'g' => {
                let text = self.content(size, MAX_EXTENSION_BYTES)?;
                return match records(&text)?.iter().all(|(key, _)| *key == b"comment") {
                    true => Ok(()),
                    false => Err(unsupported("settings for all files").into()),
                };
            }
            _ => {}
        }
        let long = std::mem::take(&mut self.long);
        if long.size.is_some_and(|other| other != size) {
            return Err(Hazard::HeadersDisagree.at(&long.path.unwrap_or_default()).into());
        }
        let path = long.path.unwrap_or_else(|| short_path(block));
        let mode = octal(field(block, 100, 8)).unwrap_or(0);
        let kind = match flag {
            b'0' | 0 if path.ends_with(b"/") => Kind::Directory,
            b'0' | 0 | b'7' => file_kind(mode),
            b'5' => Kind::Directory,
            b'2' => {
                let target = long.link.unwrap_or_else(|| text(field(block, 157, 100)).to_vec());
                Kind::Link(Some(target.into()))
            }
            b'1' => Kind::Refused(Hazard::HardLink),
            b'3' | b'4' => Kind::Refused(Hazard::Special("device")),
            b'6' => Kind::Refused(Hazard::Special("fifo")),
            b'S' => return Err(unsupported("sparse files").into()),
            _ => return Err(unsupported("an entry of an unknown kind").into()),
        };
        self.hand_over(Entry { path: path.into(), kind, size }, take)
    }

    fn hand_over(&mut self, entry: Entry, take: Take<'_>) -> Result<(), Stop> {
        let is_file = matches!(entry.kind, Kind::File { .. });
        if !is_file && entry.size != 0 && !matches!(entry.kind, Kind::Refused(_)) {
            return Err(Hazard::Trailing.at(&entry.path).into());
        }
        if is_file && entry.size > MAX_FILE_BYTES {
            let hazard = Hazard::FileTooLarge { size: entry.size, limit: MAX_FILE_BYTES };
            return Err(hazard.at(&entry.path).into());
        }
        let content = if is_file { self.content(entry.size, MAX_FILE_BYTES)? } else { Vec::new() };
        take(entry, &content)
    }

    fn extension(&mut self, flag: u8, size: u64) -> Result<(), At> {
        let mut content = self.content(size, MAX_EXTENSION_BYTES)?;
        if flag == b'x' {
            for (key, value) in records(&content)? {
                self.record(key, value)?;
            }
            return Ok(());
        }
        while content.last() == Some(&0) {
            content.pop();
        }
        if content.contains(&0) {
            return Err(Hazard::Control('\0').at(&content));
        }
        let slot = if flag == b'L' { &mut self.long.path } else { &mut self.long.link };
        match slot.replace(content) {
            Some(old) => Err(Hazard::HeadersDisagree.at(&old)),
            None => Ok(()),
        }
    }

    fn record(&mut self, key: &[u8], value: &[u8]) -> Result<(), At> {
        let twice = match key {
            b"path" => self.long.path.replace(value.to_vec()).is_some(),
            b"linkpath" => self.long.link.replace(value.to_vec()).is_some(),
            b"size" => {
                let number = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                let number = number.ok_or_else(|| malformed("a size is no number"))?;
                self.long.size.replace(number).is_some()
            }
            key if key.starts_with(b"GNU.sparse") => return Err(unsupported("sparse files")),
            // Times, owners and comments.
            _ => false,
        };
        let path = self.long.path.clone().unwrap_or_default();
        if twice { Err(Hazard::HeadersDisagree.at(&path)) } else { Ok(()) }
    }

    /// Content and the zeros that fill its last block.
    fn content(&mut self, size: u64, limit: u64) -> Result<Vec<u8>, At> {
        if size > limit {
            return Err(Hazard::FileTooLarge { size, limit }.at(b"."));
        }
        let length = usize::try_from(size).unwrap_or(usize::MAX);
        let mut content = Vec::new();
        let mut block = [0; BLOCK];
        while content.len() < length {
            self.fill(&mut block)?;
            let wanted = (length - content.len()).min(BLOCK);
            content.extend_from_slice(block.get(..wanted).unwrap_or_default());
        }
        Ok(content)
    }

    fn fill(&mut self, block: &mut [u8; BLOCK]) -> Result<(), At> {
        self.count(BLOCK as u64)?;
        self.input.read_exact(block).map_err(|error| damaged(&error))
    }

    /// After the end come zeros up to a whole record, and nothing else.
    fn only_zeros(&mut self) -> Result<(), At> {
        let mut rest = [0; BLOCK];
        loop {
            let count = self.input.read(&mut rest).map_err(|error| damaged(&error))?;
            if count == 0 {
                return Ok(());
            }
            self.count(count as u64)?;
            if rest.get(..count).unwrap_or_default().iter().any(|byte| *byte != 0) {
                return Err(Hazard::Trailing.at(b"."));
            }
        }
    }

    fn count(&mut self, bytes: u64) -> Result<(), At> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or_else(|| Hazard::Bomb(MAX_RATIO).at(b"."))?;
        Ok(())
    }
}

fn damaged(error: &io::Error) -> At {
    malformed(match error.kind() {
        io::ErrorKind::UnexpectedEof => "it ends too early",
        io::ErrorKind::QuotaExceeded => "it has too many parts",
        _ => "it cannot be unpacked",
    })
}

fn unsupported(what: &str) -> At {
    Hazard::Unsupported(what.to_owned()).at(b".")
}

fn field(block: &[u8; BLOCK], start: usize, length: usize) -> &[u8] {
    block.get(start..start + length).unwrap_or_default()
}

/// The bytes before the first NUL.
fn text(field: &[u8]) -> &[u8] {
    field.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// A number in octal digits, with blanks around it; none when it is anything else.
fn octal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text(field)).ok()?.trim();
    if text.is_empty() {
        return Some(0);
    }
    u64::from_str_radix(text, 8).ok().filter(|_| !text.starts_with('+'))
}

/// The path in a header: POSIX splits a long one in two.
fn short_path(block: &[u8; BLOCK]) -> Vec<u8> {
    let name = text(field(block, 0, 100));
    let posix = field(block, 257, 8) == b"ustar\x0000";
    let prefix = if posix { text(field(block, 345, 155)) } else { &[] };
    if prefix.is_empty() { name.to_vec() } else { [prefix, name].join(&b'/') }
}

type Record<'a> = (&'a [u8], &'a [u8]);

/// The records of an extended header: a length, a blank, `key=value`, a line feed.
fn records(mut text: &[u8]) -> Result<Vec<Record<'_>>, At> {
    let bad = || malformed("an extended header cannot be read");
    let mut records = Vec::new();
    while !text.is_empty() {
        let blank = text.iter().position(|byte| *byte == b' ').ok_or_else(bad)?;
        let digits = text.get(..blank).unwrap_or_default();
        let length = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
        let length: usize = length.ok_or_else(bad)?;
        let record = text.get(blank + 1..length).ok_or_else(bad)?;
        let record = record.strip_suffix(b"\n").ok_or_else(bad)?;
        let equals = record.iter().position(|byte| *byte == b'=').ok_or_else(bad)?;
        let (key, value) = record.split_at_checked(equals).ok_or_else(bad)?;
        let value = value.get(1..).unwrap_or_default();
        if value.len() > 4 * MAX_PATH_BYTES && matches!(key, b"path" | b"linkpath") {
            return Err(Hazard::TooLong(MAX_PATH_BYTES).at(value));
        }
        records.push((key, value));
        text = text.get(length..).ok_or_else(bad)?;
    }
    Ok(records)
}
