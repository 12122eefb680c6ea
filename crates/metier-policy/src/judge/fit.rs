//! How one clause fits one act.

use super::{Case, Clause};
use crate::act::{Act, Command, Consequence, FileUse, Manner};
use crate::editor;
use crate::pattern::command::{Coverage, Frame};
use crate::pattern::{Argument, Meeting, Pattern, Strictness};
use crate::place::From;
use crate::shell::Access;
use crate::verdict::Verdict;

/// How a clause fits an act.
pub(super) enum Fit {
    Surely(Coverage),
    /// A file that the act uses is what the clause is about, by one of the names it has. That is no
    /// less certain, but clauses behind it may be about another of them, and stricter.
    Partly,
    Possibly,
    /// Nothing says that it is, and nothing says that it is not: a command that cannot be read may
    /// use any file and reach any address.
    Conceivably,
    /// Not; an allow that was near says why.
    Not(Option<String>),
}

/// How the clause fits the act, its exceptions considered.
pub(super) fn fit(case: &Case<'_>, clause: &Clause, act: &Act) -> Fit {
    let mut best = Fit::Not(None);
    for pattern in &clause.patterns {
        match fit_pattern(case, pattern, act, clause.verdict) {
            Fit::Surely(coverage) => {
                best = Fit::Surely(coverage);
                break;
            }
            Fit::Partly => best = Fit::Partly,
            Fit::Possibly if matches!(best, Fit::Partly) => {}
            Fit::Possibly => best = Fit::Possibly,
            Fit::Conceivably if matches!(best, Fit::Not(_)) => best = Fit::Conceivably,
            Fit::Conceivably => {}
            Fit::Not(Some(why)) if matches!(best, Fit::Not(None)) => best = Fit::Not(Some(why)),
            Fit::Not(_) => {}
        }
    }
    match (&best, clause.verdict) {
        (Fit::Not(_), _) => best,
        // An exception holds for an allow where it fits possibly, for the rest where it does surely.
        (_, Verdict::Allow) => {
            let excepted = clause.except.iter().any(|pattern| {
                !matches!(fit_pattern(case, pattern, act, Verdict::Deny), Fit::Not(_))
            });
            if excepted { Fit::Not(None) } else { best }
        }
        _ => {
            let excepted = clause.except.iter().any(|pattern| {
                matches!(fit_pattern(case, pattern, act, Verdict::Allow), Fit::Surely(_))
            });
            if excepted { Fit::Not(None) } else { best }
        }
    }
}

/// How one pattern fits an act, for a clause with this verdict.
fn fit_pattern(case: &Case<'_>, pattern: &Pattern, act: &Act, verdict: Verdict) -> Fit {
    if pattern.fault().is_some() {
        return Fit::Not(None);
    }
    let named = pattern.names(case.call, case.host);
    if named && pattern.argument == Argument::Any {
        return Fit::Surely(Coverage::EVERYTHING);
    }
    match (act, &pattern.argument) {
        (Act::Command(command), Argument::Command(_)) if named => {
            fit_command(case, pattern, command, verdict)
        }
        (Act::Unresolvable(_), Argument::Command(_)) if named && verdict > Verdict::Allow => {
            Fit::Possibly
        }
        (Act::Unresolvable(_), _) if verdict > Verdict::Allow && is_done_by_commands(pattern) => {
            Fit::Conceivably
        }
        (Act::File(file), _) => fit_file(case, pattern, file, (named, verdict)),
        (Act::Fetch(url), Argument::Domain(domain))
            if is_named_fetch(case, pattern, named, verdict) =>
        {
            if domain.covers(url.as_deref(), Strictness::Surely) {
                return Fit::Surely(Coverage::EVERYTHING);
            }
            let possibly =
                verdict > Verdict::Allow && domain.covers(url.as_deref(), Strictness::Possibly);
            if possibly { Fit::Possibly } else { Fit::Not(None) }
        }
        (Act::Fetch(_), Argument::Any) if is_named_fetch(case, pattern, named, verdict) => {
            Fit::Surely(Coverage::EVERYTHING)
        }
        _ => Fit::Not(None),
    }
}

/// Whether a command can do what the pattern's tool does. A tool that is one has its own reading.
fn is_done_by_commands(pattern: &Pattern) -> bool {
    ["read", "grep", "glob", "ls", "write", "edit", "webfetch"].contains(&pattern.canonical())
}

/// Whether a pattern's name covers fetching: the tool's own, or one meant to stop a program.
fn is_named_fetch(case: &Case<'_>, pattern: &Pattern, named: bool, verdict: Verdict) -> bool {
    let by_program = case.call.canonical == "bash" && pattern.canonical() == "webfetch";
    named || (by_program && verdict > Verdict::Allow)
}

fn fit_command(case: &Case<'_>, pattern: &Pattern, command: &Command, verdict: Verdict) -> Fit {
    let Argument::Command(wanted) = &pattern.argument else { return Fit::Not(None) };
    let from = command.directory.as_deref().map_or(From::Elsewhere, From::Directory);
    let frame = Frame { place: case.ground.place, from };
    let coverage = wanted.surely(&command.argv, &command.assignments, frame);
    if verdict > Verdict::Allow {
        return match coverage {
            Some(coverage) => Fit::Surely(coverage),
            None if wanted.possibly(&command.argv) => Fit::Possibly,
            None => Fit::Not(None),
        };
    }
    let Some(coverage) = coverage else { return Fit::Not(None) };
    if command.interactive && case.host.unseen_input {
        return Fit::Not(Some(
            "it would run what is typed into it later, which nobody sees".to_owned(),
        ));
    }
    if case.host.unseen_input && editor::opens(&command.argv) {
        return Fit::Not(Some(
            "it may open an editor, which runs what is typed into it later, and nobody sees that; \
             with its message as an option, or with `--no-edit`, it does not"
                .to_owned(),
        ));
    }
    match open_escape(command, coverage) {
        Some(why) => Fit::Not(Some(why)),
        None => Fit::Surely(coverage),
    }
}

/// Whether the author of a pattern spelled out what starts at this word. What starts at the program
/// itself, or before it, is spelled out only by a pattern that spells out everything.
pub(super) fn is_spelled_out(command: &Command, coverage: Coverage, at: usize) -> bool {
    match at {
        0 => {
            let variables = coverage.assignments || command.assignments.is_empty();
            variables && coverage.literal >= command.argv.len()
        }
        at => at < coverage.literal,
    }
}

/// The first thing a command does that its pattern's author neither spelled out nor left open.
fn open_escape(command: &Command, coverage: Coverage) -> Option<String> {
    command.consequences.iter().find_map(|(at, consequence)| match consequence {
        _ if is_spelled_out(command, coverage, *at) => None,
        Consequence::Escape(act) => Some(match act {
            Act::Unresolvable(text) => text.clone(),
            other => other.shown(),
        }),
        Consequence::Code(_) if coverage.whole_program || *at < coverage.bound => None,
        Consequence::Code(text) => Some(text.clone()),
        Consequence::Acts(_) => None,
    })
}

/// How a pattern fits the use of a file; `named` is whether its name is that of the call.
fn fit_file(
    case: &Case<'_>,
    pattern: &Pattern,
    file: &FileUse,
    (named, verdict): (bool, Verdict),
) -> Fit {
    let strict = verdict > Verdict::Allow;
    let own_tool = case.call.canonical != "bash" && file.tool == case.call.canonical;
    let named = if own_tool { named } else { pattern.canonical() == file.tool };
    let meant = named || pattern.names_all() || (strict && uses_files_alike(pattern, file));
    if !meant {
        return Fit::Not(None);
    }
    let path = match &pattern.argument {
        Argument::Any => return Fit::Surely(Coverage::EVERYTHING),
        Argument::Path(path) => path,
        _ => return Fit::Not(None),
    };
    // What one works on changes all the time: rules are about files that a call names.
    if file.manner == Manner::Around {
        return Fit::Not(None);
    }
    match &file.spots {
        Some(spots) if path.covers(spots, case.ground, Strictness::Surely) => {
            return Fit::Surely(Coverage::EVERYTHING);
        }
        Some(spots) if strict && path.names_one(spots, case.ground) => return Fit::Partly,
        Some(spots) if strict && path.covers(spots, case.ground, Strictness::Possibly) => {
            return Fit::Possibly;
        }
        _ if !strict => return Fit::Not(None),
        _ => {}
    }
    let meetings = file.shapes.iter().map(|shape| path.meets(shape, case.ground));
    match (meetings.max().unwrap_or(Meeting::None), file.manner) {
        // A name nobody tells is that of many files: who denies is asked, who asks is not.
        (Meeting::Possible, Manner::Within) if verdict == Verdict::Deny => Fit::Conceivably,
        (_, Manner::Within) => Fit::Not(None),
        // Whatever is put into a directory above may be something else: who denies is asked.
        (Meeting::Possible, Manner::Into) if verdict == Verdict::Deny => Fit::Conceivably,
        (Meeting::Possible, _) => Fit::Possibly,
        (_, Manner::Opened) if file.vague => Fit::Possibly,
        // Asking about every word of which nothing is known would be asking about every loop; where
        // something is denied that price is due.
        (meeting, Manner::Opened | Manner::Touched | Manner::Into)
            if verdict == Verdict::Deny && (file.vague || meeting == Meeting::Conceivable) =>
        {
            Fit::Conceivably
        }
        _ => Fit::Not(None),
    }
}

/// Whether a pattern's tool uses files the same way. To allow, it must be the very tool; to ask or
/// deny, every tool like it is meant.
fn uses_files_alike(pattern: &Pattern, file: &FileUse) -> bool {
    match file.access {
        Access::Read => ["read", "grep", "glob", "ls"].contains(&pattern.canonical()),
        Access::Write => ["write", "edit"].contains(&pattern.canonical()),
    }
}
