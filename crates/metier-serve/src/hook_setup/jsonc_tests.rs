use serde_json::json;

use super::*;

fn read(text: &str) -> Document {
    Document::read(text).unwrap_or_else(|fault| panic!("{}: {text}", Document::told(text, &fault)))
}

/// The text with one more member in its root.
fn with(text: &str, value: &Value) -> String {
    let document = read(text);
    document.append(document.root(), "new", value)
}

/// The text without the members of its root that have this key.
fn without(text: &str, key: &str) -> String {
    let (document, mut cuts) = (read(text), Cuts::default());
    cuts.items(text, document.root().members().unwrap_or_default(), |item| item.key() == key);
    document.without(cuts)
}

#[test]
fn a_new_member_is_laid_out_as_its_neighbours_and_every_other_byte_stays() {
    // U5
    for (text, expected) in [
        ("", "{\n  \"new\": [\n    1\n  ]\n}\n"),
        ("\u{feff} \n", "\u{feff}{\n  \"new\": [\n    1\n  ]\n}\n"),
        ("{}", "{\n  \"new\": [\n    1\n  ]\n}"),
        ("{\"a\":1}", "{\"a\":1,\"new\":[1]}"),
        ("{\"a\": 1, \"b\": 2}", "{\"a\": 1, \"b\": 2, \"new\":[1]}"),
        ("{\n\t\"a\": 1\n}\n", "{\n\t\"a\": 1,\n\t\"new\": [\n\t\t1\n\t]\n}\n"),
        (
            "\u{feff}{\r\n    \"a\": 1\r\n}\r\n",
            "\u{feff}{\r\n    \"a\": 1,\r\n    \"new\": [\r\n        1\r\n    ]\r\n}\r\n",
        ),
        (
            "// hi\n{\n  /* c */ \"a\": 1 // \"x\", }\n  // more\n}\n",
            "// hi\n{\n  /* c */ \"a\": 1, // \"x\", }\n  // more\n  \"new\": [\n    1\n  ]\n}\n",
        ),
        ("{\n  \"b\": [1,2,],\n}", "{\n  \"b\": [1,2,],\n  \"new\": [\n    1\n  ],\n}"),
        ("{ // none\n}", "{ // none\n  \"new\": [\n    1\n  ]\n}"),
        ("{\n  \"a\": 1 }", "{\n  \"a\": 1,\n  \"new\": [\n    1\n  ] }"),
        ("{\"a\":1,\"a\":2}", "{\"a\":1,\"a\":2,\"new\":[1]}"),
        ("{\"\\ud800\":\"\\ud800 \\\"}\"}", "{\"\\ud800\":\"\\ud800 \\\"}\",\"new\":[1]}"),
    ] {
        let joined = with(text, &json!([1]));
        assert_eq!(joined, expected, "{text:?}");
        let document = read(&joined);
        let new = document.root().get("new").map(|new| document.value(new));
        assert_eq!(new, Some(json!([1])), "{text:?}");
        if !document.root().items().is_empty() && text.contains('"') {
            assert_eq!(without(&joined, "new"), text, "there and back");
        }
    }
}

#[test]
fn something_new_in_a_list_or_an_inner_object_has_the_indentation_it_has_there() {
    // U5
    let text = "{\n  \"hooks\": {\n    \"A\": [\n      1\n    ],\n    \"B\": []\n  }\n}\n";
    let document = read(text);
    let hooks = document.root().get("hooks").expect("there");
    for (node, key, expected) in [
        (hooks.get("A").expect("a"), "", "      1,\n      [\n        2\n      ]\n    ],"),
        (hooks.get("B").expect("b"), "", "\"B\": [\n      [\n        2\n      ]\n    ]\n  }"),
        (hooks, "C", "\"B\": [],\n    \"C\": [\n      2\n    ]\n  }"),
    ] {
        let joined = document.append(node, key, &json!([2]));
        assert!(joined.contains(expected), "{joined}");
        assert!(Document::read(&joined).is_ok(), "{joined}");
    }
}

#[test]
fn what_is_taken_out_goes_with_its_comma_and_leaves_what_is_remarked() {
    // U5
    for (text, expected) in [
        ("{\"x\":1}", "{}"),
        ("{\"x\":1,\"a\":2}", "{\"a\":2}"),
        ("{\"a\":2,\"x\":1}", "{\"a\":2}"),
        ("{\"a\":2,\"x\":1,\"x\":3}", "{\"a\":2}"),
        ("{\"x\":1,\"a\":2,\"x\":3}", "{\"a\":2}"),
        ("{\n  // why\n  \"x\": 1,\n  \"a\": 2\n}", "{\n  // why\n  \"a\": 2\n}"),
        ("{\n  \"a\": 2, // a\n  \"x\": 1 // x\n}", "{\n  \"a\": 2 // a\n // x\n}"),
        ("{\n  \"a\": 2, // a\n  \"x\": 1 }", "{\n  \"a\": 2 // a\n }"),
        ("{\n  \"a\": 2,\n  \"x\": 1,\n}", "{\n  \"a\": 2,\n}"),
    ] {
        let parted = without(text, "x");
        assert_eq!(parted, expected, "{text}");
        assert!(read(&parted).root().get("x").is_none());
    }
    for (text, empty) in
        [("\u{feff}{\n}\n", true), ("{ /* a */ }", false), ("// a\n{}", false), ("[]", false)]
    {
        assert_eq!(read(text).is_empty(), empty, "{text}");
    }
}

#[test]
fn what_is_no_json_with_comments_is_not_read_and_its_place_is_told() {
    // U5, F4
    let deep = "[".repeat(100_000);
    for (text, expected) in [
        ("{\"a\":", "there is no value at line 1 column 6"),
        ("{\n  a: 1}", "there is no key at line 2 column 3"),
        ("{\"a\" 1}", "there is no colon at line 1 column 6"),
        ("{\"a\":1 \"b\":2}", "there is no comma at line 1 column 8"),
        ("{\"a\":\"x\n\"}", "a string does not end at line 1 column 6"),
        ("{\"a\":\"\\", "a string does not end at line 1 column 6"),
        ("{} {}", "something follows the value at line 1 column 4"),
        ("{ /* ", "there is no key at line 1 column 3"),
        ("{,}", "there is no key at line 1 column 2"),
        ("[1,,2]", "there is no value at line 1 column 4"),
        ("nul", "there is no value at line 1 column 1"),
        (deep.as_str(), "too many values lie in one another at line 1 column 129"),
    ] {
        let fault = Document::read(text).expect_err("no JSON");
        assert_eq!(Document::told(text, &fault), expected, "{}", text.get(..9).unwrap_or(text));
    }
}

#[test]
fn whatever_plain_json_says_is_read_and_written_in_place() {
    // U5
    let value = json!({"a": [1, -2.5e3, true, null, "\u{e9}\n\"\\"], "b": {"c": {}, "d": []}});
    for text in [value.to_string(), serde_json::to_string_pretty(&value).expect("text")] {
        let document = read(&text);
        assert_eq!(document.value(document.root()), value);
        let mut expected = value.clone();
        expected["new"] = json!({"e": [{}]});
        let joined = with(&text, &json!({"e": [{}]}));
        assert_eq!(serde_json::from_str::<Value>(&joined).expect("plain JSON"), expected);
        assert_eq!(without(&joined, "new"), text);
    }
}
