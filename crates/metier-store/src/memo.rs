//! What a scan has read, remembered for the next one: of each sound `SKILL.md` of a root its stamp,
//! the candidate it made, and what its directory is. A file whose stamp is what it was is not opened
//! again, a link to its directory not followed for its own sake, and a root with nothing but such
//! skills not listed as long as its own stamp is what it was; that is the only difference a memo
//! makes, and deleting one costs nothing but time.
//!
//! A stamp that is as young as the look at it proves nothing, since a file may be written twice
//! within one tick of the file system's clock; such files are read again. A memo is believed only
//! when its sum fits, and when the same program made it for the same root: another version may
//! read the same bytes differently. Where memos are kept is the application's business
//! ([`Memory`]); here nothing is written.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use metier_format::SkillName;
use rustix::fs::{FileType, Stat};

use crate::candidate::Spot;
use crate::contained::kind_of;
use crate::digest::{CHECKSUM_BYTES, checksum};
use crate::discover::{Facts, Found, FoundScope};
use crate::layer::RootId;
use crate::level::Identity;
use crate::limits::{MAX_MEMO_BYTES, MIN_REMEMBERED, RACY_NANOSECONDS, ROOM_FOR_OTHERS};
use crate::paths::{boxed_path, bytes_of, last, path_order};
use crate::vouch::Standing;

/// What a memo begins with; another one is another format and read as nothing.
const HEADING: &[u8] = b"metier-memo-6\n";

/// Bytes of a record as most are, at least: only a guess at how many there are.
const USUAL_RECORD: usize = 256;

/// Numbers in a stamp.
const STAMP_NUMBERS: usize = 8;

/// Where an application keeps what scans have read.
pub trait Memory: Send + Sync {
    /// What was kept for `root`, whatever has become of it.
    fn recall(&self, root: &Path) -> Option<Vec<u8>>;

    /// Keeps `memo` for `root` instead of what was kept. Whether that works changes nothing but time.
    fn keep(&self, root: &Path, memo: &[u8]);

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
}

impl Remembered<'_> {
    /// The candidate, which is in `root`.
    pub(crate) fn candidate(mut self, root: RootId) -> Option<Found> {
        let spot = Spot { root, path: self.path, identity: self.identity };
        let found = self.rest.candidate(spot)?;
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
    /// The memo in `bytes`; none when it is damaged, or not of `root` by `maker`.
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
        let listing = match input.flag()? {
            true => Some(input.stamp()?),
            false => None,
        };
        let mut ways = Vec::new();
        for _ in 0..input.number()? {
            ways.push((input.short_range()?, input.stamp()?));
        }
        let mut records = Vec::with_capacity(bytes.len() / USUAL_RECORD);
        while input.at < input.end {
            records.push(input.short_range()?);
        }
        Some(Self { listing, ways, bytes, records })
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
        let part = |range: &Range<u32>| self.bytes.get(range.start as usize..range.end as usize);
        self.ways.iter().map(move |(way, stamp)| (part(way).unwrap_or_default(), *stamp))
    }

    /// Whether links in the root lead into these directories, and into no others.
    pub(crate) fn leads(&self, ways: Option<&[Stamped]>) -> bool {
        let now = ways.unwrap_or_default().iter().map(|(way, stamp)| (&**way, *stamp));
        self.ways().eq(now)
    }

    /// What is remembered of the directory of record `at`, in the order of their paths.
    pub(crate) fn remembered(&self, at: usize) -> Option<Remembered<'_>> {
        let mut input = self.record(self.records.get(at)?)?;
        Some(Remembered {
            path: input.text()?,
            identity: input.identity()?,
            link: input.link()?,
            straight: input.flag()?,
            stamp: input.stamp()?,
            rest: input,
        })
    }

    /// All candidates, which are in `root`; none when one cannot be read.
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
        Some((at, known.rest.candidate(spot)?))
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
            path_order(self.record(record).and_then(|mut r| r.text()).unwrap_or_default(), path)
        };
        self.records.binary_search_by(order).ok()
    }

    fn path(&self, at: usize) -> Option<&[u8]> {
        self.record(self.records.get(at)?)?.text()
    }

    fn record(&self, range: &Range<u32>) -> Option<Input<'_>> {
        Some(Input { whole: &self.bytes, at: range.start as usize, end: range.end as usize })
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
) -> Option<Vec<u8>> {
    let now = maker.now;
    let mut records = Output::default();
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
        record.candidate(found);
        records.text(&record.0);
        count += 1;
    }
    let mut body = Output::default();
    body.text(maker.name.as_bytes());
    body.text(bytes_of(maker.root));
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
    let memo = [HEADING, &checksum(&body.0), &body.0].concat();
    (count >= MIN_REMEMBERED && memo.len() <= MAX_MEMO_BYTES).then_some(memo)
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

/// Bytes being put together: numbers of seven bits a byte, the lowest first, each byte but the last
/// with its highest bit set; texts after their lengths; stamps as eight bytes a number.
#[derive(Default)]
struct Output(Vec<u8>);

impl Output {
    fn number(&mut self, mut number: u64) {
        while number > 0x7f {
            self.0.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
    }

    fn text(&mut self, text: &[u8]) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text);
    }

    fn optional(&mut self, text: Option<&str>) {
        self.number(u64::from(text.is_some()));
        self.text(text.unwrap_or_default().as_bytes());
    }

    fn texts<T: AsRef<str>>(&mut self, texts: &[T]) {
        self.number(texts.len() as u64);
        texts.iter().for_each(|text| self.text(text.as_ref().as_bytes()));
    }

    fn identity(&mut self, (device, inode): Identity) {
        self.number(device);
        self.number(inode);
    }

    fn link(&mut self, link: Option<&Path>) {
        self.number(u64::from(link.is_some()));
        self.text(link.map(bytes_of).unwrap_or_default());
    }

    /// Of fixed length: it is what is looked at most.
    fn stamp(&mut self, stamp: &Stamp) {
        stamp.numbers().iter().for_each(|number| self.0.extend_from_slice(&number.to_le_bytes()));
    }

    /// A candidate without its place, which the walk knows, and without findings, of which it has
    /// none.
    fn candidate(&mut self, found: &Found) {
        // A name that is its directory's, as it should be, is not said twice.
        let name = found.name.as_str().as_bytes();
        self.text(if name == last(bytes_of(&found.path)) { b"" } else { name });
        self.text(found.description.as_bytes());
        self.text(&found.digest);
        self.number(u64::from(found.facts.is_some()));
        if let Some(facts) = &found.facts {
            self.facts(facts);
        }
    }

    fn facts(&mut self, facts: &Facts) {
        let Facts { priority, tags, version, compatibility, allowed_tools, scope, .. } = facts;
        self.number(u64::from_ne_bytes(priority.to_ne_bytes()));
        self.texts(tags);
        for text in [version, compatibility, allowed_tools] {
            self.optional(text.as_deref());
        }
        self.number(u64::from(scope.is_some()));
        if let Some(FoundScope { agents, tenants, environments }) = scope.as_deref() {
            for list in [agents, tenants, environments] {
                self.number(u64::from(list.is_some()));
                self.texts(list.as_deref().unwrap_or_default());
            }
        }
        self.optional(facts.min_host_version.as_deref());
        self.optional(facts.max_host_version.as_deref());
        self.number(u64::from(facts.disable_model_invocation));
        self.number(u64::from(facts.user_invocable));
    }
}

/// Bytes being taken apart. Everything is none where they are not what they should be.
#[derive(Debug)]
struct Input<'a> {
    whole: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Input<'a> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = *self.whole.get(self.at).filter(|_| self.at < self.end)?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn flag(&mut self) -> Option<bool> {
        match self.number()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn range(&mut self) -> Option<Range<usize>> {
        let length = usize::try_from(self.number()?).ok()?;
        let end = self.at.checked_add(length).filter(|end| *end <= self.end)?;
        let range = self.at..end;
        self.at = end;
        Some(range)
    }

    fn short_range(&mut self) -> Option<Range<u32>> {
        let Range { start, end } = self.range()?;
        Some(u32::try_from(start).ok()?..u32::try_from(end).ok()?)
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let range = self.range()?;
        self.whole.get(range)
    }

    fn string(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.text()?).ok()
    }

    fn optional(&mut self) -> Option<Option<Box<str>>> {
        let is_there = self.flag()?;
        let text = self.string()?;
        Some(is_there.then(|| text.into()))
    }

    fn texts<T: From<&'a str>>(&mut self) -> Option<Vec<T>> {
        let count = self.number()?;
        (0..count).map(|_| self.string().map(T::from)).collect()
    }

    fn identity(&mut self) -> Option<Identity> {
        Some((self.number()?, self.number()?))
    }

    fn link(&mut self) -> Option<Option<&'a [u8]>> {
        let is_there = self.flag()?;
        let link = self.text()?;
        Some(is_there.then_some(link))
    }

    fn stamp(&mut self) -> Option<Stamp> {
        let bytes = self.whole.get(self.at..self.end)?.first_chunk::<{ 8 * STAMP_NUMBERS }>()?;
        self.at += bytes.len();
        let mut numbers = [0; STAMP_NUMBERS];
        let (words, _) = bytes.as_chunks::<8>();
        numbers.iter_mut().zip(words).for_each(|(to, from)| *to = u64::from_le_bytes(*from));
        Some(Stamp::from_numbers(numbers))
    }

    fn candidate(&mut self, spot: Spot<'_>) -> Option<Found> {
        let name = match self.text()? {
            b"" => last(spot.path),
            name => name,
        };
        let name = std::str::from_utf8(name).ok()?;
        let parsed = SkillName::parse(name).ok().filter(|parsed| parsed.as_str() == name)?;
        Some(Found {
            name: parsed,
            description: self.string()?.into(),
            digest: self.text()?.try_into().ok()?,
            facts: match self.flag()? {
                true => Some(Box::new(self.facts()?)),
                false => None,
            },
            root: spot.root,
            path: boxed_path(spot.path),
            identity: spot.identity,
            link: None,
            straight: false,
            diagnostics: Box::default(),
            standing: Standing::Unknown,
            origin: None,
        })
    }

    fn facts(&mut self) -> Option<Facts> {
        Some(Facts {
            priority: i64::from_ne_bytes(self.number()?.to_ne_bytes()),
            tags: self.texts()?.into(),
            version: self.optional()?,
            compatibility: self.optional()?,
            allowed_tools: self.optional()?,
            scope: match self.flag()? {
                true => Some(Box::new(FoundScope {
                    agents: self.list()?,
                    tenants: self.list()?,
                    environments: self.list()?,
                })),
                false => None,
            },
            min_host_version: self.optional()?,
            max_host_version: self.optional()?,
            disable_model_invocation: self.flag()?,
            user_invocable: self.flag()?,
        })
    }

    fn list(&mut self) -> Option<Option<Vec<String>>> {
        let is_there = self.flag()?;
        let texts = self.texts()?;
        Some(is_there.then_some(texts))
    }
}

#[cfg(test)]
#[path = "memo_tests.rs"]
mod tests;
