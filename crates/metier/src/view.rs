//! What a command looks at: the roots the settings name, searched once, and the catalog made of
//! what was found. Also the few sentences that several commands say about it.

use std::fmt::Write as _;
use std::sync::Arc;

use metier_format::text::visible_line;
use metier_format::{NameKey, SkillName};
use metier_package::Ledger;
use metier_store::bundled::bundled;
use metier_store::catalog::{Hidden, Visibility};
use metier_store::client;
use metier_store::discover::{Discovery, Note, ScanLimits};
use metier_store::suggest::closest;
use metier_store::vouch::{Depth, Nobody, Standing, Vouch, Vouched, attest, attest_named};
use metier_store::why::{Candidate, Outcome, why};
use metier_store::{
    Catalog, Entry, FileStore, Found, Layer, LayeredStore, RememberingStore, Root, Store,
};

use crate::args::RootArgument;
use crate::error::CommandError;
use crate::memory::Memos;
use crate::packages;
use crate::settings::Settings;
use crate::ui::{Ui, counted};

/// Names suggested for one that is not there.
const SUGGESTIONS: usize = 3;

/// The code of a name that means no skill, on every surface.
const UNKNOWN: &str = "skill_not_found";

/// The store and its catalog.
pub(crate) struct View {
    /// Where skills are loaded from.
    pub(crate) store: LayeredStore,
    /// What was found, resolved.
    pub(crate) catalog: Catalog,
    /// Who vouches for the content of what was found.
    pub(crate) vouch: Arc<dyn Vouch>,
    /// What locks and approvals cannot be read, in a sentence each.
    faults: Vec<String>,
}

/// A skill that a name typed by the user means.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Named<'a> {
    /// One that won its name.
    Entry(&'a Entry),
    /// One that the selection leaves out.
    Hidden(&'a Hidden),
}

impl View {
    /// Searches the roots and resolves what is there.
    pub(crate) fn open(settings: &Settings) -> Self {
        // A list looks at stamps even where every use looks at bytes: nothing is used here.
        Self::asking(settings, &settings.limits, |discovery, ledger| {
            attest(discovery, ledger, Depth::Stamps);
        })
    }

    /// The same for whoever is concerned with a few skills alone, which `names` finds: nobody looks
    /// whether the others changed since somebody said yes to them, and what they are for is not told.
    pub(crate) fn of_named(
        settings: &Settings,
        names: impl FnOnce(&Discovery) -> Vec<NameKey>,
    ) -> Self {
        let limits = ScanLimits { brief: true, ..settings.limits };
        Self::asking(settings, &limits, |discovery, ledger| {
            let names = names(discovery);
            attest_named(discovery, ledger, &names);
        })
    }

    fn asking(
        settings: &Settings,
        limits: &ScanLimits,
        ask: impl FnOnce(&mut Discovery, &Ledger),
    ) -> Self {
        let store = store(settings);
        let mut discovery = store.discover(limits);
        let Some(ledger) = packages::ledger(settings) else {
            let catalog = Catalog::build(discovery, &settings.precedence, &settings.selection);
            return Self { store, catalog, vouch: Arc::new(Nobody), faults: Vec::new() };
        };
        if !ledger.is_empty() {
            ask(&mut discovery, &ledger);
            ledger.save();
        }
        let catalog = Catalog::build(discovery, &settings.precedence, &settings.selection);
        Self { store, catalog, faults: ledger.faults(), vouch: Arc::new(ledger) }
    }

    /// What is written down about a candidate, without a look at its content.
    pub(crate) fn recorded(&self, found: &Found) -> Vouched {
        if self.catalog.layer(found) == Layer::Bundled {
            return Vouched::default();
        }
        self.vouch.recorded(&found.name, &self.catalog.directory(found))
    }

    /// A view of nothing.
    pub(crate) fn nothing() -> Self {
        Self {
            store: LayeredStore::new(Vec::new()),
            catalog: Catalog::default(),
            vouch: Arc::new(Nobody),
            faults: Vec::new(),
        }
    }

    /// What is known about the content of a candidate now.
    pub(crate) fn vouched(&self, found: &Found) -> Vouched {
        if self.catalog.layer(found) == Layer::Bundled {
            return Vouched { standing: Standing::Approved, ..Vouched::default() };
        }
        self.vouch.vouch(&found.name, &self.catalog.directory(found), Depth::Stamps)
    }

    /// The skill that `typed` names.
    pub(crate) fn named(&self, typed: &str) -> Result<Named<'_>, CommandError> {
        let key = checked_name(typed)?.key();
        if let Some(entry) = self.catalog.get(&key) {
            return Ok(Named::Entry(entry));
        }
        if let Some(hidden) = self.catalog.hidden.iter().find(|h| h.found.name.has_key(&key)) {
            return Ok(Named::Hidden(hidden));
        }
        Err(broken(&self.catalog, typed).unwrap_or_else(|| self.unknown(typed)))
    }

    /// The skill that `typed` names, as far as a model may know of it.
    pub(crate) fn named_to_model(&self, typed: &str) -> Result<Named<'_>, CommandError> {
        match self.named(typed)? {
            Named::Entry(entry) if entry.visibility == Visibility::Model => Ok(Named::Entry(entry)),
            Named::Entry(entry) if entry.visibility == Visibility::Untrusted => {
                let name = visible_line(entry.name().as_str()).into_owned();
                if entry.found.standing == Standing::Changed {
                    let message = format!("`{name}` changed since it was approved");
                    return Err(CommandError::refused(message).code("skill_changed"));
                }
                let message = format!("`{name}` belongs to a project whose folder is not trusted");
                Err(CommandError::refused(message).code("skill_not_trusted"))
            }
            Named::Entry(_) | Named::Hidden(_) => Err(self.unknown_to_model(typed)),
        }
    }

    fn unknown_to_model(&self, typed: &str) -> CommandError {
        let names = self.catalog.visible().map(|entry| entry.name().as_str());
        unknown_name(typed, names, "`metier list` shows the skills that are here")
    }

    /// The failure of a name that nothing has, with the names that may have been meant.
    pub(crate) fn unknown(&self, typed: &str) -> CommandError {
        let names = self.catalog.entries.iter().map(|entry| entry.name().as_str());
        let hidden = self.catalog.hidden.iter().map(|hidden| hidden.found.name.as_str());
        unknown_name(
            typed,
            names.chain(hidden),
            "`metier list --all` shows the skills that are here",
        )
    }

    /// Says on standard error what a list of skills leaves out, which is less when it lists `all`.
    pub(crate) fn remark(&self, settings: &Settings, all: bool, ui: &mut Ui) {
        let catalog = &self.catalog;
        let hidden = catalog.hidden.len();
        if catalog.entries.is_empty() && hidden == 0 {
            ui.note("no skills here; `metier --help` says how to add a root");
        }
        if hidden > 0 && !all {
            let skills = counted(hidden, "skill is", "skills are");
            ui.note(&format!("{skills} switched off; `metier list --all` shows them"));
        }
        let skipped = catalog.skipped.len();
        if skipped > 0 {
            let files = counted(skipped, "file was", "files were");
            ui.note(&format!("{files} skipped; `metier check` says why"));
        }
        if let Some(hint) = trust_hint(catalog, settings) {
            ui.note(&format!("hint: {hint}"));
        }
        let shadowed = catalog.shadowed.len();
        if shadowed > 0 && !all {
            let skills = counted(shadowed, "skill is", "skills are");
            ui.detail(&format!("{skills} shadowed; `metier list --all` shows them"));
        }
        self.remark_on_selection(settings, ui);
        self.remark_on_walk(ui);
    }

    /// Says on standard error what the search could not look into.
    pub(crate) fn remark_on_walk(&self, ui: &mut Ui) {
        for fault in &self.faults {
            ui.note(&format!("warning: {}", visible_line(fault)));
        }
        for note in &self.catalog.notes {
            ui.note(&walk_remark(note, self.catalog.root(note.root)));
        }
        let stats = self.catalog.stats;
        ui.detail(&format!(
            "looked into {} directories, opened {} files, read {} bytes",
            stats.directories, stats.files, stats.bytes_read
        ));
    }

    /// Says on standard error which enabled or disabled names no skill has.
    pub(crate) fn remark_on_selection(&self, settings: &Settings, ui: &mut Ui) {
        for key in self.catalog.unmatched() {
            let named = settings.names(key);
            ui.note(&format!(
                "warning: no skill is called `{}`, which {named} names",
                visible_line(key.as_str())
            ));
        }
    }
}

/// What a search of `root` could not look into, as standard error says it.
pub(crate) fn walk_remark(note: &Note, root: Option<&Root>) -> String {
    format!("warning: {}", walk_note(note, root))
}

/// What a search of `root` could not look into.
pub(crate) fn walk_note(note: &Note, root: Option<&Root>) -> String {
    let mut remark = visible_line(&note.diagnostic.message).into_owned();
    // A path below a root says nothing without the root.
    if let Some(root) = root.filter(|_| !note.path.as_os_str().is_empty()) {
        let _ = write!(remark, " (in `{}`)", visible_line(&root.path.to_string_lossy()));
    }
    if let Some(help) = &note.diagnostic.help {
        let _ = write!(remark, "; {help}");
    }
    remark
}

/// What somebody typed as a name. It is a name before it is anything else: a path or a control
/// character ends here.
pub(crate) fn checked_name(typed: &str) -> Result<SkillName, CommandError> {
    SkillName::parse(typed).map_err(|error| {
        let shown = visible_line(typed);
        let message = format!("`{shown}` cannot be a skill's name: {error}");
        CommandError::failed(message).code(UNKNOWN)
    })
}

/// The failure of a name whose skill is there and cannot be loaded.
pub(crate) fn broken(catalog: &Catalog, typed: &str) -> Option<CommandError> {
    let answer = why(catalog, typed);
    let is_broken = |candidate: &&Candidate| matches!(candidate.outcome, Outcome::Skipped { .. });
    let broken = answer.candidates.first().filter(is_broken)?;
    let place = visible_line(&broken.directory.to_string_lossy()).into_owned();
    let hint = format!("`metier lint {place}` shows the place");
    Some(CommandError::failed(answer.sentence()).code(UNKNOWN).hint(hint))
}

/// The failure of a name that none of `names` is, with the nearest of them, or else `advice`.
pub(crate) fn unknown_name<'a>(
    typed: &str,
    names: impl IntoIterator<Item = &'a str>,
    advice: &str,
) -> CommandError {
    let message = format!("there is no skill `{}`", visible_line(typed));
    let error = CommandError::failed(message).code(UNKNOWN);
    let near: Vec<String> =
        closest(typed, names, SUGGESTIONS).iter().map(|name| format!("`{name}`")).collect();
    if near.is_empty() {
        return error.hint(advice);
    }
    error.hint(format!("did you mean {}?", near.join(", ")))
}

/// How to make the skills of an untrusted project usable, when there are some.
pub(crate) fn trust_hint(catalog: &Catalog, settings: &Settings) -> Option<String> {
    let is_untrusted = |entry: &&Entry| entry.visibility == Visibility::Untrusted;
    if let Some(changed) = catalog.entries.iter().find(|e| e.found.standing == Standing::Changed) {
        let name = visible_line(changed.name().as_str());
        return Some(format!(
            "`metier verify` says what changed; `metier trust {name}` approves it as it is now"
        ));
    }
    let entry = catalog.entries.iter().find(is_untrusted)?;
    let root = &catalog.root(entry.found.root)?.path;
    let folder = if root.starts_with(&settings.project) { &settings.project } else { root };
    let folder = visible_line(&folder.to_string_lossy()).into_owned();
    if settings.home.is_some() {
        return Some(format!("`metier trust {folder}` trusts this project's skills"));
    }
    Some(format!(
        "trust this project's skills by adding `{folder}` to `trusted-folders` in {}",
        settings.config_file()
    ))
}

/// The roots of a run: those given by hand, in their order, then the default ones, then the skills
/// inside metier.
pub(crate) fn store(settings: &Settings) -> LayeredStore {
    let files: Box<dyn Store> = match Memos::of(settings) {
        Some(memos) => Box::new(RememberingStore::new(files(settings), Arc::new(memos))),
        None => Box::new(files(settings)),
    };
    match settings.default_roots {
        true => LayeredStore::new(vec![files, Box::new(bundled())]),
        false => LayeredStore::new(vec![files]),
    }
}

/// The roots of a run that are directories.
pub(crate) fn files(settings: &Settings) -> FileStore {
    let mut roots: Vec<Root> = settings.roots.iter().map(|root| given(root, settings)).collect();
    if settings.default_roots {
        roots.extend(client::default_roots(&settings.places()));
    }
    FileStore::new(roots)
}

fn given(root: &RootArgument, settings: &Settings) -> Root {
    Root {
        immediate_only: root.immediate_only,
        trusted: root.layer != Layer::Project || settings.trusts(&root.path),
        ..Root::given(root.layer, &root.path)
    }
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
