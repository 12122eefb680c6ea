use serde_json::{Value, json};

use super::{ArgumentError, Arguments, Kind, Parameter};

const PARAMETERS: &[Parameter] = &[
    Parameter::required("name", Kind::Text, "Which"),
    Parameter::optional("style", Kind::Word(&["a", "b"]), ""),
    Parameter::optional("limit", Kind::Number(9), ""),
    Parameter::optional("all", Kind::Flag, ""),
    Parameter::optional("more", Kind::Object, ""),
    Parameter::optional("args", Kind::Texts, ""),
];

#[test]
fn arguments_that_fit_are_read_by_kind() {
    // U7
    let given = json!({
        "name": "x", "style": "b", "limit": 9, "all": true, "more": {"k": 1}, "args": ["a", "b"],
    });
    let read = Arguments::check(PARAMETERS, given).unwrap();
    assert_eq!((read.text("name"), read.text("style")), (Some("x"), Some("b")));
    assert_eq!((read.number("limit"), read.flag("all")), (Some(9), true));
    assert_eq!(read.object("more"), json!({"k": 1}));
    assert_eq!(read.texts("args"), ["a", "b"]);
    let least = Arguments::check(PARAMETERS, json!({"name": "x", "limit": null})).unwrap();
    assert_eq!((least.number("limit"), least.flag("all")), (None, false));
    assert_eq!((least.object("more"), least.texts("args").len()), (json!({}), 0));
    assert!(Arguments::check(&[], Value::Null).is_ok());
    // To JSON Schema this is a whole number, too.
    let whole = Arguments::check(PARAMETERS, json!({"name": "x", "limit": 3.0})).unwrap();
    assert_eq!(whole.number("limit"), Some(3));
    for other in [json!(3.5), json!(-0.5), json!(1e300), json!("3"), json!(18.0)] {
        assert!(Arguments::check(PARAMETERS, json!({"name": "x", "limit": other})).is_err());
    }
}

#[test]
fn arguments_that_do_not_fit_say_which_and_why() {
    // U7, F4
    let check = |given: Value, expect: &str| {
        let error = Arguments::check(PARAMETERS, given).unwrap_err();
        assert_eq!(error.to_string(), expect);
    };
    check(json!([]), "the arguments have to be a JSON object");
    check(json!({}), "`name` is missing");
    check(json!({"name": null}), "`name` is missing");
    check(json!({"name": 7}), "`name` has to be text");
    check(json!({"name": "x", "style": "c"}), "`style` has to be one of a, b");
    check(json!({"name": "x", "limit": 10}), "`limit` has to be a whole number from 0 to 9");
    check(json!({"name": "x", "limit": -1}), "`limit` has to be a whole number from 0 to 9");
    check(json!({"name": "x", "all": "yes"}), "`all` has to be true or false");
    check(json!({"name": "x", "more": []}), "`more` has to be a JSON object");
    check(json!({"name": "x", "args": ["a", 1]}), "`args` has to be a list of texts");
    let unknown = Arguments::check(PARAMETERS, json!({"nam": "x"})).unwrap_err();
    assert!(matches!(&unknown, ArgumentError::Unknown { name, .. } if name == "nam"), "{unknown}");
    let none = Arguments::check(&[], json!({"x": 1})).unwrap_err();
    assert_eq!(none.to_string(), "there is no parameter `x`; there is none");
    let long = Arguments::check(&[], json!({ "y".repeat(9999): 1 })).unwrap_err();
    assert!(long.to_string().len() < 200, "a made up name is not repeated at length");
    for error in [
        ArgumentError::NotAnObject,
        ArgumentError::Missing("x"),
        ArgumentError::WrongKind { name: "x", expected: "text".to_owned() },
    ] {
        assert!(!error.to_string().ends_with('.'));
    }
}

#[test]
fn each_kind_has_its_schema() {
    // U7
    let check = |kind: Kind, expect: Value| {
        assert_eq!(Parameter::optional("x", kind, "").schema(), expect);
    };
    check(Kind::Text, json!({"type": "string"}));
    check(Kind::Word(&["a"]), json!({"type": "string", "enum": ["a"]}));
    check(Kind::Number(3), json!({"type": "integer", "minimum": 0, "maximum": 3}));
    check(Kind::Flag, json!({"type": "boolean"}));
    check(Kind::Object, json!({"type": "object"}));
    check(Kind::Texts, json!({"type": "array", "items": {"type": "string"}}));
}
