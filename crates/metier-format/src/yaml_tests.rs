//! The tree itself: what its values become once they leave the reader.

use super::*;

fn only_value(text: &str) -> Node<'_> {
    let mut tree = read(text, 0).expect("a tree");
    tree.entries.remove(0).value
}

#[test]
fn text_is_a_scalar_whatever_its_style() {
    // F1
    for text in ["a: b", "a: 'b'", "a: \"b\"", "a: |-\n b", "a: >-\n b"] {
        assert_eq!(only_value(text).as_text(), Some("b"), "{text}");
    }
    assert_eq!(only_value("a: [b]").as_text(), None);
    assert_eq!(only_value("a: {b: c}").as_text(), None);
}

#[test]
fn owned_values_are_equal_to_the_borrowed_ones() {
    // F1
    let text = "a:\n  b: [c, 'd', {e: f}]\n  g: |\n    h\n";
    let tree = read(text, 3).expect("a tree");
    for entry in tree.entries {
        assert_eq!(entry.clone().into_owned(), entry);
        assert_eq!(entry.value.clone().into_owned(), entry.value);
    }
}

#[test]
fn json_keeps_every_value_text_and_the_order_of_keys() {
    // F1
    let value = only_value("a: {z: 1.10, b: [no, ~, null, 0x1f], c: {d: }}");
    let json = serde_json::to_string(&value.to_json()).expect("JSON");
    assert_eq!(json, r#"{"z":"1.10","b":["no","~","null","0x1f"],"c":{"d":""}}"#);
}

#[test]
fn plain_and_unusual_frontmatter_read_alike() {
    // F1
    let plain = read("name: a\ntags: [b, c]\n", 10).expect("the fast reader's tree");
    let unusual = read("name: a # not plain\ntags: [b, c]\n", 10).expect("the full reader's tree");
    assert!(read_fast("name: a # not plain\n", 0).is_none());
    assert_eq!(plain.entries[0], unusual.entries[0]);
    assert_eq!(plain.entries[1].value.to_json(), unusual.entries[1].value.to_json());
}
