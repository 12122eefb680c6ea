//! The fields outside the standard that metier acts on. A value of the wrong kind is reported and
//! ignored; the entry as written stays in the manifest either way.

use super::Reader;
use super::value::{Split, boolean};
use crate::diagnostic::{Code, Edit};
use crate::field::{Field, Folded, Kind};
use crate::manifest::{ContextMode, Text};
use crate::name::trim;
use crate::span::Spanned;
use crate::text::quoted;
use crate::yaml::{Entry, Node, Value};

/// A key inside `scope` or `permissions`, and how many others mean the same.
struct Inner<'e> {
    key: &'static str,
    entry: &'e Entry<'e>,
    alone: bool,
}

impl Reader<'_> {
    pub(super) fn extension(&mut self, entry: &Entry<'_>, field: Field) {
        let node = &entry.value;
        match field {
            Field::Hooks => self.hooks(node),
            Field::Scope => self.scope(node),
            Field::Permissions => self.permissions(node),
            Field::Priority => {
                self.draft.priority = self.integer(field, node).unwrap_or(self.draft.priority);
            }
            Field::Tags => self.draft.tags = self.words(field, node),
            Field::Toolsets => self.draft.parts.toolsets = self.toolsets(node),
            Field::Scripts => {
                self.draft.parts.scripts = self.list(field.name(), node, Split::Words);
            }
            Field::ScriptsIgnore => self.draft.parts.scripts_ignore = self.words(field, node),
            Field::Version => self.draft.origin.version = self.text(field, node),
            Field::Author => self.draft.origin.author = self.text(field, node),
            Field::Repository => self.draft.origin.repository = self.text(field, node),
            Field::MinHostVersion => self.draft.origin.min_host_version = self.text(field, node),
            Field::MaxHostVersion => self.draft.origin.max_host_version = self.text(field, node),
            _ => self.invocation(node, field),
        }
    }

    /// The fields that say how a skill is invoked.
    fn invocation(&mut self, node: &Node<'_>, field: Field) {
        match field {
            Field::Model => self.draft.invocation.model = self.text(field, node),
            Field::Context => self.context(node),
            Field::Agent => self.draft.invocation.agent = self.text(field, node),
            Field::DisableModelInvocation => {
                let value = self.boolean(field, node);
                self.draft.invocation.disable_model_invocation = value.unwrap_or(false);
            }
            Field::UserInvocable => {
                let value = self.boolean(field, node);
                self.draft.invocation.user_invocable = value.unwrap_or(true);
            }
            Field::ArgumentHint => self.draft.invocation.argument_hint = self.argument_hint(node),
            Field::Arguments => self.draft.invocation.arguments = self.words(field, node),
            // The standard's fields were read before, the others are kept as written.
            _ => {}
        }
    }

    fn words(&mut self, field: Field, node: &Node<'_>) -> Vec<Text> {
        self.list(field.name(), node, Split::Words).unwrap_or_default()
    }

    fn context(&mut self, node: &Node<'_>) {
        let Some(text) = self.text(Field::Context, node) else { return };
        if text.eq_ignore_ascii_case("fork") {
            self.draft.invocation.context = ContextMode::Fork;
        } else if text.eq_ignore_ascii_case("inherit") {
            self.draft.invocation.context = ContextMode::Inherit;
        } else {
            let message = format!("`context` is {}, not `inherit` or `fork`", quoted(&text));
            self.find(Code::FieldValue, node.span, message);
        }
    }

    /// `argument-hint: [file]` is how people write it. To YAML that is a list; the author means
    /// the text, brackets included.
    fn argument_hint(&mut self, node: &Node<'_>) -> Option<Text> {
        let raw = self.source.get(node.span.range()).and_then(|raw| std::str::from_utf8(raw).ok());
        match (&node.value, raw.map(trim)) {
            (Value::Sequence(_), Some(raw)) if raw.starts_with('[') && !raw.contains('\n') => {
                Some(Spanned::new(raw.to_owned(), node.span))
            }
            _ => self.text(Field::ArgumentHint, node),
        }
    }

    fn toolsets(&mut self, node: &Node<'_>) -> Vec<Text> {
        let mut toolsets = self.words(Field::Toolsets, node);
        toolsets.retain(|toolset| {
            let known = is_toolset(toolset);
            if !known {
                let message = format!("The toolset {} is not `module:Class`", quoted(toolset));
                self.find(Code::FieldValue, toolset.span, message);
            }
            known
        });
        toolsets
    }

    fn hooks(&mut self, node: &Node<'_>) {
        let Some(entries) = self.map("hooks", node) else { return };
        for entry in entries {
            match Folded::of(&entry.key).as_ref().map(Folded::as_str) {
                Some("pre") => {
                    self.draft.invocation.hook_pre = self.text_of("hooks.pre", &entry.value);
                }
                Some("post") => {
                    self.draft.invocation.hook_post = self.text_of("hooks.post", &entry.value);
                }
                // Events of an agent's own, such as `PreToolUse`: a list of what to run.
                _ if matches!(entry.value.value, Value::Sequence(_)) => {}
                _ => self.unknown_inside("hooks", entry),
            }
        }
    }

    fn scope(&mut self, node: &Node<'_>) {
        let Some(entries) = self.map("scope", node) else { return };
        let known = |key: &str| match key {
            "agents" | "agent" => Some("agents"),
            "tenants" | "tenant" => Some("tenants"),
            "environments" | "environment" => Some("environments"),
            _ => None,
        };
        for inner in self.inner("scope", entries, known) {
            let name = format!("scope.{}", inner.key);
            let list = self.list(&name, &inner.entry.value, Split::Words);
            match inner.key {
                "agents" => self.draft.scope.agents = list,
                "tenants" => self.draft.scope.tenants = list,
                _ => self.draft.scope.environments = list,
            }
        }
    }

    fn permissions(&mut self, node: &Node<'_>) {
        let Some(entries) = self.map("permissions", node) else { return };
        let known = |key: &str| match key {
            "env" => Some("env"),
            "network" => Some("network"),
            "filesystem" => Some("filesystem"),
            _ => None,
        };
        for inner in self.inner("permissions", entries, known) {
            let node = &inner.entry.value;
            match inner.key {
                "env" => self.draft.parts.env = self.permission("permissions.env", node),
                "network" => self.draft.parts.network = self.network(node),
                _ => {
                    let name = "permissions.filesystem";
                    let list = self.list(name, node, Split::Commas);
                    self.draft.parts.filesystem = list.unwrap_or_default();
                }
            }
        }
    }

    fn permission(&mut self, name: &str, node: &Node<'_>) -> Vec<Text> {
        self.list(name, node, Split::Words).unwrap_or_default()
    }

    /// `true` means every host, `false` none.
    fn network(&mut self, node: &Node<'_>) -> Vec<Text> {
        match node.as_text().and_then(|text| boolean(trim(text))) {
            Some(true) => vec![Spanned::new("*".to_owned(), node.span)],
            Some(false) => Vec::new(),
            None => self.permission("permissions.network", node),
        }
    }

    /// The entries of a map; a finding when it is something else.
    fn map<'n>(&mut self, name: &str, node: &'n Node<'_>) -> Option<&'n [Entry<'n>]> {
        match &node.value {
            Value::Mapping(entries) => Some(entries),
            Value::Scalar(scalar) if trim(&scalar.text).is_empty() => {
                self.empty(name, node);
                None
            }
            Value::Scalar(_) | Value::Sequence(_) => {
                self.wrong_type(name, Kind::Map, node);
                None
            }
        }
    }

    /// The entries of a map whose keys `known` knows, with findings for the others and for
    /// spellings that are not the canonical one. One pass to count, one to report.
    fn inner<'e>(
        &mut self,
        map: &str,
        entries: &'e [Entry<'e>],
        known: impl Fn(&str) -> Option<&'static str>,
    ) -> Vec<Inner<'e>> {
        let mut found: Vec<Inner<'e>> = Vec::new();
        let mut counts: Vec<(&'static str, usize)> = Vec::new();
        for entry in entries {
            let key = Folded::of(&entry.key).and_then(|folded| known(folded.as_str()));
            let Some(key) = key else {
                self.unknown_inside(map, entry);
                continue;
            };
            match counts.iter_mut().find(|(counted, _)| *counted == key) {
                Some((_, count)) => *count += 1,
                None => counts.push((key, 1)),
            }
            found.push(Inner { key, entry, alone: true });
        }
        for inner in &mut found {
            inner.alone = counts.contains(&(inner.key, 1));
            self.inner_spelling(map, inner);
        }
        found
    }

    fn inner_spelling(&mut self, map: &str, inner: &Inner<'_>) {
        if inner.entry.key == inner.key {
            return;
        }
        let message = format!("{} in `{map}` is read as `{}`", quoted(&inner.entry.key), inner.key);
        let span = inner.entry.key_span;
        let diagnostic = self.find(Code::FieldSpelling, span, message);
        diagnostic.help = Some(format!("write `{}`", inner.key));
        if inner.alone {
            diagnostic.fix = vec![Edit { span, text: inner.key.to_owned() }];
        }
    }

    fn unknown_inside(&mut self, map: &str, entry: &Entry<'_>) {
        let message = format!("{} in `{map}` is not known", quoted(&entry.key));
        self.find(Code::UnknownField, entry.key_span, message);
    }
}

/// Whether `text` is `module.path:Class`, each part an identifier.
fn is_toolset(text: &str) -> bool {
    let identifier = |part: &str| {
        !part.is_empty()
            && !part.starts_with(|c: char| c.is_ascii_digit())
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    text.split_once(':').is_some_and(|(module, class)| {
        module.split('.').all(identifier) && class.split('.').all(identifier)
    })
}
