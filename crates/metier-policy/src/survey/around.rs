//! What a call may read without naming the file: names that come from elsewhere, directories that a
//! tool searches, and paths in the arguments of tools nobody knows. Errs on the side of reading.

use std::path::Path;

use serde_json::Value;

use super::Survey;
use crate::call::{Kind, ToolCall, Understood};
use crate::limits::{MAX_ARGUMENT_DEPTH, MAX_MENTIONS, MAX_PATH_BYTES};
use crate::place::{From, Place, folded};
use crate::shape::Shape;
use crate::url::decoded;

/// What a tool that searches is told where it only lists.
const LISTINGS: [&str; 2] = ["files_with_matches", "count"];

impl Survey {
    /// Whoever reads files whose names come from elsewhere may read whatever the text has a path of:
    /// the words of a loop, what is printed for another program, where something is looked for.
    pub(super) fn add_handed(&mut self, text: &str, place: &Place<'_>) {
        if !self.handed {
            return;
        }
        let ends = |c: char| c.is_whitespace() || "\"'`;|&()<>={},:".contains(c);
        let text = text.replace("${HOME}", "~").replace("$HOME", "~");
        let words = text.split(ends).filter(|word| word.contains('/') || *word == "~");
        for word in words.take(MAX_MENTIONS) {
            let fixed = before_wildcard(word);
            let spots = place.locate_argument(fixed, From::Directory(place.cwd));
            let spots = spots.iter().flat_map(|spots| spots.iter());
            self.shapes.extend(spots.map(|spot| Shape::of(&spot.lowercase).and_beneath()));
        }
    }

    /// What a tool that is no shell reads beside the files it names: a search reads what is in a
    /// directory, and a tool nobody knows may read the file that one of its arguments is.
    pub(super) fn add_tool(&mut self, call: &ToolCall, understood: &Understood, place: &Place<'_>) {
        match &understood.kind {
            Kind::Read { paths } => {
                let mode = call.arguments.get("output_mode").and_then(Value::as_str);
                let default = call.tool == "Grep";
                if mode.map_or(default, |mode| LISTINGS.contains(&mode)) {
                    return;
                }
                // One that reads many files reads directories, and what wildcards find.
                let many = understood.native == "read_many_files";
                let is_around = |path: &&str| many || before_wildcard(path).len() < path.len();
                let named = paths.iter().filter_map(|target| {
                    let path = target.path.as_deref()?;
                    let reads = target.tool == "read" && is_around(&path);
                    (target.tool == "grep" || reads).then(|| before_wildcard(path))
                });
                let here = (paths.is_empty() && understood.canonical == "grep").then_some(".");
                for path in named.chain(here) {
                    let spots = place.locate_argument(path, From::Directory(place.cwd));
                    let spots = spots.iter().flat_map(|spots| spots.iter());
                    self.shapes.extend(spots.map(|spot| Shape::of(&spot.lowercase).and_beneath()));
                }
            }
            Kind::Fetch { .. } | Kind::Mcp { .. } | Kind::Other => {
                let mut texts = Vec::new();
                gather(&call.arguments, MAX_ARGUMENT_DEPTH, &mut texts);
                texts.into_iter().for_each(|text| self.add_argument(text, place));
            }
            Kind::Shell { .. } | Kind::Write { .. } => {}
        }
    }

    /// An argument that is the path, or the address, of a file of text.
    fn add_argument(&mut self, text: &str, place: &Place<'_>) {
        if text.len() > MAX_PATH_BYTES || text.contains(char::is_control) {
            return;
        }
        let path = match text.get(..5).filter(|start| start.eq_ignore_ascii_case("file:")) {
            Some(_) => match text.get(5..).and_then(local) {
                Some(path) => path,
                None => return,
            },
            None => text.to_owned(),
        };
        if !folded(&path).ends_with(".md") {
            return;
        }
        let spots = place.locate_argument(&path, From::Directory(place.cwd));
        let spots = spots.iter().flat_map(|spots| spots.iter());
        self.reads.extend(spots.map(|spot| std::path::PathBuf::from(&spot.path)));
    }

    /// Whether the file called `name` in some directory anywhere below `root` may be read without being
    /// named: where not, [`Self::may_read`] says no to each that is no link to elsewhere. For a quick no
    /// before anything is looked for.
    #[must_use]
    pub fn may_read_below(&self, root: &Path, name: &str) -> bool {
        let Some(root) = root.to_str().map(folded) else { return false };
        let root = root.trim_end_matches('/');
        let whole = Shape::of(root).and_beneath();
        let below = |path: &String| {
            path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let finds = |sought: &super::Sought| {
            sought.is_for(name) && sought.trees.iter().any(|tree| tree.meets(&whole))
        };
        self.shapes.iter().any(|shape| is_near(shape, root) && shape.meets(&whole))
            || self.named.iter().any(below)
            || self.named_shapes.iter().any(|shape| is_near(shape, root) && shape.meets(&whole))
            || self.mentioned.iter().any(below)
            || self.sought.iter().any(finds)
    }
}

/// Whether a shape is about a directory or what is in it, and not about everything from further above.
/// A hidden directory around it, in which agents keep what is theirs, is not further above.
pub(super) fn is_near(shape: &Shape, directory: &str) -> bool {
    let around = directory.rsplit_once('/').map(|(around, _)| around);
    let hidden = |path: &&str| path.rsplit('/').next().is_some_and(|name| name.starts_with('.'));
    !shape.is_open
        || shape.is_below(directory)
        || around.filter(hidden).is_some_and(|around| shape.is_below(around))
}

/// A path up to the part with its first wildcard.
fn before_wildcard(path: &str) -> &str {
    match path.find(['*', '?', '[', '$', '\\']) {
        None => path,
        Some(at) => {
            let start = path.get(..at).unwrap_or_default();
            start.rfind('/').and_then(|slash| start.get(..=slash)).unwrap_or_default()
        }
    }
}

/// The path in what follows `file:`.
fn local(text: &str) -> Option<String> {
    let path = match text.strip_prefix("//") {
        Some(rest) => rest.get(rest.find('/')?..)?,
        None => text,
    };
    decoded(path.split(['?', '#']).next()?)
}

/// Every text in a value, as deep as is looked at.
fn gather<'v>(value: &'v Value, depth: usize, texts: &mut Vec<&'v str>) {
    if texts.len() >= MAX_MENTIONS {
        return;
    }
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) if depth > 0 => {
            items.iter().for_each(|item| gather(item, depth - 1, texts));
        }
        Value::Object(fields) if depth > 0 => {
            fields.values().for_each(|field| gather(field, depth - 1, texts));
        }
        _ => {}
    }
}
