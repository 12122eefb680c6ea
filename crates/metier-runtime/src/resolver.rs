//! Real paths for the policy: links followed as the system follows them.

#![expect(clippy::disallowed_methods, reason = "this file is the policy's door to the disk")]

use std::path::{Path, PathBuf};

use metier_policy::{Layout, Resolve};

/// Resolves against the disk. What does not exist yet is resolved as far as it exists, so that a
/// file about to be made in a linked directory is seen where it will be.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Resolve for Disk {
    fn real(&self, absolute: &Path) -> Option<PathBuf> {
        let mut rest = Vec::new();
        let mut at = absolute;
        loop {
            if let Ok(real) = at.canonicalize() {
                return Some(rest.iter().rev().fold(real, |path, part| path.join(part)));
            }
            // A link that points nowhere is not "not there yet": nobody knows where it will lead.
            if at.symlink_metadata().is_ok() {
                return None;
            }
            rest.push(at.file_name()?.to_owned());
            at = at.parent()?;
        }
    }

    fn layout(&self, directory: &Path) -> Option<Layout> {
        let has = |name: &str| directory.join(name).symlink_metadata().is_ok();
        if has(".git") {
            return Some(Layout::Inside);
        }
        // As git does, and a little more: its own files may be elsewhere.
        let bare = has("HEAD") && (has("objects") || has("refs") || has("commondir"));
        bare.then_some(Layout::Bare)
    }
}
