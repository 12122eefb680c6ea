//! STUB until the real reader lands.
use super::{Entry, Node, Scalar, Style, Tree, Value};
use crate::span::Span;

pub(super) fn read(text: &str, base: usize) -> Option<Tree<'_>> {
    let mut tree = Tree::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        if line.starts_with([' ', '#', '-']) || line.is_empty() {
            continue;
        }
        let (key, value) = line.split_once(':')?;
        let text = value.trim();
        let offset = base + start + key.len() + 1 + (value.len() - value.trim_start().len());
        tree.entries.push(Entry {
            key: key.into(),
            key_span: Span::new(base + start, base + start + key.len()),
            value: Node {
                value: Value::Scalar(Scalar {
                    text: text.trim_matches('"').into(),
                    style: Style::Plain,
                }),
                span: Span::new(offset, offset + text.len()),
            },
        });
    }
    Some(tree)
}
