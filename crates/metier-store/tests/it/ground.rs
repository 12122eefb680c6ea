//! Small trees to scan, and what a scan says in a form that is easy to compare.

use std::path::{Path, PathBuf};

use metier_store::discover::{Discovery, ScanLimits};
use metier_store::{FileStore, Layer, Root, Store};
use metier_testing::World;

/// A root a person gave by hand.
pub(crate) fn root(path: impl Into<PathBuf>) -> Root {
    Root {
        layer: Layer::Personal,
        path: path.into(),
        client_order: 0,
        immediate_only: false,
        trusted: true,
        optional: false,
        within: None,
    }
}

/// The root `world/skills`.
pub(crate) fn skills(world: &World) -> PathBuf {
    world.path().join("skills")
}

/// Scans `path` as the only root, with the usual limits.
pub(crate) fn scan(path: &Path) -> Discovery {
    FileStore::new(vec![root(path)]).discover(&ScanLimits::default())
}

/// The paths of all candidates, in the order found.
pub(crate) fn paths(discovery: &Discovery) -> Vec<String> {
    discovery.found.iter().map(|found| found.path.to_string_lossy().into_owned()).collect()
}

/// The skipped files with the codes of what is wrong with them.
pub(crate) fn skipped(discovery: &Discovery) -> Vec<String> {
    let line = |path: &Path, codes: Vec<&str>| format!("{} {}", path.display(), codes.join(" "));
    let codes = |list: &[metier_format::Diagnostic]| list.iter().map(|d| d.code.as_str()).collect();
    discovery.skipped.iter().map(|file| line(&file.path, codes(&file.diagnostics))).collect()
}

/// The notes, each as its code, its path and its message.
pub(crate) fn notes(discovery: &Discovery) -> Vec<String> {
    let line = |note: &metier_store::discover::Note| {
        let diagnostic = &note.diagnostic;
        format!("{} {}: {}", diagnostic.code.as_str(), note.path.display(), diagnostic.message)
    };
    discovery.notes.iter().map(line).collect()
}
