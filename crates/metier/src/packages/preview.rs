//! What a person sees before they say yes: where a skill is from, what exactly, whose signature, what
//! it can run and reach, what is wrong with it, and how all that differs from what is installed.

use metier_format::text::visible_line;
use metier_format::{Mode, Severity};
use metier_package::difference::{Line, lines};
use metier_package::inspect::{Inspection, Reach, ReachChange};
use metier_package::{Home, Pinned, Place, Signature, Staged};
use serde::Serialize;

use crate::error::CommandError;
use crate::packages::VersionShape;
use crate::settings::Settings;
use crate::shape::{self, DiagnosticShape};
use crate::ui::{Table, Tone, Ui, counted};

/// Lines around a change that are shown.
const CONTEXT: usize = 2;

/// Lines of a difference that are shown; the rest are a count.
const MAX_SHOWN: usize = 200;

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
    diagnostics: Vec<DiagnosticShape<'a>>,
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
        Ok(Self { staged, pinned, inspection, installed })
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
            let error = CommandError::refused(message).code("skill_has_errors");
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
            diagnostics: shape::diagnostics(&self.inspection.diagnostics),
        }
    }

    fn reach_change(&self) -> Option<ReachChange> {
        let old = self.installed.as_ref()?.1.as_ref()?;
        Some(old.reach.change_to(&self.inspection.reach))
    }
}

/// Shows an offer.
pub(crate) fn show(offer: &Offer, ui: &mut Ui) {
    let name = visible_line(offer.pinned.name.as_str()).into_owned();
    ui.line(ui.paint(Tone::Strong, &name));
    ui.paragraph(&visible_line(&offer.inspection.description), 2);
    let mut table = Table::default();
    for (label, value) in facts(offer) {
        table.row([
            (Some(Tone::Faint), format!("  {label}")),
            (None, visible_line(&value).into_owned()),
        ]);
    }
    ui.table(&table);
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
    if let Some(change) = offer.reach_change() {
        for (sign, list) in [("+", &change.gained), ("-", &change.lost)] {
            for one in list {
                ui.line(format!("  {sign} {}", visible_line(one)));
            }
        }
    }
    let Some((_, Some(old))) = &offer.installed else { return };
    if old.text != offer.inspection.text {
        ui.line("  SKILL.md:");
        show_text(&old.text, &offer.inspection.text, ui);
    }
}

/// The lines that differ, with a few around them.
fn show_text(old: &str, new: &str, ui: &mut Ui) {
    let lines = lines(old, new);
    let changed: Vec<bool> = lines.iter().map(|line| !matches!(line, Line::Same(_))).collect();
    let near = |at: usize| {
        let from = at.saturating_sub(CONTEXT);
        changed.iter().skip(from).take(at - from + CONTEXT + 1).any(|changed| *changed)
    };
    let shown: Vec<_> = lines.iter().enumerate().filter(|(at, _)| near(*at)).collect();
    for (_, line) in shown.iter().take(MAX_SHOWN) {
        let (tone, sign, text) = match line {
            Line::Same(text) => (Tone::Faint, " ", text),
            Line::Old(text) => (Tone::Bad, "-", text),
            Line::New(text) => (Tone::Good, "+", text),
        };
        let line = ui.paint(tone, &format!("    {sign} {}", visible_line(text)));
        ui.line(line);
    }
    if shown.len() > MAX_SHOWN {
        ui.line(format!("    and {}", counted(shown.len() - MAX_SHOWN, "line more", "lines more")));
    }
}

#[cfg(test)]
#[path = "preview_tests.rs"]
mod tests;
