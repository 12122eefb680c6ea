//! What can be wrong with a skill: every finding has a stable code, and the code alone decides how
//! serious it is in each mode. Nothing here prints; `report` turns findings into text.

use crate::span::{Position, Span};

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A way to make the skill better.
    Advice,
    /// Likely a mistake; the skill still works here.
    Warning,
    /// The skill breaks the standard, or cannot be loaded.
    Error,
}

impl Severity {
    /// The word used in every output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Advice => "advice",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Which thresholds apply. The rules are the same in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// Loading: only what keeps a skill from working is an error.
    #[default]
    Lenient,
    /// Linting and installing: what the standard forbids is an error.
    Strict,
}

/// One replacement of bytes. An empty span inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced.
    pub span: Span,
    /// What stands there afterwards.
    pub text: String,
}

/// One finding about one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of finding.
    pub code: Code,
    /// The offending bytes, where there are any.
    pub span: Option<Span>,
    /// Where the span starts, as a person counts.
    pub position: Option<Position>,
    /// One sentence: what is wrong, with the values involved.
    pub message: String,
    /// One line: what to do about it.
    pub help: Option<String>,
    /// Edits that repair it without changing meaning. Empty when only a person can decide.
    pub fix: Vec<Edit>,
}

impl Diagnostic {
    /// A finding with the code's own help line and no place.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let help = code.help();
        Self {
            code,
            span: None,
            position: None,
            message: message.into(),
            help: (!help.is_empty()).then(|| help.to_owned()),
            fix: Vec::new(),
        }
    }

    /// The same finding, marked at `span` of `source`.
    #[must_use]
    pub fn at(mut self, source: &[u8], span: Span) -> Self {
        self.span = Some(span);
        self.position = Some(Position::of(source, span.start as usize));
        self
    }

    /// The same finding with another help line.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same finding with the edits that repair it.
    #[must_use]
    pub fn fix(mut self, edits: Vec<Edit>) -> Self {
        self.fix = edits;
        self
    }

    /// How serious this is under `mode`.
    #[must_use]
    pub fn severity(&self, mode: Mode) -> Severity {
        self.code.severity(mode)
    }
}

macro_rules! codes {
    ($( $variant:ident = $text:literal, $lenient:ident, $strict:ident, $title:literal, $help:literal; )*) => {
        /// The stable codes. A code is never renumbered or reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $( #[doc = $title] $variant, )*
        }

        impl Code {
            /// Every code, in order.
            pub const ALL: &[Self] = &[ $( Self::$variant, )* ];

            /// The code as printed, such as `SK101`.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $text, )* }
            }

            /// What the code means, in a few words.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $( Self::$variant => $title, )* }
            }

            /// What to do about it, when that does not depend on the file.
            #[must_use]
            pub fn help(self) -> &'static str {
                match self { $( Self::$variant => $help, )* }
            }

            /// How serious it is under `mode`.
            #[must_use]
            pub fn severity(self, mode: Mode) -> Severity {
                match (self, mode) {
                    $( (Self::$variant, Mode::Lenient) => Severity::$lenient,
                       (Self::$variant, Mode::Strict) => Severity::$strict, )*
                }
            }
        }
    };
}

impl Code {
    /// Whether a file with this finding cannot be loaded. Exactly the lenient errors.
    #[must_use]
    pub fn prevents_loading(self) -> bool {
        self.severity(Mode::Lenient) == Severity::Error
    }
}

// Numbering: 0xx bytes and fences, 02x-03x YAML, 1xx fields, 2xx advice on content, 3xx the file
// and the walk that found it. Columns: variant, code, lenient, strict, title, help.
codes! {
    NotUtf8 = "SK001", Error, Error, "The file is not UTF-8", "save the file as UTF-8";
    Utf16 = "SK002", Error, Error, "The file is UTF-16 or UTF-32", "save the file as UTF-8";
    NulByte = "SK003", Error, Error, "The frontmatter contains a NUL byte", "remove the byte";
    ControlCharacter = "SK004", Error, Error, "The frontmatter contains a control character", "remove the character";
    FileTooLarge = "SK005", Error, Error, "The file is too large", "move content to files under `references/`";
    ByteOrderMark = "SK006", Advice, Warning, "The file starts with a byte-order mark", "save the file as UTF-8 without a byte-order mark";
    TooManyDiagnostics = "SK007", Advice, Warning, "More findings than are shown", "";

    NoFrontmatter = "SK010", Error, Error, "The file does not start with frontmatter", "start the file with a line `---`, then `name:` and `description:`, then a line `---`";
    UnclosedFrontmatter = "SK011", Error, Error, "The frontmatter is never closed", "end the frontmatter with a line `---`";
    TextBeforeFrontmatter = "SK012", Warning, Error, "Blank lines or spaces stand before the opening `---`", "put `---` on the first line, at the first column";
    TextOnFence = "SK013", Warning, Error, "Something follows `---` on its line", "put `---` on a line of its own";

    FrontmatterTooLarge = "SK020", Error, Error, "The frontmatter is too large", "move content to the body";
    TooDeep = "SK021", Error, Error, "The frontmatter nests too deeply", "flatten the value";
    TooManyNodes = "SK022", Error, Error, "The frontmatter has too many values", "move data to a file the body refers to";
    YamlAlias = "SK023", Error, Error, "The frontmatter uses a YAML alias", "write the value out; quote it if it should be text";
    YamlAnchor = "SK024", Error, Error, "The frontmatter uses a YAML anchor", "remove the anchor; quote the value if it should be text";
    YamlTag = "SK025", Error, Error, "The frontmatter uses a YAML tag", "remove the tag; quote the value if it should be text";
    DuplicateKey = "SK026", Warning, Error, "A key appears twice", "keep one of them";
    InvalidYaml = "SK027", Error, Error, "The frontmatter is not valid YAML", "";
    NotAMapping = "SK028", Error, Error, "The frontmatter is not a list of `key: value` lines", "write `name: …` and `description: …` on lines of their own";
    Repaired = "SK029", Warning, Error, "A value was read as the text it plainly is, although it is not valid YAML", "quote the value, or run `metier lint --fix`";
    ComplexKey = "SK030", Error, Error, "A key is not plain text", "use plain words as keys";

    NameMissing = "SK101", Error, Error, "`name` is missing", "add `name:` with the directory's name";
    NameEmpty = "SK102", Error, Error, "`name` is empty or not text", "set `name` to the directory's name";
    NameTooLong = "SK103", Warning, Error, "`name` is longer than 64 characters", "shorten the name";
    NameNotLowercase = "SK104", Warning, Error, "`name` is not lowercase", "use lowercase letters, digits and single hyphens";
    NameEdgeHyphen = "SK105", Warning, Error, "`name` starts or ends with a hyphen", "use lowercase letters, digits and single hyphens";
    NameDoubleHyphen = "SK106", Warning, Error, "`name` has two hyphens in a row", "use lowercase letters, digits and single hyphens";
    NameCharacters = "SK107", Warning, Error, "`name` has characters other than letters, digits and hyphens", "use lowercase letters, digits and single hyphens";
    NameNotDirectory = "SK108", Warning, Error, "`name` differs from the directory's name", "";
    NameNormalized = "SK109", Advice, Warning, "`name` is written with compatibility characters", "type the name with plain letters";
    NameUnusable = "SK110", Error, Error, "`name` cannot be used as a name", "use lowercase letters, digits and single hyphens";

    DescriptionMissing = "SK111", Error, Error, "`description` is missing", "add `description:` saying what the skill does and when to use it";
    DescriptionEmpty = "SK112", Error, Error, "`description` is empty or not text", "say what the skill does and when to use it";
    DescriptionTooLong = "SK113", Warning, Error, "`description` is longer than 1024 characters", "move detail to the body";
    CompatibilityType = "SK121", Warning, Error, "`compatibility` is not text", "write one short sentence";
    CompatibilityEmpty = "SK122", Warning, Error, "`compatibility` is empty", "remove the key or say what is needed";
    CompatibilityTooLong = "SK123", Warning, Error, "`compatibility` is longer than 500 characters", "shorten it";
    LicenseType = "SK124", Warning, Error, "`license` is not text", "name the licence or the bundled licence file";
    MetadataType = "SK125", Warning, Error, "`metadata` is not a map", "write `key: value` lines under `metadata:`";
    MetadataValue = "SK126", Warning, Error, "A `metadata` value is not text", "quote the value or flatten it";
    ToolsForm = "SK131", Advice, Warning, "`allowed-tools` is not one string separated by spaces", "write the tools on one line, separated by spaces";
    ToolsUnbalanced = "SK132", Warning, Error, "`allowed-tools` has unbalanced parentheses; nothing is allowed", "close every parenthesis";
    ToolsType = "SK133", Warning, Error, "`allowed-tools` is neither text nor a list; nothing is allowed", "write the tools on one line, separated by spaces";
    ToolsEmpty = "SK134", Advice, Warning, "`allowed-tools` is empty; nothing is allowed", "remove the key, or name the tools";
    ToolsTooMany = "SK135", Warning, Error, "`allowed-tools` names too many tools; nothing is allowed", "name fewer tools";
    UnknownField = "SK140", Advice, Error, "The field is not part of the standard", "put client data under `metadata:`";
    FieldSpelling = "SK141", Warning, Error, "The field is spelled in an unusual way", "";
    FieldType = "SK142", Warning, Error, "The field's value has the wrong type; it is ignored", "";
    FieldValue = "SK143", Warning, Error, "The field's value is not one of the known ones; it is ignored", "";
    FieldNotPortable = "SK144", Advice, Warning, "The field is an extension that not every agent reads", "";
    FieldEmpty = "SK145", Advice, Warning, "The field is empty", "remove the key or give it a value";
    FieldMisspelt = "SK146", Warning, Error, "The field looks like a misspelt one; it is ignored", "";

    BodyTooManyLines = "SK201", Advice, Advice, "The body is longer than 500 lines", "move detail to files under `references/`";
    BodyTooManyTokens = "SK202", Advice, Advice, "The body is larger than 5000 tokens", "move detail to files under `references/`";
    DescriptionVague = "SK203", Advice, Advice, "The description says too little to be found by", "say what the skill does, with the words a user would type";
    DescriptionNoTrigger = "SK204", Advice, Advice, "The description does not say when to use the skill", "add a sentence such as `Use when …`";
    DeadLink = "SK205", Warning, Warning, "A link points to a file that does not exist", "";
    MissingScript = "SK206", Warning, Warning, "A path in code points to a file that does not exist", "";
    UnreferencedFile = "SK207", Advice, Advice, "A file is never referred to", "mention it in the body, or remove it";
    PathLeavesSkill = "SK208", Warning, Warning, "A path leaves the skill's directory", "keep what the skill needs inside its directory";
    HiddenUnicode = "SK209", Warning, Error, "Hidden or direction-changing characters", "remove the characters";
    ConfusableName = "SK210", Warning, Warning, "The name looks like other letters than it has", "use letters of one script";
    CoercedScalar = "SK211", Advice, Advice, "Other YAML readers take this value for a number, date or boolean", "quote the value";
    EmptyBody = "SK212", Advice, Advice, "The body is empty", "tell the agent what to do";
    DescriptionMarkup = "SK213", Advice, Advice, "The description contains `<` or `>`", "some uploads refuse angle brackets; write it in words";

    IsDirectory = "SK301", Error, Error, "SKILL.md is a directory", "replace it by a file";
    IsFifo = "SK302", Error, Error, "SKILL.md is a fifo", "replace it by a file";
    IsSocket = "SK303", Error, Error, "SKILL.md is a socket", "replace it by a file";
    IsDevice = "SK304", Error, Error, "SKILL.md is a device", "replace it by a file";
    Unreadable = "SK305", Error, Error, "SKILL.md cannot be read", "";
    LinkLeavesSkill = "SK306", Error, Error, "SKILL.md is a link that leaves the skill", "replace the link by the file";
    FileName = "SK307", Warning, Error, "The file is not called exactly `SKILL.md`", "rename it to `SKILL.md`";
    MissingFile = "SK308", Error, Error, "There is no SKILL.md", "create `SKILL.md` with `name:` and `description:` between two `---` lines";
    RootUnreadable = "SK310", Warning, Warning, "A root cannot be read", "";
    WalkTooDeep = "SK311", Warning, Warning, "Directories below the depth limit were not looked into", "raise `scan.max-depth`, or add a root deeper down";
    WalkTooWide = "SK312", Warning, Warning, "The directory limit of a root was reached", "raise `scan.max-directories`, or choose narrower roots";
    DirectoryUnreadable = "SK313", Warning, Warning, "A directory cannot be read", "";
}
