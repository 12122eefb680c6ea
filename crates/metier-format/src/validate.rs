//! From a tree to a [`Manifest`], with a diagnostic for everything the standard or a field's type
//! forbids. Findings accumulate; only what makes a skill impossible to load leaves no manifest.
//!
//! Here the keys are sorted out: which field each means, which of several spellings counts, what is
//! unknown. `standard` reads the standard's six fields, `extension` the others, `value` has the
//! conversions both use.

mod extension;
mod standard;
mod value;

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Edit};
use crate::field::{self, Field, Found, Spelling};
use crate::limits::MAX_SUGGESTIONS;
use crate::manifest::{Invocation, Key, Manifest, Origin, Parts, Scope, Text};
use crate::name::SkillName;
use crate::span::{Span, Spanned};
use crate::text::quoted;
use crate::tool_pattern::AllowedTools;
use crate::yaml::{Entry, Node, Tree};

/// Reads `tree` into a manifest. `source` is the whole file (spans point into it), `directory` the
/// name of the directory it lies in, when known. The findings carry spans; lines and columns are
/// filled in by [`crate::parse()`], for all of them in one pass.
///
/// There is a manifest exactly when none of the findings prevents loading.
#[must_use]
pub fn manifest(
    tree: Tree<'_>,
    source: &[u8],
    directory: Option<&str>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Manifest> {
    let repeats = !tree.duplicates.is_empty();
    let mut reader = Reader { source, directory, repeats, diagnostics, draft: Draft::default() };
    for span in &tree.duplicates {
        reader.duplicate(*span);
    }
    let roles = roles(&tree);
    reader.draft.keys.reserve_exact(tree.entries.len());
    for (entry, role) in tree.entries.into_iter().zip(roles) {
        reader.draft.keys.push(key(&entry, role));
        reader.entry(entry, role);
    }
    reader.finish()
}

/// The key of `entry` as written.
fn key(entry: &Entry<'_>, role: Role) -> Key {
    let key = match role {
        Role::Value(Found { field, spelling: Spelling::Canonical }, _) => {
            Cow::Borrowed(field.name())
        }
        _ => Cow::Owned(entry.key.to_string()),
    };
    Spanned::new(key, entry.key_span)
}

/// What an entry at the top is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// It gives this field its value.
    Value(Found, Renaming),
    /// A better spelling of the same field is there as well.
    Eclipsed(Field),
    /// A later entry has the same key.
    Repeated,
    /// Not a known field.
    Unknown,
}

/// Whether a badly spelled key may be renamed without clashing with another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Renaming {
    Safe,
    Clashes,
}

/// What the reader has so far.
#[derive(Default)]
struct Draft {
    name: Option<Spanned<SkillName>>,
    description: Option<Text>,
    /// Whether `name` and `description` were there at all.
    seen: [bool; 2],
    license: Option<Text>,
    compatibility: Option<Text>,
    metadata: Vec<(Text, Text)>,
    allowed_tools: Option<Spanned<AllowedTools>>,
    allowed_tools_written: Option<Box<Node<'static>>>,
    invocation: Invocation,
    priority: i64,
    tags: Vec<Text>,
    scope: Scope,
    origin: Origin,
    parts: Parts,
    overrides: Option<Entry<'static>>,
    extensions: Vec<Entry<'static>>,
    extra: Vec<Entry<'static>>,
    keys: Vec<Key>,
}

/// One reading of one tree.
struct Reader<'r> {
    source: &'r [u8],
    directory: Option<&'r str>,
    /// Whether some map of the tree has a key twice.
    repeats: bool,
    diagnostics: &'r mut Vec<Diagnostic>,
    draft: Draft,
}

impl Reader<'_> {
    /// Adds a finding at `span`, and returns it for a help line or a fix.
    fn find(&mut self, code: Code, span: Span, message: String) -> &mut Diagnostic {
        let mut diagnostic = Diagnostic::new(code, message);
        diagnostic.span = Some(span);
        self.diagnostics.push_mut(diagnostic)
    }

    fn entry(&mut self, entry: Entry<'_>, role: Role) {
        match role {
            Role::Value(found, renaming) => {
                self.spelling(&entry, found, renaming);
                self.field(entry, found.field);
            }
            Role::Eclipsed(field) => {
                let message = format!(
                    "{} is ignored because `{}` is there as well",
                    quoted(&entry.key),
                    field.name()
                );
                self.find(Code::FieldSpelling, entry.key_span, message).help =
                    Some("keep one of them".to_owned());
                self.draft.extra.push(entry.into_owned());
            }
            Role::Repeated => {}
            Role::Unknown => {
                self.unknown(&entry);
                self.draft.extra.push(entry.into_owned());
            }
        }
    }

    fn unknown(&mut self, entry: &Entry<'_>) {
        let message = format!("{} is not a field of the standard", quoted(&entry.key));
        let meant = if self.draft.extra.len() < MAX_SUGGESTIONS {
            field::closest(&entry.key)
        } else {
            None
        };
        // A misspelt `allowed-tools` restricts nothing, so this is more than a stranger's field.
        let Some(name) = meant else {
            self.find(Code::UnknownField, entry.key_span, message);
            return;
        };
        let diagnostic = self.find(Code::FieldMisspelt, entry.key_span, message);
        diagnostic.help = Some(format!("did you mean `{name}`?"));
    }

    fn spelling(&mut self, entry: &Entry<'_>, found: Found, renaming: Renaming) {
        let Spelling::Variant(name) = found.spelling else { return };
        let message = format!("{} is read as `{name}`", quoted(&entry.key));
        let diagnostic = self.find(Code::FieldSpelling, entry.key_span, message);
        diagnostic.help = Some(format!("write `{name}`"));
        if renaming == Renaming::Safe {
            diagnostic.fix = vec![Edit { span: entry.key_span, text: name.to_owned() }];
        }
    }

    fn field(&mut self, entry: Entry<'_>, field: Field) {
        if field.spec().standard {
            return self.standard(entry, field);
        }
        self.not_portable(&entry, field);
        self.extension(&entry, field);
        if field == Field::Overrides {
            self.draft.overrides = Some(entry.clone().into_owned());
        }
        self.draft.extensions.push(entry.into_owned());
    }

    fn not_portable(&mut self, entry: &Entry<'_>, field: Field) {
        let readers = match field.spec().readers {
            [] => "only metier reads it".to_owned(),
            [one] => format!("{one} reads it, others may not"),
            [most @ .., last] => format!("{} and {last} read it, others may not", most.join(", ")),
        };
        let message = format!("{} is an extension: {readers}", quoted(&entry.key));
        self.find(Code::FieldNotPortable, entry.key_span, message);
    }

    fn duplicate(&mut self, span: Span) {
        let key = String::from_utf8_lossy(self.source.get(span.range()).unwrap_or_default());
        let message = format!("{} is there more than once; the last one counts", quoted(&key));
        self.find(Code::DuplicateKey, span, message);
    }

    fn finish(mut self) -> Option<Manifest> {
        self.missing();
        self.portability_is_known();
        let mut draft = self.draft;
        let from_metadata = |wanted: &str| {
            draft.metadata.iter().find(|(key, _)| key.value == wanted).map(|(_, text)| text.clone())
        };
        draft.origin.version = draft.origin.version.or_else(|| from_metadata("version"));
        draft.origin.author = draft.origin.author.or_else(|| from_metadata("author"));
        Some(Manifest {
            name: draft.name?,
            description: draft.description?,
            license: draft.license,
            compatibility: draft.compatibility,
            metadata: draft.metadata,
            allowed_tools: draft.allowed_tools,
            allowed_tools_written: draft.allowed_tools_written,
            invocation: draft.invocation,
            priority: draft.priority,
            tags: draft.tags,
            scope: draft.scope,
            origin: draft.origin,
            parts: draft.parts,
            overrides: draft.overrides,
            extensions: draft.extensions,
            extra: draft.extra,
            keys: draft.keys,
        })
    }

    /// An author whose `compatibility` names metier knows that the extensions are not for everybody.
    fn portability_is_known(&mut self) {
        let Some(text) = &self.draft.compatibility else { return };
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        if words.any(|word| word.eq_ignore_ascii_case("metier")) {
            self.diagnostics.retain(|diagnostic| diagnostic.code != Code::FieldNotPortable);
        }
    }

    fn missing(&mut self) {
        let [name, description] = self.draft.seen;
        if !name {
            self.diagnostics.push(Diagnostic::new(Code::NameMissing, "`name` is missing"));
        }
        if !description {
            let message = "`description` is missing";
            self.diagnostics.push(Diagnostic::new(Code::DescriptionMissing, message));
        }
    }
}

/// What each entry of `tree` is for. Of several spellings of one field the best counts, of equal
/// ones the last. Two passes over the keys; more only when a key is repeated.
fn roles(tree: &Tree<'_>) -> Vec<Role> {
    let mut best: [Option<(usize, u8)>; field::COUNT] = [None; field::COUNT];
    let mut uses = [0u16; field::COUNT];
    let mut roles: Vec<Role> = Vec::with_capacity(tree.entries.len());
    for (index, entry) in tree.entries.iter().enumerate() {
        let Some(found) = field::lookup(&entry.key) else {
            roles.push(Role::Unknown);
            continue;
        };
        let (slot, rank) = (found.field as usize, found.spelling.rank());
        if best[slot].is_none_or(|(_, other)| rank >= other) {
            best[slot] = Some((index, rank));
        }
        uses[slot] = uses[slot].saturating_add(1);
        roles.push(Role::Value(found, Renaming::Safe));
    }
    for (index, role) in roles.iter_mut().enumerate() {
        if let Role::Value(found, renaming) = role {
            let slot = found.field as usize;
            if uses[slot] > 1 {
                *renaming = Renaming::Clashes;
            }
            if best[slot].is_some_and(|(winner, _)| winner != index) {
                *role = Role::Eclipsed(found.field);
            }
        }
    }
    if !tree.duplicates.is_empty() {
        mark_repeated(tree, &mut roles);
    }
    roles
}

/// Entries whose very key comes again later lose their role.
fn mark_repeated(tree: &Tree<'_>, roles: &mut [Role]) {
    let last: BTreeMap<&str, usize> =
        tree.entries.iter().enumerate().map(|(index, entry)| (&*entry.key, index)).collect();
    for (index, (entry, role)) in tree.entries.iter().zip(roles).enumerate() {
        if last.get(&*entry.key).is_some_and(|last| *last != index) {
            *role = Role::Repeated;
        }
    }
}

#[cfg(test)]
#[path = "validate_tests.rs"]
mod tests;
