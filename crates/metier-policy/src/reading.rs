//! Commands that only read, as the tools they stand in for.
//!
//! Some hosts have no tool to read files but the shell. There `cat /a/b` is what `Read` is elsewhere,
//! and a skill that allows `Read` allows it. Only what is beyond doubt counts: programs of a short
//! list, options of which each is known, and files by their whole paths. Everything else is a command
//! like any other, for which a skill has to name the shell. Start at [`beyond`].

use crate::act::{Act, Command, FileUse, Manner};
use crate::programs::Role;
use crate::shell::{Access, Assignment, Word};

/// What a command is that only reads.
enum Reading {
    /// It uses these files; each list is one way in which a skill may allow that.
    Files(Vec<Vec<Act>>),
    /// It reads what another command gives it.
    Filter,
}

/// The tools that print files.
const READ: &[&str] = &["read"];

/// The tools that search them.
const GREP: &[&str] = &["grep"];

/// The tools that list them.
const LIST: &[&str] = &["ls", "glob"];

/// Programs that print files, whatever their options.
const PRINTERS: [&str; 15] = [
    "cat", "head", "tail", "nl", "tac", "wc", "stat", "cut", "rev", "fold", "cmp", "comm", "diff",
    "sort", "realpath",
];

/// Programs that print some of what is given to them, without a file.
const FILTERS: [&str; 11] =
    ["head", "tail", "nl", "tac", "wc", "cut", "rev", "fold", "sort", "cat", "sed"];

/// Letters that are options of a search without a value, and change nothing about what is read.
const SEARCH_LETTERS: &str = "nilcvwoFsxHaPq";

/// Those of `grep` alone, and of `rg` alone.
const GREP_LETTERS: &str = "rhEGLbI";
const RG_LETTERS: &str = "SNIuU";

/// Options of a search with a value of their own, in the next word or behind `=`.
const SEARCH_VALUES: [&str; 9] =
    ["-A", "-B", "-C", "-m", "-e", "--include", "--exclude", "--exclude-dir", "--max-count"];

/// Those of `rg` alone.
const RG_VALUES: [&str; 5] = ["-g", "--glob", "--iglob", "-t", "--type"];

/// Long options of a search without a value.
const SEARCH_WORDS: [&str; 12] = [
    "--line-number",
    "--ignore-case",
    "--fixed-strings",
    "--word-regexp",
    "--count",
    "--files-with-matches",
    "--only-matching",
    "--invert-match",
    "--no-heading",
    "--hidden",
    "--recursive",
    "--",
];

/// Letters that are options of `tree` without a value.
const TREE_LETTERS: &str = "adfipsughxDFQNqrtUcvnCASJX";

/// Options of `tree` with a value in the next word.
const TREE_VALUES: [&str; 3] = ["-P", "-I", "--filelimit"];

/// Long options of `tree` without a value.
const TREE_WORDS: [&str; 9] = [
    "--noreport",
    "--dirsfirst",
    "--filesfirst",
    "--du",
    "--prune",
    "--gitignore",
    "--matchdirs",
    "--ignore-case",
    "--inodes",
];

/// Variables that say how a program speaks.
const SPEECH: [&str; 6] = ["LANG", "LANGUAGE", "TZ", "TERM", "NO_COLOR", "COLUMNS"];

/// What is left of `acts` besides commands that only read files which `allows` allows, and besides
/// filters of what those read. Nothing when there is no such command.
pub(crate) fn beyond(acts: &[Act], allows: impl Fn(&[Act]) -> bool) -> Option<Vec<Act>> {
    let (mut left, mut reads) = (Vec::new(), false);
    for act in acts {
        let reading = match act {
            Act::Command(command) => reading(command),
            Act::File(file) if file.access == Access::Read && file.spots.is_some() => {
                Some(Reading::Files(vec![vec![act.clone()]]))
            }
            _ => None,
        };
        match reading {
            Some(Reading::Files(ways)) if ways.iter().any(|way| allows(way)) => reads = true,
            Some(Reading::Filter) => {}
            _ => left.push(act.clone()),
        }
    }
    reads.then_some(left)
}

/// What the command is, when it does nothing but read.
fn reading(command: &Command) -> Option<Reading> {
    let words: Option<Vec<&str>> = command.argv.iter().map(Word::as_known).collect();
    let words = words?;
    let (program, words) = words.split_first()?;
    let program = ["/usr/bin/", "/bin/"].iter().find_map(|at| program.strip_prefix(at));
    let program = program.unwrap_or(command.argv.first().and_then(Word::as_known)?);
    let plain = command.role == Role::Plain && command.only_reads && !command.untold;
    let alone = command.consequences.is_empty() && command.assignments.iter().all(is_speech);
    if !plain || !alone || command.interactive {
        return None;
    }
    let tools = tools(program, words)?;
    let counts = counts(program, words);
    let touches = command.touches.iter().filter(|act| !is_count(act, &counts));
    let files: Option<Vec<&FileUse>> = touches.map(file).collect();
    match files {
        Some(files) if files.is_empty() => FILTERS.contains(&program).then_some(Reading::Filter),
        Some(files) => Some(Reading::Files(tools.iter().map(|tool| used(&files, tool)).collect())),
        None => is_search_of_input(program, words, command).then_some(Reading::Filter),
    }
}

/// Whether a variable only says how a program speaks. One that is a path names a file.
fn is_speech(set: &Assignment) -> bool {
    let named = SPEECH.contains(&set.name.as_str()) || set.name.starts_with("LC_");
    named && set.value.as_known().is_some_and(|value| !value.contains('/'))
}

/// The tools that do what a program does, one of which has to be allowed.
fn tools(program: &str, words: &[&str]) -> Option<&'static [&'static str]> {
    match program {
        "sed" => prints_lines(words).then_some(READ),
        "grep" | "egrep" | "fgrep" => {
            words.iter().all(|word| is_search_word(word, GREP_LETTERS, &[])).then_some(GREP)
        }
        "rg" => {
            words.iter().all(|word| is_search_word(word, RG_LETTERS, &RG_VALUES)).then_some(GREP)
        }
        "ls" | "du" => Some(LIST),
        "tree" => lists_names(words).then_some(LIST),
        // What links lead to lies elsewhere.
        "find" => {
            let follows = |word: &&str| ["-L", "-H", "-follow"].contains(word);
            (!words.iter().any(follows)).then_some(LIST)
        }
        _ => PRINTERS.contains(&program).then_some(READ),
    }
}

/// Options of `sed` with which it still only prints.
const PRINT_OPTIONS: [&str; 4] = ["-n", "--quiet", "-E", "--"];

/// Whether `tree` is told only what is known to change nothing about which files it looks at. What
/// links lead to lies elsewhere.
fn lists_names(words: &[&str]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(behind) = word.strip_prefix('-').filter(|behind| !behind.is_empty()) else {
            continue;
        };
        let (letters, depth) = match behind.split_once('L') {
            Some((letters, "")) => (letters, words.next().copied()),
            Some((letters, depth)) => (letters, Some(depth)),
            None => (behind, Some("0")),
        };
        let plain = letters.chars().all(|c| TREE_LETTERS.contains(c));
        let lists = plain && depth.is_some_and(is_number);
        let mut valued = || TREE_VALUES.contains(word) && words.next().is_some();
        if !lists && !TREE_WORDS.contains(word) && !valued() {
            return false;
        }
    }
    true
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether `sed` prints lines by their numbers and does nothing else: its `r` reads other files.
fn prints_lines(words: &[&str]) -> bool {
    let is_option = |word: &&&str| word.starts_with('-') && word.len() > 1;
    let options = words.iter().take_while(is_option).count();
    let known = words.iter().filter(is_option).all(|word| PRINT_OPTIONS.contains(word));
    let script = words.get(options);
    known && script.is_some_and(|script| script.chars().all(|c| "0123456789,$;pq= ".contains(c)))
}

/// Whether a word of a search is no option, or one of which it is known what it makes of the others.
fn is_search_word(word: &str, letters: &str, values: &[&str]) -> bool {
    let takes = |option: &str| SEARCH_VALUES.contains(&option) || values.contains(&option);
    let Some(behind) = word.strip_prefix('-').filter(|behind| !behind.is_empty()) else {
        return true;
    };
    if word.starts_with("--") {
        let valued = word.split_once('=').is_some_and(|(option, _)| takes(option));
        return valued || takes(word) || SEARCH_WORDS.contains(&word);
    }
    let counted = behind.strip_prefix(['A', 'B', 'C', 'm']);
    let counted = counted.is_some_and(is_number);
    let plain = behind.chars().all(|c| SEARCH_LETTERS.contains(c) || letters.contains(c));
    takes(word) || counted || plain
}

/// Whether `grep` looks through what it is given: it is told no file, and to go through none.
fn is_search_of_input(program: &str, words: &[&str], command: &Command) -> bool {
    let here = |act: &Act| matches!(act, Act::File(file) if file.shown == ".");
    let deep = |word: &&str| {
        word.starts_with("--rec")
            || (!word.starts_with("--") && word.starts_with('-')) && word.contains('r')
    };
    ["grep", "egrep", "fgrep"].contains(&program)
        && !words.contains(&".")
        && !words.iter().any(deep)
        && command.touches.iter().all(here)
}

/// The numbers of lines or bytes that `head` and `tail` are told in a word of their own.
fn counts<'w>(program: &str, words: &[&'w str]) -> Vec<&'w str> {
    if !["head", "tail"].contains(&program) {
        return Vec::new();
    }
    let pairs = words.windows(2).filter_map(|pair| match pair {
        ["-n" | "-c" | "--lines" | "--bytes", count] if is_number(count) => Some(*count),
        _ => None,
    });
    let counts: Vec<&str> = pairs.collect();
    // A file may be called like a number that was told before.
    let is_file = |count: &&str| {
        let spelled = words.iter().filter(|word| *word == count).count();
        spelled > counts.iter().filter(|other| *other == count).count()
    };
    if counts.iter().any(is_file) { Vec::new() } else { counts }
}

fn is_count(act: &Act, counts: &[&str]) -> bool {
    matches!(act, Act::File(file) if counts.contains(&file.shown.as_str()))
}

/// A file that is read, in a place that is known.
fn file(act: &Act) -> Option<&FileUse> {
    match act {
        Act::File(file) if file.access == Access::Read && file.manner == Manner::Touched => {
            (file.spots.is_some() && !file.vague).then_some(file)
        }
        _ => None,
    }
}

/// The files as `tool` would use them.
fn used(files: &[&FileUse], tool: &str) -> Vec<Act> {
    let used = |file: &&FileUse| {
        Act::File(FileUse { tool: tool.to_owned(), manner: Manner::Opened, ..(*file).clone() })
    };
    files.iter().map(used).collect()
}

#[cfg(test)]
#[path = "reading_tests.rs"]
mod tests;
