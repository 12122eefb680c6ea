use serde_json::json;

use super::*;

fn check(yaml: &str, claimed: Value, expect: &str) {
    let file = format!("---\n{yaml}\n---\nbody\n");
    let got = match compare(file.as_bytes(), claimed.as_object().unwrap()) {
        Ok(()) => "same".to_owned(),
        Err(why) => why,
    };
    assert!(got.contains(expect), "`{expect}` expected, got `{got}` for {yaml:?} and {claimed}");
}

#[test]
fn the_same_frontmatter_is_the_same_in_any_order() {
    // U2
    let yaml =
        "name: pdf\ndescription: >-\n  Reads\n  pdf\nmetadata:\n  b: x\n  a: y\ntags: [p, q]";
    let claimed = json!({
        "tags": ["p", "q"], "metadata": {"a": "y", "b": "x"},
        "description": "Reads pdf", "name": "pdf",
    });
    check(yaml, claimed, "same");
}

#[test]
fn every_lie_is_found_wherever_it_is() {
    // U2
    let yaml = "name: pdf\ndescription: Reads\nallowed-tools: Read\nmetadata:\n  a: {b: [x, y]}";
    let honest = json!({
        "name": "pdf", "description": "Reads", "allowed-tools": "Read",
        "metadata": {"a": {"b": ["x", "y"]}},
    });
    check(yaml, honest.clone(), "same");
    let change = |change: &dyn Fn(&mut Value), expect: &str| {
        let mut claimed = honest.clone();
        change(&mut claimed);
        check(yaml, claimed, expect);
    };
    change(&|c| c["description"] = json!("Writes"), "`description` is not what");
    change(&|c| c["description"] = json!("Reads "), "`description` is not what");
    change(&|c| c["allowed-tools"] = json!(["Read"]), "`allowed-tools` is not what");
    change(&|c| drop(c.as_object_mut().unwrap().remove("allowed-tools")), "does not list");
    change(&|c| c["license"] = json!("MIT"), "the server lists `license`");
    change(&|c| c["metadata"]["a"]["b"] = json!(["x"]), "`metadata.a.b` is not");
    change(&|c| c["metadata"]["a"]["b"][1] = json!("z"), "`metadata.a.b.1` is not");
    change(&|c| c["metadata"]["a"]["c"] = json!(1), "lists `metadata.a.c`");
    change(&|c| c["metadata"]["a"] = json!({}), "has `metadata.a.b`");
    change(&|c| c["metadata"] = json!("x"), "`metadata` is not what");
    change(&|c| c["name"] = json!(null), "`name` is not what");
}

#[test]
fn plain_words_may_be_read_as_either_yaml_reads_them() {
    // U2
    for (scalar, same, other) in [
        (
            "1.0",
            vec![json!("1.0"), json!(1.0), json!(1)],
            vec![json!("1"), json!(1.1), json!(true)],
        ),
        ("1.10", vec![json!("1.10"), json!(1.1)], vec![json!("1.1")]),
        ("007", vec![json!("007")], vec![json!(7), json!("7")]),
        ("0x1f", vec![json!("0x1f"), json!(31)], vec![json!(0)]),
        ("-5", vec![json!(-5), json!("-5")], vec![json!(5)]),
        ("1_000", vec![json!(1000), json!("1_000")], vec![json!("1000")]),
        ("1e3", vec![json!(1000.0), json!("1e3")], vec![json!(13)]),
        ("true", vec![json!(true), json!("true")], vec![json!(false), json!(1)]),
        ("No", vec![json!(false), json!("No")], vec![json!("no"), json!(true)]),
        ("ON", vec![json!(true), json!("ON")], vec![json!(false)]),
        ("tRue", vec![json!("tRue")], vec![json!(true)]),
        ("~", vec![json!(null), json!("~")], vec![json!(""), json!(false)]),
        ("", vec![json!(null), json!("")], vec![json!({}), json!([])]),
        (
            "2024-01-01",
            vec![json!("2024-01-01"), json!("2024-01-01T00:00:00.000Z")],
            vec![json!("2024-01-02T00:00:00.000Z"), json!(2024)],
        ),
        ("'1.0'", vec![json!("1.0")], vec![json!(1.0)]),
        ("\"true\"", vec![json!("true")], vec![json!(true)]),
        ("''", vec![json!("")], vec![json!(null)]),
        (".inf", vec![json!(".inf")], vec![json!(1e308)]),
    ] {
        for claim in same {
            check(&format!("version: {scalar}"), json!({"version": claim}), "same");
        }
        for claim in other {
            check(&format!("version: {scalar}"), json!({"version": claim}), "not what the server");
        }
    }
}

#[test]
fn what_is_no_frontmatter_is_not_compared_leniently() {
    // U2, F4
    for file in ["", "no fences", "---\n{\n---\n", "---\na: b: c\n---\n", "---\n\u{0}\n---\n"] {
        let got = compare(file.as_bytes(), &Map::new()).unwrap_err();
        assert!(got.contains("not YAML as it stands"), "{got}");
    }
    assert!(compare(b"---\n\xff\xfe\n---\n", &Map::new()).is_err());
}
