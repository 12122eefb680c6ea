//! What a person sees before they say yes: where a skill is from, what exactly, whose signature, what
//! it can run and reach, what is wrong with it, and how all that differs from what is installed.

use std::collections::BTreeSet;

use metier_format::text::visible_line;
use metier_format::{Mode, Severity};
use metier_package::changes::{ChangeKind, FileChange, Version, changes};
use metier_package::difference::{Line, lines};
use metier_package::inspect::{Inspection, Reach, ReachChange};
use metier_package::pinned::FileMode;
use metier_package::{Home, Pinned, Place, Signature, Staged};
use serde::Serialize;

use crate::error::CommandError;
use crate::packages::{VersionShape, record_error};
use crate::settings::Settings;
use crate::shape::{self, DiagnosticShape};
use crate::ui::{Tone, Ui, counted};

/// Lines around a change that are shown.
const CONTEXT: usize = 2;

/// Lines of one file's difference that are shown; the rest are a count.
const MAX_SHOWN: usize = 200;

/// The same for a document, which a program reads or a person who wants to see it all.
const MAX_IN_DOCUMENT: usize = 20_000;

/// Lines that are shown of all files of one skill; of the files after that only the names are.
const MAX_SHOWN_OF_ALL: usize = 1000;

/// A skill that could be installed, looked at.
pub(crate) struct Offer {
    /// What was fetched.
    pub(crate) staged: Staged,
    /// What exactly.
    pub(crate) pinned: Pinned,
    /// What is in it.
    pub(crate) inspection: Inspection,
    /// What is installed now, with what is in it, when it is still kept.
    pub(crate) installed: Option<(Pinned, Option<Inspection>)>,
    /// Every file that is not as it is installed.
    pub(crate) changes: Vec<FileChange>,
    /// How its commit comes after the one that is installed, when both have one and they differ.
    pub(crate) history: Option<History>,
}

/// How one commit comes after another, as far as can be told without fetching all of history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum History {
    /// It was installed before: this is a step back.
    Back,
    /// Nobody here knows. It may follow from the installed one, or history was rewritten.
    Unknown,
}

/// The same as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Preview<'a> {
    name: &'a str,
    old: Option<VersionShape<'a>>,
    new: VersionShape<'a>,
    reach: &'a Reach,
    reach_change: Option<ReachChange>,
    signer_changed: bool,
    history: Option<History>,
    files: Vec<FileShape<'a>>,
    diagnostics: Vec<DiagnosticShape<'a>>,
}

/// What becomes of one file, as JSON.
#[derive(Debug, Serialize)]
struct FileShape<'a> {
    path: &'a str,
    change: ChangeKind,
    old_mode: Option<FileMode>,
    new_mode: Option<FileMode>,
    /// Lines that begin with ` `, `-` or `+`; none when the file is not text, or not compared.
    diff: Option<Vec<String>>,
    /// Lines of the difference that are not in `diff`.
    more: usize,
}

/// The lines of a difference that are shown, and how many are not.
struct Excerpt<'a> {
    lines: Vec<Line<'a>>,
    more: usize,
}

impl Offer {
    /// Looks at what was fetched, beside what is installed at `place`.
    pub(crate) fn look(
        staged: Staged,
        installed: Option<Pinned>,
        home: &Home,
        place: &Place,
    ) -> Result<Self, CommandError> {
        let pinned = Pinned::of(&staged).map_err(CommandError::failed)?;
        let inspection = Inspection::of(&staged.directory)
            .map_err(|error| CommandError::failed(error).code("skill_invalid"))?;
        let installed = installed.map(|old| {
            let directory = place.directory(home, old.name.as_str());
            let inspection = Inspection::of(&directory).ok();
            (old, inspection)
        });
        let changes = installed.as_ref().map(|(old, before)| {
            let scripts = before.iter().chain([&inspection]).flat_map(|one| &one.reach.scripts);
            let scripts: BTreeSet<String> = scripts.cloned().collect();
            let directory = place.directory(home, old.name.as_str());
            let old = Version { pinned: old, directory: &directory };
            changes(old, Version { pinned: &pinned, directory: &staged.directory }, &scripts)
        });
        let changes = changes.unwrap_or_default();
        let earlier = metier_package::installed::earlier(home, place, &pinned.name);
        let earlier = earlier.map_err(record_error)?;
        let history =
            installed.as_ref().and_then(|(old, _)| History::between(old, &pinned, &earlier));
        Ok(Self { staged, pinned, inspection, installed, changes, history })
    }

    /// Whether what is installed has a signature by somebody else.
    pub(crate) fn signer_changed(&self) -> bool {
        let old = self.installed.as_ref().and_then(|(old, _)| old.signer());
        old.is_some() && old != self.pinned.signer()
    }

    /// Why it may not be installed, when it may not.
    pub(crate) fn refusal(&self, lenient: bool, settings: &Settings) -> Option<CommandError> {
        let name = visible_line(self.pinned.name.as_str()).into_owned();
        let mode = if lenient { Mode::Lenient } else { Mode::Strict };
        if let Some(error) = self.inspection.errors(mode).next() {
            let place = error.position.map_or(String::new(), |at| format!(", line {}", at.line));
            let message =
                format!("`{name}` has errors: {} ({}{place})", error.message, error.code.as_str());
            let error = CommandError::failed(message).code("skill_has_errors");
            let hint = "`--lenient` installs what can be loaded all the same";
            return Some(if lenient { error } else { error.hint(hint) });
        }
        let signature = &self.pinned.locked.signature;
        if *signature == Signature::Bad {
            let message = format!("the signature of `{name}` does not fit its content");
            return Some(CommandError::refused(message).code("signature_bad"));
        }
        let required = settings.packages.require_signature;
        if required && !matches!(signature, Signature::Good { .. }) {
            let message = format!(
                "`{name}` has no signature that is known to be good, and the settings require one"
            );
            let error = CommandError::refused(message).code("signature_required");
            return Some(error.hint("`packages.signers` says whose signatures are known"));
        }
        None
    }

    /// The offer as JSON.
    pub(crate) fn preview(&self) -> Preview<'_> {
        Preview {
            name: self.pinned.name.as_str(),
            old: self.installed.as_ref().map(|(old, _)| VersionShape::of(old)),
            new: VersionShape::of(&self.pinned),
            reach: &self.inspection.reach,
            reach_change: self.reach_change(),
            signer_changed: self.signer_changed(),
            history: self.history,
            files: self.changes.iter().map(FileShape::of).collect(),
            diagnostics: shape::diagnostics(&self.inspection.diagnostics),
        }
    }

    fn reach_change(&self) -> Option<ReachChange> {
        let old = self.installed.as_ref()?.1.as_ref()?;
        Some(old.reach.change_to(&self.inspection.reach))
    }
}

impl History {
    fn between(old: &Pinned, new: &Pinned, earlier: &[Pinned]) -> Option<Self> {
        let (before, now) = (old.locked.commit.as_ref()?, new.locked.commit.as_ref()?);
        if before == now {
            return None;
        }
        let was_here = earlier.iter().any(|one| one.locked.commit.as_ref() == Some(now));
        Some(if was_here { Self::Back } else { Self::Unknown })
    }

    fn sentence(self) -> &'static str {
        match self {
            Self::Back => "this goes back to a commit that was installed before",
            Self::Unknown => "history is not fetched: it may have been rewritten since",
        }
    }
}

/// Shows an offer.
pub(crate) fn show(offer: &Offer, ui: &mut Ui) {
    let name = visible_line(offer.pinned.name.as_str()).into_owned();
    ui.line(ui.paint(Tone::Strong, &name));
    ui.paragraph(&visible_line(&offer.inspection.description), 2);
    // Not a table, which a terminal cuts: what is said yes to is shown whole.
    let facts = facts(offer);
    let width = facts.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    for (label, value) in facts {
        let label = ui.paint(Tone::Faint, &format!("  {label:width$}"));
        ui.line(format!("{label}  {}", visible_line(&value)));
    }
    show_findings(offer, ui);
    show_changes(offer, ui);
}

fn facts(offer: &Offer) -> Vec<(&'static str, String)> {
    let locked = &offer.pinned.locked;
    let reach = &offer.inspection.reach;
    let list = |list: &[String]| if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    let mut facts = vec![("source", locked.source.clone())];
    if !locked.path.is_empty() {
        facts.push(("path", locked.path.clone()));
    }
    if let Some((old, _)) = &offer.installed {
        facts.push(("installed", old.short().to_owned()));
    }
    facts.push(("commit", locked.commit.clone().unwrap_or_else(|| "none".to_owned())));
    facts.push(("tree", format!("sha256:{}", offer.pinned.tree)));
    facts.push(("signature", signature(&locked.signature)));
    facts.push((
        "tools",
        match &reach.tools {
            None => "any (`allowed-tools` is not set)".to_owned(),
            Some(tools) => list(tools),
        },
    ));
    facts.push(("scripts", list(&reach.scripts)));
    facts.push(("hosts", list(&reach.hosts)));
    facts.push(("variables", list(&reach.environment)));
    for (label, values) in
        [("toolsets", &reach.toolsets), ("hooks", &reach.hooks), ("files", &reach.files)]
    {
        if !values.is_empty() {
            facts.push((label, values.join(", ")));
        }
    }
    facts
}

fn signature(signature: &Signature) -> String {
    match signature {
        Signature::None => "none".to_owned(),
        Signature::Good { signer } => format!("good, by {signer}"),
        Signature::Unknown { signer } => format!("by {signer}, whom nobody here knows"),
        Signature::Bad => "does not fit the content".to_owned(),
    }
}

fn show_findings(offer: &Offer, ui: &mut Ui) {
    for found in &offer.inspection.diagnostics {
        let severity = found.severity(Mode::Strict);
        if severity == Severity::Advice {
            continue;
        }
        let message = visible_line(&found.message).into_owned();
        ui.line(format!("  {}: {message} ({})", severity.as_str(), found.code.as_str()));
    }
}

fn show_changes(offer: &Offer, ui: &mut Ui) {
    if offer.signer_changed() {
        let line = ui.paint(Tone::Caution, "  the signer is not the one who signed before");
        ui.line(line);
    }
    if let Some(history) = offer.history {
        let tone = if history == History::Back { Tone::Caution } else { Tone::Faint };
        ui.line(ui.paint(tone, &format!("  {}", history.sentence())));
    }
    if let Some(change) = offer.reach_change() {
        for (sign, list) in [("+", &change.gained), ("-", &change.lost)] {
            for one in list {
                ui.line(format!("  {sign} {}", visible_line(one)));
            }
        }
    }
    show_files(&offer.changes, ui);
}

/// Every file that is not as it was, with the lines that differ.
pub(crate) fn show_files(changes: &[FileChange], ui: &mut Ui) {
    if changes.is_empty() {
        return;
    }
    ui.line(format!("  {}:", counted(changes.len(), "file differs", "files differ")));
    let mut left = MAX_SHOWN_OF_ALL;
    for change in changes {
        ui.line(ui.paint(Tone::Strong, &format!("  {}", headline(change))));
        let Some((old, new)) = &change.texts else {
            if change.kind != ChangeKind::Mode {
                ui.line("    its lines are not compared: not text, too long, or not to be read");
            }
            continue;
        };
        let shown = excerpt(old, new, left.min(MAX_SHOWN));
        left -= shown.lines.len();
        show_lines(&shown, ui);
    }
}

/// The file and what becomes of it, in one line without control characters.
fn headline(change: &FileChange) -> String {
    let mode = match (change.old_mode, change.new_mode) {
        (Some(old), Some(new)) if old != new => {
            format!(" ({} → {})", mode_word(old), mode_word(new))
        }
        (None, Some(FileMode::File)) | (_, None) => String::new(),
        (None, Some(new)) => format!(" ({})", mode_word(new)),
        (Some(_), Some(_)) => String::new(),
    };
    format!("{} {}{mode}", change.kind.as_str(), visible_line(&change.path))
}

fn mode_word(mode: FileMode) -> &'static str {
    match mode {
        FileMode::File => "not executable",
        FileMode::Executable => "executable",
        FileMode::Link => "link",
    }
}

/// The lines that differ, with a few around them, at most `most`. Where that is not enough, what is
/// new comes before what was there, and that before what is around: what will be is what is said
/// yes to.
fn excerpt<'a>(old: &'a str, new: &'a str, most: usize) -> Excerpt<'a> {
    let all = lines(old, new);
    let changed: Vec<bool> = all.iter().map(|line| !matches!(line, Line::Same(_))).collect();
    let near = |at: usize| {
        let from = at.saturating_sub(CONTEXT);
        changed.iter().skip(from).take(at - from + CONTEXT + 1).any(|changed| *changed)
    };
    let mut lines: Vec<Line<'a>> =
        all.into_iter().enumerate().filter(|(at, _)| near(*at)).map(|(_, line)| line).collect();
    let more = lines.len().saturating_sub(most);
    let count = |of: fn(&Line<'_>) -> bool| lines.iter().filter(|line| of(line)).count();
    let mut news = most.min(count(|line| matches!(line, Line::New(_))));
    let mut olds = (most - news).min(count(|line| matches!(line, Line::Old(_))));
    let mut same = most - news - olds;
    lines.retain(|line| {
        let left = match line {
            Line::New(_) => &mut news,
            Line::Old(_) => &mut olds,
            Line::Same(_) => &mut same,
        };
        let stays = *left > 0;
        *left = left.saturating_sub(1);
        stays
    });
    Excerpt { lines, more }
}

fn show_lines(shown: &Excerpt<'_>, ui: &mut Ui) {
    for line in &shown.lines {
        let (tone, sign, text) = signed(*line);
        let line = ui.paint(tone, &format!("    {sign} {}", visible_line(text)));
        ui.line(line);
    }
    if shown.more > 0 {
        let more = counted(shown.more, "line more", "lines more");
        ui.line(format!("    and {more}; `--json` has them"));
    } else if shown.lines.is_empty() {
        ui.line("    only the ends of its lines differ");
    }
}

fn signed(line: Line<'_>) -> (Tone, &'static str, &str) {
    match line {
        Line::Same(text) => (Tone::Faint, " ", text),
        Line::Old(text) => (Tone::Bad, "-", text),
        Line::New(text) => (Tone::Good, "+", text),
    }
}

impl<'a> FileShape<'a> {
    fn of(change: &'a FileChange) -> Self {
        let shown = change.texts.as_ref().map(|(old, new)| excerpt(old, new, MAX_IN_DOCUMENT));
        let line = |line: &Line<'_>| {
            let (_, sign, text) = signed(*line);
            format!("{sign}{text}")
        };
        Self {
            path: &change.path,
            change: change.kind,
            old_mode: change.old_mode,
            new_mode: change.new_mode,
            more: shown.as_ref().map_or(0, |shown| shown.more),
            diff: shown.map(|shown| shown.lines.iter().map(line).collect()),
        }
    }
}

#[cfg(test)]
#[path = "preview_tests.rs"]
mod tests;
