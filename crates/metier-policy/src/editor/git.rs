//! When the subcommands of git open an editor, as data.

/// When a subcommand of git opens an editor.
pub(super) struct Sub {
    pub(super) name: &'static str,
    /// It does so by itself.
    pub(super) alone: bool,
    /// These words make it.
    pub(super) with: &'static [&'static str],
    /// These keep it from that: a message, or nothing to say one about.
    pub(super) unless: &'static [Excuse],
    /// These make it whatever else is said.
    pub(super) always: &'static [&'static str],
    /// Letters that take a value: the rest of the word, or the next one.
    pub(super) valued: &'static str,
    /// Letters that may have a value, which then is the rest of the word.
    pub(super) attached: &'static str,
    /// Long options that take the next word.
    pub(super) long: &'static [&'static str],
}

/// What keeps a subcommand from opening an editor.
pub(super) struct Excuse {
    /// Its spellings.
    pub(super) by: &'static [&'static str],
    /// What takes it back, wherever that stands.
    pub(super) but: &'static [&'static str],
    /// The values with which it is one, where it may have one and others make it something else.
    pub(super) values: &'static [&'static str],
}

const fn excuse(by: &'static [&'static str], but: &'static [&'static str]) -> Excuse {
    Excuse { by, but, values: &[] }
}

const MESSAGE: Excuse = excuse(&["-m", "--message"], &["--no-message"]);
const FILE: Excuse = excuse(&["-F", "--file"], &["--no-file"]);
const REUSE: Excuse = excuse(&["-C", "--reuse-message"], &["--no-reuse-message"]);
const NO_EDIT: Excuse = excuse(&["--no-edit"], &["-e", "--edit"]);
const FORWARD: Excuse = excuse(&["--ff-only"], &["--no-ff-only", "--no-ff", "--ff"]);
const SQUASH: Excuse = excuse(&["--squash"], &["--no-squash"]);
const NO_COMMIT: Excuse = excuse(&["-n", "--no-commit"], &["--commit"]);
const STOPS: Excuse = excuse(&["--abort", "--quit", "--skip"], &[]);

/// Values with which a pull rebases, and shows nobody the list of what it does.
const REBASES: &[&str] = &["true", "merges"];

const REBASE: Excuse = Excuse { by: &["-r", "--rebase"], but: &["--no-rebase"], values: REBASES };

const HUNKS: &[&str] = &["-p", "--patch", "-i", "--interactive", "-e", "--edit"];

/// A subcommand that opens none, whatever it is told.
const PLAIN: Sub = Sub {
    name: "",
    alone: false,
    with: &[],
    unless: &[],
    always: &[],
    valued: "",
    attached: "",
    long: &[],
};

/// Settings that make a subcommand open one, unless they are set to one of these.
pub(super) const SETTINGS: &[(&str, &[&str])] = &[("pull.rebase", &["true", "false", "merges"])];

pub(super) const GIT: &[Sub] = &[
    Sub {
        name: "commit",
        alone: true,
        unless: &[MESSAGE, FILE, REUSE, NO_EDIT, excuse(&["--dry-run"], &["--no-dry-run"])],
        always: &["-e", "--edit", "-c", "--reedit-message", "-p", "--patch", "--interactive"],
        valued: "mFCct",
        attached: "uS",
        long: &[
            "--message",
            "--file",
            "--reuse-message",
            "--reedit-message",
            "--template",
            "--author",
            "--date",
            "--cleanup",
            "--fixup",
            "--squash",
            "--trailer",
            "--pathspec-from-file",
        ],
        ..PLAIN
    },
    Sub {
        name: "merge",
        alone: true,
        unless: &[MESSAGE, FILE, NO_EDIT, FORWARD, SQUASH, STOPS],
        always: &["-e", "--edit"],
        valued: "mFsX",
        attached: "S",
        long: &[
            "--message",
            "--file",
            "--strategy",
            "--strategy-option",
            "--into-name",
            "--cleanup",
        ],
        ..PLAIN
    },
    Sub {
        name: "pull",
        alone: true,
        unless: &[NO_EDIT, FORWARD, SQUASH, REBASE],
        always: &["-e", "--edit"],
        valued: "sXo",
        attached: "rSj",
        long: &[
            "--strategy",
            "--strategy-option",
            "--cleanup",
            "--upload-pack",
            "--depth",
            "--deepen",
            "--shallow-since",
            "--shallow-exclude",
            "--refmap",
            "--server-option",
            "--negotiation-tip",
        ],
        ..PLAIN
    },
    Sub {
        name: "revert",
        alone: true,
        unless: &[NO_EDIT, NO_COMMIT, STOPS],
        always: &["-e", "--edit"],
        valued: "mX",
        attached: "S",
        long: &["--mainline", "--strategy", "--strategy-option", "--cleanup"],
        ..PLAIN
    },
    Sub {
        name: "rebase",
        always: &["-i", "--interactive", "--edit-todo", "--continue"],
        valued: "sXxC",
        attached: "S",
        long: &["--onto", "--exec", "--strategy", "--strategy-option", "--whitespace", "--empty"],
        ..PLAIN
    },
    Sub {
        name: "cherry-pick",
        always: &["-e", "--edit", "--continue"],
        valued: "mX",
        attached: "S",
        long: &["--mainline", "--strategy", "--strategy-option", "--cleanup", "--empty"],
        ..PLAIN
    },
    Sub {
        name: "tag",
        with: &["-a", "--annotate", "-s", "--sign", "-u", "--local-user"],
        unless: &[MESSAGE, FILE],
        always: &["-e", "--edit"],
        valued: "mFu",
        attached: "n",
        long: &["--message", "--file", "--local-user", "--cleanup", "--sort", "--format"],
        ..PLAIN
    },
    Sub {
        name: "notes",
        with: &["add", "append", "edit"],
        unless: &[MESSAGE, FILE, REUSE],
        always: &["-c", "--reedit-message", "-e", "--edit"],
        valued: "mFCc",
        long: &["--message", "--file", "--reuse-message", "--reedit-message", "--ref"],
        ..PLAIN
    },
    Sub { name: "add", always: HUNKS, long: &["--chmod", "--pathspec-from-file"], ..PLAIN },
    Sub {
        name: "checkout",
        always: HUNKS,
        valued: "bB",
        long: &["--orphan", "--conflict", "--pathspec-from-file"],
        ..PLAIN
    },
    Sub { name: "reset", always: HUNKS, long: &["--pathspec-from-file"], ..PLAIN },
    Sub {
        name: "restore",
        always: HUNKS,
        valued: "s",
        long: &["--source", "--conflict", "--pathspec-from-file"],
        ..PLAIN
    },
    Sub {
        name: "stash",
        always: HUNKS,
        valued: "m",
        long: &["--message", "--pathspec-from-file"],
        ..PLAIN
    },
    Sub {
        name: "branch",
        always: &["--edit-description"],
        valued: "u",
        long: &["--set-upstream-to", "--sort", "--format"],
        ..PLAIN
    },
    Sub { name: "replace", always: &["-e", "--edit"], long: &["--format"], ..PLAIN },
    Sub {
        name: "am",
        always: &["-i", "--interactive", "--continue", "-r", "--resolved"],
        valued: "pC",
        attached: "S",
        long: &["--directory", "--exclude", "--include", "--patch-format", "--whitespace"],
        ..PLAIN
    },
    Sub { name: "clean", always: &["-i", "--interactive"], valued: "e", ..PLAIN },
    Sub { name: "config", always: &["-e", "--edit", "edit"], valued: "f", ..PLAIN },
    Sub { name: "bugreport", alone: true, ..PLAIN },
    Sub { name: "mergetool", alone: true, ..PLAIN },
    Sub { name: "difftool", alone: true, ..PLAIN },
    Sub { name: "send-email", alone: true, ..PLAIN },
];
