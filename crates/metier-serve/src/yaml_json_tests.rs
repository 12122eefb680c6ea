use serde_json::{Value, json};

use super::frontmatter;

#[test]
fn frontmatter_has_the_types_other_programs_see() {
    // U2
    let check = |yaml: &str, expect: Value| {
        let file = format!("---\nname: x\ndescription: d\nv: {yaml}\n---\nBody\n");
        let read = frontmatter(file.as_bytes()).unwrap();
        assert_eq!(read["v"], expect, "{yaml}");
    };
    check("1.0", json!(1.0));
    check("'1.0'", json!("1.0"));
    check("1.10.2", json!("1.10.2"));
    check("007", json!(7));
    check("-12", json!(-12));
    check("+12", json!(12));
    check("0x1F", json!(31));
    check("0o17", json!(15));
    check("1e3", json!(1000.0));
    check(".5", json!(0.5));
    check("12e", json!("12e"));
    check(".", json!("."));
    check("yes", json!("yes"));
    check("True", json!(true));
    check("FALSE", json!(false));
    check("~", Value::Null);
    check("", Value::Null);
    check("\"true\"", json!("true"));
    check(".inf", json!(".inf"));
    check("18446744073709551615", json!(u64::MAX));
    check("-9223372036854775808", json!(i64::MIN));
    check("99999999999999999999", json!(1e20));
    check("1e999", json!("1e999"));
    check("-1.5e+999", json!("-1.5e+999"));
    check(&"9".repeat(400), json!("9".repeat(400)));
    check("[1, a, null]", json!([1, "a", null]));
    check("{a: 1, b: {c: 'x'}}", json!({"a": 1, "b": {"c": "x"}}));
    check("2024-01-01", json!("2024-01-01"));
    check("|\n  1\n", json!("1\n"));
}

#[test]
fn what_is_no_yaml_as_it_stands_has_no_json() {
    // U2
    assert_eq!(frontmatter(b"no fences"), None);
    assert_eq!(frontmatter(b"---\nname: x\ndescription: Use for: this\n---\n"), None);
    assert_eq!(frontmatter(b"\xff\xfe---"), None);
}
