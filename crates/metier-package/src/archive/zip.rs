//! Zip files: the directory at the end and the headers before each file have to say the same, every
//! byte belongs to exactly one of them, and files are stored or deflated. So there is one way to read
//! the file, whoever reads it and from which end.

use std::io::Read as _;

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use super::{Take, file_kind, malformed, most_unpacked};
use crate::archive::Stop;
use crate::entry::{Entry, Kind};
use crate::hazard::{At, Hazard};
use crate::limits::{MAX_FILE_BYTES, MAX_RATIO, MAX_SOURCE_ENTRIES, MAX_TOTAL_BYTES};

const END: &[u8] = b"PK\x05\x06";
const CENTRAL: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";
const DESCRIPTOR: &[u8] = b"PK\x07\x08";

/// The file needs a password.
const ENCRYPTED: u16 = 1 << 0;
/// Size and checksum stand behind the content.
const BEHIND: u16 = 1 << 3;
/// Names are hidden in an encrypted directory.
const MASKED: u16 = 1 << 13;
/// The content is a patch.
const PATCH: u16 = 1 << 5;
/// The content is strongly encrypted.
const STRONG: u16 = 1 << 6;

/// What the directory says about a file.
struct Central<'a> {
    name: &'a [u8],
    extra: &'a [u8],
    flags: u16,
    method: u16,
    crc: u32,
    packed: u64,
    size: u64,
    start: usize,
    /// The mode of a file where Unix made the archive, or nothing.
    mode: Option<u64>,
    /// The mark of a directory where anything else did.
    dos_directory: bool,
}

/// Reads a zip file.
pub(super) fn read(bytes: &[u8], take: Take<'_>) -> Result<(), Stop> {
    let (mut files, directory) = central(bytes)?;
    files.sort_by_key(|file| file.start);
    let mut total = 0u64;
    let first = files.first().map_or(directory, |file| file.start);
    if first != 0 {
        return Err(Hazard::Trailing.at(b".").into());
    }
    for (index, file) in files.iter().enumerate() {
        let next = files.get(index + 1).map_or(directory, |next| next.start);
        let data = local(bytes, file, next)?;
        total = total.saturating_add(file.size);
        if total > most_unpacked(bytes.len() as u64) {
            return Err(Hazard::Bomb(MAX_RATIO).at(file.name).into());
        }
        if total > MAX_TOTAL_BYTES {
            return Err(Hazard::TooLarge(MAX_TOTAL_BYTES).at(file.name).into());
        }
        let content = unpacked(file, data)?;
        take(entry(file, &content)?, &content)?;
    }
    Ok(())
}

fn entry(file: &Central<'_>, content: &[u8]) -> Result<Entry, At> {
    const LINK: u64 = 0o120_000;
    const DIRECTORY: u64 = 0o040_000;
    const FILE: u64 = 0o100_000;
    let slash = file.name.ends_with(b"/");
    let kind = match file.mode.map(|mode| (mode & 0o170_000, mode)) {
        Some((LINK, _)) => Kind::Link(Some(content.into())),
        Some((DIRECTORY, _)) => Kind::Directory,
        Some((0 | FILE, _)) | None if slash || file.dos_directory => Kind::Directory,
        Some((0 | FILE, mode)) => file_kind(mode),
        Some(_) => Kind::Refused(Hazard::Special("device, fifo or socket")),
        None => Kind::File { executable: false },
    };
    if kind == Kind::Directory && !content.is_empty() {
        return Err(Hazard::Trailing.at(file.name));
    }
    if slash && kind != Kind::Directory {
        return Err(Hazard::Empty.at(file.name));
    }
    Ok(Entry { path: file.name.into(), kind, size: content.len() as u64 })
}

/// The directory at the end, and where it starts.
fn central(bytes: &[u8]) -> Result<(Vec<Central<'_>>, usize), At> {
    let end = end_of_directory(bytes)?;
    let mut record = Fields(bytes.get(end..).unwrap_or_default());
    record.skip(4)?;
    let (disk, first) = (record.u16()?, record.u16()?);
    let (here, all) = (record.u16()?, record.u16()?);
    let (size, start) = (record.u32()?, record.u32()?);
    if disk != 0 || first != 0 || here != all {
        return Err(unsupported("several parts"));
    }
    if all == u16::MAX || start == u32::MAX {
        return Err(unsupported("sizes of 64 bits"));
    }
    let start = start as usize;
    if start.checked_add(size as usize) != Some(end) {
        return Err(Hazard::Trailing.at(b"."));
    }
    let mut fields = Fields(bytes.get(start..end).ok_or_else(short)?);
    let mut files = Vec::new();
    while !fields.0.is_empty() {
        files.push(central_file(&mut fields)?);
        if files.len() > MAX_SOURCE_ENTRIES {
            return Err(Hazard::TooMany(MAX_SOURCE_ENTRIES).at(b"."));
        }
    }
    if files.len() != usize::from(all) {
        return Err(malformed("its directory has another number of files than it says"));
    }
    Ok((files, start))
}

/// Where the record at the very end starts. Its comment has to reach exactly to the end of the file,
/// and no other record may be found in it.
fn end_of_directory(bytes: &[u8]) -> Result<usize, At> {
    const SHORTEST: usize = 22;
    const LONGEST: usize = SHORTEST + u16::MAX as usize;
    let from = bytes.len().saturating_sub(LONGEST);
    let tail = bytes.get(from..).unwrap_or_default();
    let mut found = tail.windows(4).enumerate().filter(|(_, four)| *four == END);
    let (first, _) = found.next().ok_or_else(|| malformed("its directory is missing"))?;
    if found.next().is_some() {
        return Err(Hazard::HeadersDisagree.at(b"."));
    }
    let comment = tail.get(first + 20..first + 22).ok_or_else(short)?;
    let length = comment.iter().rev().fold(0, |sum, byte| sum * 256 + usize::from(*byte));
    match tail.len().checked_sub(first + SHORTEST + length) {
        Some(0) => Ok(from + first),
        Some(_) => Err(Hazard::Trailing.at(b".")),
        None => Err(short()),
    }
}

fn central_file<'a>(fields: &mut Fields<'a>) -> Result<Central<'a>, At> {
    if fields.take(4)? != CENTRAL {
        return Err(malformed("its directory cannot be read"));
    }
    let made_by = fields.u16()?;
    fields.skip(2)?;
    let (flags, method) = (fields.u16()?, fields.u16()?);
    fields.skip(4)?;
    let (crc, packed, size) = (fields.u32()?, fields.u32()?, fields.u32()?);
    let (name, extra, comment) = (fields.u16()?, fields.u16()?, fields.u16()?);
    let (disk, _, attributes) = (fields.u16()?, fields.u16()?, fields.u32()?);
    let start = fields.u32()?;
    let name = fields.take(name.into())?;
    let extra = fields.take(extra.into())?;
    fields.skip(comment.into())?;
    if disk != 0 {
        return Err(unsupported("several parts"));
    }
    if [packed, size, start].contains(&u32::MAX) {
        return Err(unsupported("sizes of 64 bits"));
    }
    let unix = matches!(made_by >> 8, 3 | 19);
    Ok(Central {
        name,
        extra,
        flags,
        method,
        crc,
        packed: packed.into(),
        size: size.into(),
        start: start as usize,
        mode: unix.then_some(u64::from(attributes >> 16)),
        dos_directory: !unix && attributes & 0x10 != 0,
    })
}

/// The header before a file's content, and what comes after it.
struct Local<'a> {
    flags: u16,
    method: u16,
    crc: u32,
    packed: u32,
    size: u32,
    name: &'a [u8],
    extra: &'a [u8],
    rest: Fields<'a>,
}

impl<'a> Local<'a> {
    fn read(room: &'a [u8]) -> Result<Self, At> {
        let mut rest = Fields(room);
        rest.skip(6)?;
        let (flags, method) = (rest.u16()?, rest.u16()?);
        rest.skip(4)?;
        let (crc, packed, size) = (rest.u32()?, rest.u32()?, rest.u32()?);
        let (name, extra) = (rest.u16()?, rest.u16()?);
        let (name, extra) = (rest.take(name.into())?, rest.take(extra.into())?);
        Ok(Self { flags, method, crc, packed, size, name, extra, rest })
    }
}

/// The packed content of a file, which fills all the room from its header to `next`.
fn local<'a>(bytes: &'a [u8], file: &Central<'a>, next: usize) -> Result<&'a [u8], At> {
    let disagree = || Hazard::HeadersDisagree.at(file.name);
    let room = bytes.get(file.start..next).filter(|room| !room.is_empty());
    let room = room.ok_or_else(|| Hazard::Overlap.at(file.name))?;
    let header = Local::read(room).map_err(|_| Hazard::Overlap.at(file.name))?;
    let Local { flags, method, crc, packed, size, name, extra, mut rest } = header;
    if room.get(..4) != Some(LOCAL) {
        return Err(disagree());
    }
    if flags & (ENCRYPTED | MASKED | STRONG) != 0 || file.flags & (ENCRYPTED | MASKED | STRONG) != 0
    {
        return Err(Hazard::Encrypted.at(file.name));
    }
    if flags & PATCH != 0 {
        return Err(unsupported("patches"));
    }
    let told = (crc, u64::from(packed), u64::from(size));
    let behind = flags & BEHIND != 0;
    let same = told == (file.crc, file.packed, file.size) || (behind && told == (0, 0, 0));
    if name != file.name || method != file.method || flags != file.flags || !same {
        return Err(disagree());
    }
    for extra in [extra, file.extra] {
        check_extra(extra, file)?;
    }
    let packed = usize::try_from(file.packed).map_err(|_| short())?;
    let data = rest.take(packed).map_err(|_| Hazard::Overlap.at(file.name))?;
    if descriptor(rest.0, file, behind) { Ok(data) } else { Err(Hazard::Trailing.at(file.name)) }
}

/// Whether what is left behind a file's content is what may be there.
fn descriptor(rest: &[u8], file: &Central<'_>, behind: bool) -> bool {
    if !behind {
        return rest.is_empty();
    }
    let rest = if rest.len() == 16 { rest.strip_prefix(DESCRIPTOR).unwrap_or(rest) } else { rest };
    let [crc, packed, size] = [file.crc.into(), file.packed, file.size]
        .map(|number: u64| u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
    rest == [crc, packed, size].concat()
}

/// Extra fields may not say another name or size than the header.
fn check_extra(extra: &[u8], file: &Central<'_>) -> Result<(), At> {
    const SIZES: u16 = 0x0001;
    const STRONG_KEY: u16 = 0x9901;
    const UNICODE_NAME: u16 = 0x7075;
    let mut fields = Fields(extra);
    // Some programs fill up with zeros that make no field.
    while fields.0.len() >= 4 {
        let (id, size) = (fields.u16()?, fields.u16()?);
        let value = fields.take(size.into())?;
        match id {
            SIZES => return Err(unsupported("sizes of 64 bits")),
            STRONG_KEY => return Err(Hazard::Encrypted.at(file.name)),
            UNICODE_NAME if value.get(5..) != Some(file.name) => {
                return Err(Hazard::HeadersDisagree.at(file.name));
            }
            _ => {}
        }
    }
    Ok(())
}

fn unpacked(file: &Central<'_>, data: &[u8]) -> Result<Vec<u8>, At> {
    if file.size > MAX_FILE_BYTES {
        let hazard = Hazard::FileTooLarge { size: file.size, limit: MAX_FILE_BYTES };
        return Err(hazard.at(file.name));
    }
    if file.size > most_unpacked(file.packed) {
        return Err(Hazard::Bomb(MAX_RATIO).at(file.name));
    }
    let content = match file.method {
        0 => data.to_vec(),
        8 => inflate(file, data)?,
        _ => return Err(unsupported("another compression than deflate")),
    };
    let mut crc = Crc::new();
    crc.update(&content);
    if content.len() as u64 != file.size || crc.sum() != file.crc {
        return Err(Hazard::HeadersDisagree.at(file.name));
    }
    Ok(content)
}

fn inflate(file: &Central<'_>, data: &[u8]) -> Result<Vec<u8>, At> {
    let mut decoder = DeflateDecoder::new(data);
    let mut content = Vec::new();
    let read = decoder.by_ref().take(file.size + 1).read_to_end(&mut content);
    read.map_err(|_| Hazard::Malformed("a file cannot be unpacked".to_owned()).at(file.name))?;
    if content.len() as u64 > file.size {
        return Err(Hazard::HeadersDisagree.at(file.name));
    }
    match decoder.into_inner().is_empty() {
        true => Ok(content),
        false => Err(Hazard::Trailing.at(file.name)),
    }
}

fn short() -> At {
    malformed("it ends too early")
}

fn unsupported(what: &str) -> At {
    Hazard::Unsupported(what.to_owned()).at(b".")
}

/// Numbers and bytes one after the other.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], At> {
        let (head, rest) = self.0.split_at_checked(count).ok_or_else(short)?;
        self.0 = rest;
        Ok(head)
    }

    fn skip(&mut self, count: usize) -> Result<(), At> {
        self.take(count).map(drop)
    }

    fn u16(&mut self) -> Result<u16, At> {
        self.take(2)?.try_into().map(u16::from_le_bytes).map_err(|_| short())
    }

    fn u32(&mut self) -> Result<u32, At> {
        self.take(4)?.try_into().map(u32::from_le_bytes).map_err(|_| short())
    }
}
