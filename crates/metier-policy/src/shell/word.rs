//! A word of a command line after quoting is undone: known text, or text with parts that only a
//! running shell knows.

/// One word. What it stands for may be known in full, or only up to its first expansion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Word {
    /// The text, with every unknown part left out.
    text: String,
    /// How much of the text is certain to stand at the front, when something after it is not.
    certain: Option<usize>,
    /// Where in the text parts are left out.
    holes: Vec<usize>,
    /// It may become several words, or none.
    splits: bool,
    /// It was written without any quoting, escape or expansion.
    plain: bool,
    /// Where the value starts, when the word is `NAME=value`.
    value_at: Option<usize>,
    /// Every text the shells in question may take it for, where that is more than one and can be
    /// told: braces, a tilde behind `=`, a wildcard that finds `..`.
    readings: Vec<Self>,
    /// It starts with a tilde of which only a running shell knows where it leads.
    tilde: bool,
    /// It names what a command writes: `<(…)`.
    process: bool,
    /// A wildcard in it may find several files.
    wildcard: bool,
    /// The part left out here is the directory a command works in: `$PWD`, `$(pwd)`.
    here: Option<usize>,
    /// Text that stands on standard input, where the word stands for that.
    feed: Option<Feed>,
}

/// What a command finds on its standard input.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Feed {
    /// This text.
    Text(String),
    /// Something only a running shell knows.
    Unknown,
}

impl Word {
    /// A word that stands for exactly this text.
    pub fn known(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A word of which nothing is known, not even whether it is one word.
    #[must_use]
    pub fn unknown() -> Self {
        Self { certain: Some(0), holes: vec![0], splits: true, ..Self::default() }
    }

    /// One word that certainly starts with this text.
    pub fn starting(text: impl Into<String>) -> Self {
        let text: String = text.into();
        Self { certain: Some(text.len()), holes: vec![text.len()], text, ..Self::default() }
    }

    /// A word that stands for any one name in a directory, hidden ones included.
    pub(crate) fn any_name() -> Self {
        Self { text: "[?]".to_owned(), certain: Some(0), ..Self::default() }
    }

    /// The text, when all of it is certain.
    #[must_use]
    pub fn as_known(&self) -> Option<&str> {
        self.certain.is_none().then_some(self.text.as_str())
    }

    /// The text it certainly starts with.
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.certain.map_or(self.text.as_str(), |end| self.text.get(..end).unwrap_or_default())
    }

    /// Whether it may become several words, or none.
    #[must_use]
    pub fn splits(&self) -> bool {
        self.splits
    }

    /// Whether a program may take it for an option: it starts with `-`, or nobody knows how.
    #[must_use]
    pub fn may_be_option(&self) -> bool {
        self.splits || self.prefix().starts_with('-') || (self.certain == Some(0))
    }

    /// The word from byte `from` on, which must lie in its certain part.
    #[must_use]
    pub fn tail(&self, from: usize) -> Option<Self> {
        if from > self.prefix().len() {
            return None;
        }
        let text = self.text.get(from..)?.to_owned();
        let certain = self.certain.map(|end| end - from);
        let holes = self.holes.iter().map(|hole| hole.saturating_sub(from)).collect();
        let readings = self.readings.iter().filter_map(|reading| reading.tail(from)).collect();
        let here = self.here.and_then(|here| here.checked_sub(from));
        Some(Self { text, certain, holes, readings, here, splits: self.splits, ..Self::default() })
    }

    /// The part of the text in this range, as a word of its own. One that starts with the directory a
    /// command works in starts with `.`.
    pub(crate) fn part(&self, from: usize, to: usize) -> Option<Self> {
        let text = self.text.get(from..to)?;
        let inside = |hole: &&usize| (from..=to).contains(*hole);
        let holes: Vec<usize> = self.holes.iter().filter(inside).map(|hole| hole - from).collect();
        if self.here == Some(from) && holes == [0] && (text.is_empty() || text.starts_with('/')) {
            return Some(Self::known(format!(".{text}")));
        }
        let wildcard =
            self.certain.map(|end| end.saturating_sub(from)).filter(|end| *end < to - from);
        let certain = wildcard.into_iter().chain(holes.first().copied()).min();
        Some(Self { text: text.to_owned(), certain, holes, ..Self::default() })
    }

    /// The word from byte `from` on, whatever is certain about it: every mark that may be a wildcard
    /// counts as one.
    pub(crate) fn behind(&self, from: usize) -> Option<Self> {
        let text = self.text.get(from..)?.to_owned();
        let holes: Vec<usize> =
            self.holes.iter().filter_map(|hole| hole.checked_sub(from)).collect();
        let wildcard = text.find(['*', '?', '[', '{']);
        let certain = wildcard.into_iter().chain(holes.first().copied()).min();
        Some(Self { text, certain, holes, ..Self::default() })
    }

    /// The same word behind this text.
    pub(crate) fn after(&self, start: &str) -> Self {
        let text = format!("{start}{}", self.text);
        let certain = self.certain.map(|end| end + start.len());
        let holes = self.holes.iter().map(|hole| hole + start.len()).collect();
        Self { text, certain, holes, splits: self.splits, ..Self::default() }
    }

    /// Every text the shells in question may take it for; none where there is only one, or where
    /// they cannot be told.
    pub(crate) fn readings(&self) -> &[Self] {
        &self.readings
    }

    /// Whether it starts with a tilde that leads where only a running shell knows.
    pub(crate) fn starts_with_tilde(&self) -> bool {
        self.tilde
    }

    /// Whether it names what a command writes.
    pub(crate) fn is_process(&self) -> bool {
        self.process
    }

    /// Whether a wildcard in it may find several files.
    pub(crate) fn is_wildcard(&self) -> bool {
        self.wildcard
    }

    /// What stands on standard input, where the word stands for that.
    pub(super) fn feed(&self) -> Option<&Feed> {
        self.feed.as_ref()
    }

    /// A word that stands for what is on standard input.
    pub(super) fn fed(feed: Feed) -> Self {
        Self { feed: Some(feed), ..Self::default() }
    }

    /// The same word, which shells may read in these ways.
    pub(super) fn read_as(mut self, readings: Vec<Self>) -> Self {
        // One that is certain would hide the others.
        if self.certain.is_none() && !readings.is_empty() {
            let same = |reading: &Self| {
                self.text.bytes().zip(reading.text.bytes()).take_while(|(a, b)| a == b).count()
            };
            self.certain = Some(
                self.text.floor_char_boundary(readings.iter().map(same).min().unwrap_or_default()),
            );
        }
        self.readings = readings;
        self
    }

    /// The word as a person would recognise it: unknown parts are shown as `…`.
    #[must_use]
    pub fn shown(&self) -> String {
        if self.certain.is_some() && self.holes.is_empty() && self.splits {
            return format!("{}…", self.prefix());
        }
        let mut shown = String::with_capacity(self.text.len());
        let mut from = 0;
        for hole in &self.holes {
            shown.push_str(self.text.get(from..*hole).unwrap_or_default());
            if !shown.ends_with('…') {
                shown.push('…');
            }
            from = *hole;
        }
        shown.push_str(self.text.get(from..).unwrap_or_default());
        shown
    }

    /// The name and value when the word is `NAME=value`.
    #[must_use]
    pub fn as_assignment(&self) -> Option<(&str, Self)> {
        let value_at = self.value_at?;
        let name = self.text.get(..value_at)?.trim_end_matches('=').trim_end_matches('+');
        Some((name, self.tail(value_at)?))
    }

    /// Whether it was written without quoting, escapes and expansions, as reserved words must be.
    pub(super) fn is_plain(&self) -> bool {
        self.plain && self.certain.is_none()
    }

    /// Where in [`Self::spelling`] parts are left out that only a running shell knows.
    pub(crate) fn holes(&self) -> &[usize] {
        &self.holes
    }

    /// The text with the wildcards as written, for comparing a pattern with the same spelling.
    pub(crate) fn spelling(&self) -> &str {
        &self.text
    }
}

/// Builds a word piece by piece.
#[derive(Debug, Default)]
pub(super) struct WordBuilder {
    word: Word,
    quoted: bool,
    /// Byte in the source and in the text of the first unquoted `{`.
    brace: Option<(usize, usize)>,
    bracket: Option<usize>,
    started: bool,
}

impl WordBuilder {
    /// Adds a character that stands for itself, written without quotes.
    pub(super) fn push(&mut self, c: char) {
        self.started = true;
        self.word.text.push(c);
    }

    /// Adds text that stands for itself, from inside quotes, an escape or a known expansion.
    pub(super) fn push_quoted(&mut self, text: &str) {
        self.started = true;
        self.quoted = true;
        self.word.text.push_str(text);
    }

    /// Notes that something unknown stands here.
    pub(super) fn push_unknown(&mut self, splits: bool) {
        self.started = true;
        self.quoted = true;
        self.word.certain.get_or_insert(self.word.text.len());
        self.word.holes.push(self.word.text.len());
        self.word.splits |= splits;
    }

    /// Notes that the directory one is in stands here.
    pub(super) fn push_here(&mut self, splits: bool) {
        self.push_unknown(splits);
        self.word.here.get_or_insert(self.word.text.len());
    }

    /// Notes that the word starts with a tilde nobody can follow.
    pub(super) fn push_tilde(&mut self) {
        self.push('~');
        self.push_unknown(false);
        self.word.tilde = true;
    }

    /// Notes that what a command writes stands here.
    pub(super) fn push_process(&mut self) {
        self.push_unknown(false);
        self.word.process = true;
    }

    /// Adds a wildcard: the word becomes the names of files, or stays as it is.
    pub(super) fn push_wildcard(&mut self, c: char) {
        self.started = true;
        match c {
            '[' => {
                self.bracket.get_or_insert(self.word.text.len());
            }
            ']' => {
                if let Some(open) = self.bracket {
                    self.word.certain.get_or_insert(open);
                    self.word.wildcard = true;
                }
            }
            _ => {
                self.word.certain.get_or_insert(self.word.text.len());
                self.word.wildcard = true;
            }
        }
        self.word.text.push(c);
    }

    /// Whether a class of characters has just been opened.
    pub(super) fn in_class(&self) -> bool {
        self.bracket.is_some() && self.word.text.ends_with('[')
    }

    /// Adds `{`, read at `at` of the source.
    pub(super) fn push_brace(&mut self, at: usize) {
        self.brace.get_or_insert((at, self.word.text.len()));
        self.push('{');
    }

    /// Adds `=`, which makes a word an assignment when a name stands before it, unquoted. The
    /// answer is whether the word sets an element of an array.
    pub(super) fn push_equals(&mut self) -> bool {
        let name = self.word.text.strip_suffix('+').unwrap_or(&self.word.text);
        let unquoted = !self.quoted && self.word.value_at.is_none();
        let sets = unquoted && self.word.certain.is_none() && is_name(name);
        let element = unquoted && name.split('[').next().is_some_and(is_name) && name.contains('[');
        self.push('=');
        if sets {
            self.word.value_at = Some(self.word.text.len());
        }
        element
    }

    /// Whether anything was added.
    pub(super) fn started(&self) -> bool {
        self.started
    }

    /// The word. `source` is the whole text and `end` where the word ended in it: a brace with a
    /// comma or two dots behind it becomes several words.
    pub(super) fn finish(mut self, source: &str, end: usize) -> Word {
        if let Some((from, at)) = self.brace {
            let written = source.get(from..end).unwrap_or_default();
            if written.contains(',') || written.contains("..") {
                let certain = self.word.certain.map_or(at, |certain| certain.min(at));
                self.word.certain = Some(certain);
                self.word.splits = true;
            }
        }
        self.word.plain = !self.quoted;
        self.word
    }
}

/// Whether `text` can be a variable's name.
pub(crate) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
