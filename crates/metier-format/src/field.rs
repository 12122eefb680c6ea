//! The one table of known fields: how each is spelled, whether it is the standard's, what its value
//! is and who reads it. Nothing here looks at values; `validate` does.
//!
//! Start at [`lookup`]. Adding a field means adding a row to the table at the end and, when metier
//! acts on it, a line in `validate`.

/// What a field's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One string.
    Text,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A list of strings, or one string that holds several.
    List,
    /// `key: value` lines.
    Map,
    /// A list of tools, as a string or a list.
    Tools,
    /// Anything; kept as written.
    Any,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The field.
    pub field: Field,
    /// Its canonical spelling.
    pub name: &'static str,
    /// Other names that an agent reads as they are, so that renaming them would break it there.
    pub natives: &'static [&'static str],
    /// Whether it is one of the six the standard has.
    pub standard: bool,
    /// What its value is.
    pub kind: Kind,
    /// Who reads it besides metier. Empty for the standard's fields: everybody does.
    pub readers: &'static [&'static str],
}

/// A key that is a known field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Which field.
    pub field: Field,
    /// How well it is spelled.
    pub spelling: Spelling,
}

/// How well a key is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// Another writing of this known name: `allowedTools`, `Allowed_Tools`.
    Variant(&'static str),
    /// A name some agent has for it.
    Native,
    /// The canonical name.
    Canonical,
}

impl Spelling {
    /// Which of several spellings of one field in one file counts: the greatest.
    pub(crate) fn rank(self) -> u8 {
        match self {
            Self::Variant(_) => 1,
            Self::Native => 2,
            Self::Canonical => 3,
        }
    }
}

impl Kind {
    /// The kind in a sentence: "is not …".
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "a whole number",
            Self::Boolean => "`true` or `false`",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Tools => "a list of tools",
            Self::Any => "a value",
        }
    }
}

impl Field {
    /// The field's row.
    #[must_use]
    pub fn spec(self) -> &'static Spec {
        // The table is made from the same rows as the enum, so the row is always there.
        TABLE.get(self as usize).unwrap_or(&TABLE[0])
    }

    /// The canonical spelling.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.spec().name
    }
}

/// The known field `key` means, in kebab, snake, camel or capitalised spelling. No allocation, no
/// scan of the table.
#[must_use]
pub fn lookup(key: &str) -> Option<Found> {
    if let Some(found) = exact(key) {
        return Some(found);
    }
    let mut folded = Folded::of(key)?;
    let (field, name) = match exact(folded.as_str()) {
        Some(found) => (found.field, found.field.name()),
        None => {
            folded.replace(b'-', b'_');
            let field = exact(folded.as_str())?.field;
            let native = field.spec().natives.iter().find(|native| **native == folded.as_str());
            (field, native.copied().unwrap_or(field.name()))
        }
    };
    Some(Found { field, spelling: Spelling::Variant(name) })
}

/// The known name that `key` was probably meant to be: one or two letters away. A few microseconds,
/// so not for every key of a hostile file.
#[must_use]
pub fn closest(key: &str) -> Option<&'static str> {
    let folded = Folded::of(key)?;
    let most = if folded.len < 6 { 1 } else { 2 };
    let distances = TABLE.iter().map(|spec| (distance(folded.as_str(), spec.name), spec.name));
    let (distance, name) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= most).then_some(name)
}

/// How many letters must be put in, taken out or replaced to make `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (index, left) in a.bytes().enumerate() {
        let mut diagonal = index;
        let mut before = index + 1;
        for (cell, right) in row.iter_mut().skip(1).zip(b.bytes()) {
            let cost = (diagonal + usize::from(left != right)).min(before + 1).min(*cell + 1);
            diagonal = *cell;
            *cell = cost;
            before = cost;
        }
        if let Some(first) = row.first_mut() {
            *first = index + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

/// A key in lowercase words joined by hyphens, whatever its spelling was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Folded {
    bytes: [u8; Self::CAPACITY],
    len: usize,
}

impl Folded {
    /// Room for the longest known name, with some to spare. Longer keys are not known.
    const CAPACITY: usize = 32;

    /// None when the key is too long or has other characters than a known name has.
    pub(crate) fn of(key: &str) -> Option<Self> {
        let mut folded = Self { bytes: [0; Self::CAPACITY], len: 0 };
        let mut previous = b'-';
        for byte in key.bytes() {
            match byte {
                b'_' | b'-' | b' ' => folded.push(b'-')?,
                b'A'..=b'Z' => {
                    if previous.is_ascii_lowercase() || previous.is_ascii_digit() {
                        folded.push(b'-')?;
                    }
                    folded.push(byte.to_ascii_lowercase())?;
                }
                b'a'..=b'z' | b'0'..=b'9' => folded.push(byte)?,
                _ => return None,
            }
            previous = byte;
        }
        Some(folded)
    }

    /// The folded key.
    pub(crate) fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.len).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    fn push(&mut self, byte: u8) -> Option<()> {
        *self.bytes.get_mut(self.len)? = byte;
        self.len += 1;
        Some(())
    }

    fn replace(&mut self, from: u8, to: u8) {
        for byte in &mut self.bytes {
            if *byte == from {
                *byte = to;
            }
        }
    }
}

macro_rules! fields {
    ($( $field:ident, $name:literal $(| $native:literal)*, $standard:literal, $kind:ident, [$($reader:ident)*]; )*) => {
        /// Every field with a meaning of its own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Field {
            $( #[doc = concat!("`", $name, "`.")] $field, )*
        }

        /// The table, in the order of [`Field`].
        pub const TABLE: &[Spec] = &[ $( Spec {
            field: Field::$field,
            name: $name,
            natives: &[$($native),*],
            standard: $standard,
            kind: Kind::$kind,
            readers: &[$($reader),*],
        }, )* ];

        /// How many fields there are.
        pub(crate) const COUNT: usize = TABLE.len();

        /// The field with exactly this name: a comparison of lengths, then of bytes.
        fn exact(key: &str) -> Option<Found> {
            let found = |field, spelling| Some(Found { field, spelling });
            match key {
                $( $name => found(Field::$field, Spelling::Canonical),
                   $( $native => found(Field::$field, Spelling::Native), )* )*
                _ => None,
            }
        }
    };
}

const AGENT_BASE: &str = "agent-base";
const CLAUDE: &str = "Claude Code";
const CURSOR: &str = "Cursor";
const OMNIFORGE: &str = "OmniForge";
const VSCODE: &str = "VS Code";

// Columns: variant, name and the names other agents have for it, of the standard or not, kind,
// readers. The standard's come first, in its order.
fields! {
    Name, "name", true, Text, [];
    Description, "description", true, Text, [];
    License, "license", true, Text, [];
    Compatibility, "compatibility", true, Text, [];
    Metadata, "metadata", true, Map, [];
    AllowedTools, "allowed-tools", true, Tools, [];

    Version, "version", false, Text, [AGENT_BASE];
    Author, "author", false, Text, [AGENT_BASE];
    Repository, "repository", false, Text, [AGENT_BASE];
    MinHostVersion, "min-host-version" | "min_agent_base_version", false, Text, [AGENT_BASE];
    MaxHostVersion, "max-host-version" | "max_agent_base_version", false, Text, [AGENT_BASE];
    Toolsets, "toolsets", false, List, [AGENT_BASE];
    Scripts, "scripts", false, List, [AGENT_BASE];
    ScriptsIgnore, "scripts-ignore" | "scripts_ignore", false, List, [AGENT_BASE];
    Permissions, "permissions", false, Map, [AGENT_BASE];

    Model, "model", false, Text, [CLAUDE OMNIFORGE];
    Context, "context", false, Text, [CLAUDE OMNIFORGE];
    Agent, "agent", false, Text, [CLAUDE OMNIFORGE];
    Hooks, "hooks", false, Map, [CLAUDE OMNIFORGE];
    Priority, "priority", false, Integer, [OMNIFORGE];
    Tags, "tags", false, List, [OMNIFORGE];
    Scope, "scope", false, Map, [OMNIFORGE];

    DisableModelInvocation, "disable-model-invocation", false, Boolean, [CLAUDE CURSOR VSCODE];
    UserInvocable, "user-invocable", false, Boolean, [CLAUDE VSCODE];
    ArgumentHint, "argument-hint", false, Text, [CLAUDE VSCODE];
    Arguments, "arguments", false, List, [CLAUDE];
    Overrides, "overrides", false, Any, [];

    DisallowedTools, "disallowed-tools", false, Any, [CLAUDE];
    Effort, "effort", false, Any, [CLAUDE];
    Paths, "paths", false, Any, [CLAUDE];
    Shell, "shell", false, Any, [CLAUDE];
    WhenToUse, "when_to_use", false, Any, [CLAUDE];
}

#[cfg(test)]
#[path = "field_tests.rs"]
mod tests;
