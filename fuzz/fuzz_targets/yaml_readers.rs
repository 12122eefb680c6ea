//! Whatever the fast YAML reader answers, the full one answers too, to the last span; and every
//! place lies inside the text, between characters.

#![no_main]

use libfuzzer_sys::fuzz_target;
use metier_format::Span;
use metier_format::yaml::{Entry, Node, Value, read_fast, read_full};

fuzz_target!(|text: &str| {
    let full = read_full(text, 0);
    if let Some(tree) = read_fast(text, 0) {
        assert_eq!(Ok(&tree), full.as_ref());
    }
    match &full {
        Ok(tree) => {
            tree.duplicates.iter().for_each(|span| check_place(text, *span));
            tree.entries.iter().for_each(|entry| check_entry(text, entry));
        }
        Err(error) => {
            check_place(text, error.span);
            assert!(!error.message.is_empty());
        }
    }
    // The base only moves places.
    let moved = read_full(text, 1000);
    assert_eq!(full.is_ok(), moved.is_ok());
    if let Some(tree) = read_fast(text, 1000) {
        assert_eq!(Ok(tree), moved);
    }
});

fn check_entry(text: &str, entry: &Entry<'_>) {
    check_place(text, entry.key_span);
    check_node(text, &entry.value);
}

fn check_node(text: &str, node: &Node<'_>) {
    check_place(text, node.span);
    match &node.value {
        Value::Scalar(_) => {}
        Value::Sequence(items) => items.iter().for_each(|item| check_node(text, item)),
        Value::Mapping(entries) => entries.iter().for_each(|entry| check_entry(text, entry)),
    }
}

fn check_place(text: &str, span: Span) {
    assert!(text.get(span.range()).is_some(), "{span:?} of {} bytes", text.len());
}
