//! Discoveries built by hand, for the tests of everything that works on one.

use std::path::Path;

use metier_format::{Code, Diagnostic, SkillName};

use crate::discover::{Discovery, Facts, Found, FoundScope, Skipped};
use crate::layer::{Layer, Precedence, Root, RootId};
use crate::{Catalog, Selection};

/// A discovery under construction. Roots are named by the path they get.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fixture {
    pub(crate) discovery: Discovery,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a trusted root.
    pub(crate) fn root(mut self, layer: Layer, path: &str) -> Self {
        let root = Root { trusted: true, ..Root::given(layer, path) };
        self.discovery.roots.push(root);
        self
    }

    /// Changes the root added last.
    pub(crate) fn with_root(mut self, change: impl FnOnce(&mut Root)) -> Self {
        change(self.discovery.roots.last_mut().expect("a root"));
        self
    }

    /// Adds a skill to the root added last, in a directory of its name.
    pub(crate) fn skill(self, name: &str) -> Self {
        self.skill_at(name, name, &format!("What {name} does."))
    }

    /// Adds a skill to the root added last.
    pub(crate) fn skill_at(mut self, path: &str, name: &str, description: &str) -> Self {
        let root = RootId(u16::try_from(self.discovery.roots.len() - 1).expect("few roots"));
        self.discovery.found.push(found(root, path, name, description));
        self
    }

    /// Changes the skill added last.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Found)) -> Self {
        change(self.discovery.found.last_mut().expect("a skill"));
        self
    }

    /// Changes the facts of the skill added last.
    pub(crate) fn facts(self, change: impl FnOnce(&mut Facts)) -> Self {
        self.with(|found| change(found.facts.get_or_insert_default()))
    }

    /// Changes the scope of the skill added last.
    pub(crate) fn scope(self, change: impl FnOnce(&mut FoundScope)) -> Self {
        self.facts(|facts| change(facts.scope.get_or_insert_default()))
    }

    /// Adds a file that cannot be loaded to the root added last.
    pub(crate) fn broken(mut self, path: &str, code: Code, message: &str) -> Self {
        let root = RootId(u16::try_from(self.discovery.roots.len() - 1).expect("few roots"));
        let diagnostics = vec![Diagnostic::new(code, message)];
        self.discovery.skipped.push(Skipped { root, path: path.into(), diagnostics });
        self
    }

    /// The catalog of everything, in the default order.
    pub(crate) fn catalog(self) -> Catalog {
        self.select(&Selection::default())
    }

    /// The catalog of a selection, in the default order.
    pub(crate) fn select(self, selection: &Selection) -> Catalog {
        Catalog::build(self.discovery, &Precedence::DEFAULT, selection)
    }
}

/// A candidate whose frontmatter digest follows from name and description.
pub(crate) fn found(root: RootId, path: &str, name: &str, description: &str) -> Found {
    let mut digest = [0; 32];
    for (index, byte) in name.bytes().chain([0]).chain(description.bytes()).enumerate() {
        digest[index % 32] = u8::wrapping_add(digest[index % 32], byte).rotate_left(3);
    }
    Found {
        name: SkillName::parse(name).expect("a usable name"),
        description: description.into(),
        root,
        path: Path::new(path).into(),
        identity: (0, 0),
        link: None,
        straight: false,
        digest,
        facts: None,
        diagnostics: Box::default(),
        standing: crate::vouch::Standing::Unknown,
        origin: None,
    }
}
