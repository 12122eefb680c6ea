//! What a scan has read, remembered for the next one: of each sound `SKILL.md` of a root its stamp,
//! the candidate it made, and what its directory is. A file whose stamp is what it was is not opened
//! again, a link to its directory not followed for its own sake, and a root with nothing but such
//! skills not listed as long as its own stamp is what it was; that is the only difference a memo
//! makes, and deleting one costs nothing but time.
//!
//! A memo has two parts ([`Part`]). Whoever is after a few names goes by the smaller one alone; `bytes`
//! says how either is written.
//!
//! A stamp that is as young as the look at it proves nothing, since a file may be written twice
//! within one tick of the file system's clock; such files are read again. A memo is believed only
//! when its sum fits, and when the same program made it for the same root: another version may
//! read the same bytes differently. Where memos are kept is the application's business
//! ([`Memory`]); here nothing is written.

mod bytes;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use rustix::fs::{FileType, Stat};

use crate::candidate::Spot;
use crate::contained::kind_of;
use crate::digest::{CHECKSUM_BYTES, checksum};
use crate::discover::Found;
use crate::layer::RootId;
use crate::level::Identity;
use crate::limits::{MAX_MEMO_BYTES, MIN_REMEMBERED, RACY_NANOSECONDS, ROOM_FOR_OTHERS};
use crate::paths::{boxed_path, bytes_of, path_order};
use bytes::{Input, Output};

/// What a memo begins with; another one is another format and read as nothing.
const HEADING: &[u8] = b"metier-memo-7\n";

/// Numbers in a stamp.
const STAMP_NUMBERS: usize = 8;

/// The parts of a memo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What a choice goes by: names, places, stamps and conditions.
    Marks,
    /// What is told besides: descriptions, tags, versions, tools. More than half of it all.
    Texts,
}

/// Where an application keeps what scans have read.
pub trait Memory: Send + Sync {
    /// What was kept for `root`, whatever has become of it.
    fn recall(&self, root: &Path, part: Part) -> Option<Vec<u8>>;

    /// Keeps `bytes` for `root` instead of what was kept. Whether that works changes nothing but time.
    fn keep(&self, root: &Path, part: Part, bytes: &[u8]);

    /// Names the program that remembers. What one of another name kept is not used.
    fn maker(&self) -> String;

    /// The time before the scan, in nanoseconds since 1970.
    fn now(&self) -> i128;
}

/// What the file system says of a file without anybody reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    mode: u64,
    modified: (u64, u64),
    changed: (u64, u64),
}

/// A path below a root, and the stamp of what lies there.
pub(crate) type Stamped = (Box<[u8]>, Stamp);

/// Of what a memo is made, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Maker<'a> {
    /// The root.
    pub(crate) root: &'a Path,
    /// The program.
    pub(crate) name: &'a str,
    /// The time before the scan, in nanoseconds since 1970.
    pub(crate) now: i128,
    /// The root's own stamp before it was listed, and how many entries it had that may be directories.
    pub(crate) listing: Option<(Stamp, usize)>,
    /// The directories that links in it lead into ([`crate::disk::Disk::ways`]), when all are known.
    pub(crate) ways: Option<&'a [Stamped]>,
}

/// What is remembered of one root.
#[derive(Debug)]
pub(crate) struct Memo {
    /// The stamp of the root when all that could be a directory in it was a candidate that is
    /// remembered: as long as it is the same, they are what a listing would show.
    listing: Option<Stamp>,
    /// Directories that links in the root lead into, with their stamps: as long as those are the same,
    /// what links lead to is as straight as it was.
    ways: Vec<(Range<u32>, Stamp)>,
    bytes: Vec<u8>,
    /// Where each record stands, in the order of their paths.
    records: Vec<Range<u32>>,
    /// The sum of the other part.
    told: Range<u32>,
    /// The other part, once it was read.
    texts: Option<Texts>,
}

/// The texts of a memo.
#[derive(Debug)]
struct Texts {
    bytes: Vec<u8>,
    /// Where those of each record stand, in the same order.
    records: Vec<Range<u32>>,
}

/// A memo as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// [`Part::Marks`].
    pub(crate) marks: Vec<u8>,
    /// [`Part::Texts`].
    pub(crate) texts: Vec<u8>,
}

/// What is remembered of one directory with a skill in it.
#[derive(Debug)]
pub(crate) struct Remembered<'a> {
    /// Its path below the root.
    pub(crate) path: &'a [u8],
    /// What the link to it said, when one led there.
    pub(crate) link: Option<&'a [u8]>,
    straight: bool,
    /// The stamp of its file.
    pub(crate) stamp: Stamp,
    identity: Identity,
    rest: Input<'a>,
    texts: Option<Input<'a>>,
}

impl Remembered<'_> {
    /// The candidate, which is in `root`.
    pub(crate) fn candidate(mut self, root: RootId) -> Option<Found> {
        let spot = Spot { root, path: self.path, identity: self.identity };
        let found = self.rest.candidate(spot, self.texts)?;
        Some(Found { link: self.link.map(boxed_path), straight: self.straight, ..found })
    }
}

impl Stamp {
    /// The stamp of a regular file; none for anything else.
    pub(crate) fn of(stat: &Stat) -> Option<Self> {
        (kind_of(stat) == FileType::RegularFile).then(|| Self::of_any(stat))
    }

    /// The stamp of whatever it is.
    pub(crate) fn of_any(stat: &Stat) -> Self {
        let number = |number: i64| u64::from_ne_bytes(number.to_ne_bytes());
        Self {
            device: stat.st_dev,
            inode: stat.st_ino,
            size: number(stat.st_size),
            mode: u64::from(stat.st_mode),
            modified: (number(stat.st_mtime), stat.st_mtime_nsec),
            changed: (number(stat.st_ctime), stat.st_ctime_nsec),
        }
    }

    fn numbers(&self) -> [u64; STAMP_NUMBERS] {
        let Self { device, inode, size, mode, modified, changed } = *self;
        [device, inode, size, mode, modified.0, modified.1, changed.0, changed.1]
    }

    fn from_numbers(numbers: [u64; STAMP_NUMBERS]) -> Self {
        let [device, inode, size, mode, modified, modified_nanos, changed, changed_nanos] = numbers;
        let (modified, changed) = ((modified, modified_nanos), (changed, changed_nanos));
        Self { device, inode, size, mode, modified, changed }
    }

    /// Whether it is so much older than `now` that it can be believed later.
    fn is_older_than(&self, now: i128) -> bool {
        let time = |(seconds, nanoseconds): (u64, u64)| {
            i128::from(i64::from_ne_bytes(seconds.to_ne_bytes())) * 1_000_000_000
                + i128::from(nanoseconds)
        };
        time(self.modified).max(time(self.changed)) < now - RACY_NANOSECONDS
    }
}

impl Memo {
    /// The memo whose marks are in `bytes`; none when it is damaged, or not of `root` by `maker`.
    pub(crate) fn read(bytes: Vec<u8>, root: &Path, maker: &str) -> Option<Self> {
        if bytes.len() > MAX_MEMO_BYTES {
            return None;
        }
        let start = HEADING.len() + CHECKSUM_BYTES;
        let body = bytes.get(start..)?;
        let mut input = Input { whole: &bytes, at: start, end: bytes.len() };
        // The cheap questions first: most memos that do not count are merely somebody else's.
        let ours = bytes.starts_with(HEADING)
            && input.text()? == maker.as_bytes()
            && input.text()? == bytes_of(root);
        if !ours || bytes.get(HEADING.len()..start)? != checksum(body) {
            return None;
        }
        let told = input.short_range()?;
        let listing = match input.flag()? {
            true => Some(input.stamp()?),
            false => None,
        };
        let mut ways = Vec::new();
        for _ in 0..input.number()? {
            ways.push((input.short_range()?, input.stamp()?));
        }
        let records = input.records()?;
        Some(Self { listing, ways, bytes, records, told, texts: None })
    }

    /// The same memo with the texts in `bytes`; none when they are not its own.
    pub(crate) fn telling(self, bytes: Vec<u8>) -> Option<Self> {
        if bytes.len() > MAX_MEMO_BYTES || self.part(&self.told)? != checksum(&bytes) {
            return None;
        }
        let records = Input { whole: &bytes, at: 0, end: bytes.len() }.records()?;
        let texts = Some(Texts { bytes, records }).filter(|t| t.records.len() == self.len())?;
        Some(Self { texts: Some(texts), ..self })
    }

    /// How many candidates are in it.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether the root, whose stamp is `now`, holds the candidates that are remembered and no other
    /// directory, and every link in it says what it said.
    pub(crate) fn lists(&self, now: &Stamp) -> bool {
        self.listing.as_ref() == Some(now)
    }

    /// The directories that links in the root lead into, with the stamps they had.
    pub(crate) fn ways(&self) -> impl Iterator<Item = (&[u8], Stamp)> {
        self.ways.iter().map(|(way, stamp)| (self.part(way).unwrap_or_default(), *stamp))
    }

    /// Whether links in the root lead into these directories, and into no others.
    pub(crate) fn leads(&self, ways: Option<&[Stamped]>) -> bool {
        let now = ways.unwrap_or_default().iter().map(|(way, stamp)| (&**way, *stamp));
        self.ways().eq(now)
    }

    /// What is remembered of the directory of record `at`, in the order of their paths.
    pub(crate) fn remembered(&self, at: usize) -> Option<Remembered<'_>> {
        let mut input = Input::part(&self.bytes, self.records.get(at)?);
        let texts = match &self.texts {
            Some(texts) => Some(Input::part(&texts.bytes, texts.records.get(at)?)),
            None => None,
        };
        Some(Remembered {
            path: input.text()?,
            identity: input.identity()?,
            link: input.link()?,
            straight: input.flag()?,
            stamp: input.stamp()?,
            rest: input,
            texts,
        })
    }

    /// All candidates, which are in `root`, without texts where those were not read; none when one
    /// cannot be read.
    pub(crate) fn candidates(&self, root: RootId) -> Option<Vec<Found>> {
        let mut found = Vec::with_capacity(self.len() + ROOM_FOR_OTHERS);
        for at in 0..self.len() {
            found.push(self.remembered(at)?.candidate(root)?);
        }
        Some(found)
    }

    /// The candidate remembered at the spot, when its file is as it was, and which one it is: `stamp`
    /// is asked only for what is in the memo. `next` is where it is looked for first: a walk goes in the
    /// memo's order, so that it nearly always is there.
    pub(crate) fn candidate(
        &self,
        spot: Spot<'_>,
        next: &mut usize,
        stamp: impl FnOnce() -> Option<Stamp>,
    ) -> Option<(usize, Found)> {
        let is_there = |at: &usize| self.path(*at) == Some(spot.path);
        let at = Some(*next).filter(is_there).or_else(|| self.find(spot.path))?;
        *next = at + 1;
        let mut known = self.remembered(at)?;
        stamp().filter(|stamp| *stamp == known.stamp)?;
        Some((at, known.rest.candidate(spot, known.texts)?))
    }

    /// What the directory at `path` was when its candidate was found.
    pub(crate) fn identity(&self, path: &[u8]) -> Option<Identity> {
        Some(self.remembered(self.find(path)?)?.identity)
    }

    /// The stamp of the file in the directory at `path`, if its candidate is one of `recalled`.
    fn stamp(&self, path: &[u8], recalled: &BTreeSet<usize>) -> Option<Stamp> {
        let at = self.find(path).filter(|at| recalled.contains(at))?;
        Some(self.remembered(at)?.stamp)
    }

    /// Which record is of `path`.
    fn find(&self, path: &[u8]) -> Option<usize> {
        let order = |record: &Range<u32>| {
            path_order(Input::part(&self.bytes, record).text().unwrap_or_default(), path)
        };
        self.records.binary_search_by(order).ok()
    }

    fn path(&self, at: usize) -> Option<&[u8]> {
        Input::part(&self.bytes, self.records.get(at)?).text()
    }

    fn part(&self, range: &Range<u32>) -> Option<&[u8]> {
        self.bytes.get(range.start as usize..range.end as usize)
    }
}

/// The memo of a root for candidates, in the order of their paths, with the stamps of those that were
/// read, in the same order, and of those recalled from the memo `before`; none when it is not worth it.
/// Candidates without a stamp that can be believed are left out.
pub(crate) fn write(
    maker: Maker<'_>,
    found: &[Found],
    stamps: &[Stamped],
    before: Option<(&Memo, &[usize])>,
) -> Option<Written> {
    let now = maker.now;
    let (mut records, mut texts) = (Output::default(), Output::default());
    let recalled: BTreeSet<usize> =
        before.iter().flat_map(|(_, recalled)| *recalled).copied().collect();
    let mut stamps = stamps.iter().peekable();
    let mut count = 0;
    for found in found {
        let path = bytes_of(&found.path);
        while stamps.next_if(|(other, _)| path_order(other, path).is_lt()).is_some() {}
        let read = stamps.peek().filter(|(other, _)| **other == *path).map(|(_, stamp)| *stamp);
        let known = || before?.0.stamp(path, &recalled);
        let Some(stamp) = read.or_else(known).filter(|stamp| stamp.is_older_than(now)) else {
            continue;
        };
        let mut record = Output::default();
        record.text(path);
        record.identity(found.identity);
        record.link(found.link.as_deref());
        record.number(u64::from(found.straight));
        record.stamp(&stamp);
        record.marks(found);
        records.text(&record.0);
        let mut told = Output::default();
        told.texts_of(found);
        texts.text(&told.0);
        count += 1;
    }
    let mut body = Output::default();
    body.text(maker.name.as_bytes());
    body.text(bytes_of(maker.root));
    body.text(&checksum(&texts.0));
    let listing = listing(&maker, found, count);
    body.number(u64::from(listing.is_some()));
    if let Some(stamp) = listing {
        body.stamp(&stamp);
    }
    let ways = maker.ways.unwrap_or_default();
    body.number(ways.len() as u64);
    for (way, stamp) in ways {
        body.text(way);
        body.stamp(stamp);
    }
    body.0.append(&mut records.0);
    let marks = [HEADING, &checksum(&body.0), &body.0].concat();
    let is_short = marks.len().max(texts.0.len()) <= MAX_MEMO_BYTES;
    (count >= MIN_REMEMBERED && is_short).then_some(Written { marks, texts: texts.0 })
}

/// The root's stamp, when its listing can be told from so many remembered candidates alone.
pub(crate) fn listing(maker: &Maker<'_>, found: &[Found], remembered: usize) -> Option<Stamp> {
    let (stamp, entries) = maker.listing?;
    let is_in_root = |found: &Found| bytes_of(&found.path).iter().all(|byte| *byte != b'/');
    let is_all = entries == remembered && found.len() == remembered;
    let are_old = |ways: &[(_, Stamp)]| ways.iter().all(|(_, way)| way.is_older_than(maker.now));
    (is_all && maker.ways.is_some_and(are_old) && found.iter().all(is_in_root))
        .then_some(stamp)
        .filter(|s| s.is_older_than(maker.now))
}

/// How many of the stamps can be believed later.
pub(crate) fn believable(stamps: &[Stamped], now: i128) -> usize {
    stamps.iter().filter(|(_, stamp)| stamp.is_older_than(now)).count()
}

#[cfg(test)]
#[path = "memo_tests.rs"]
mod tests;
