use super::{check, taken_for};
use crate::diagnostic::Code;
use crate::lint::Source;
use crate::manifest::Text;
use crate::parse::parse;
use crate::span::{Span, Spanned};

#[test]
fn plain_scalars_are_taken_for_what_they_look_like() {
    // F5: CoercedScalar
    for (kind, scalars) in [
        ("nothing at all", "~ null Null NULL"),
        ("a boolean", "yes No TRUE false on OFF y N True"),
        ("a number", "1 -1 +1 0 1.10 1. .5 1_000 0x1F 0o17 017 0b101 1e3 1.5e-3 -.inf .NaN"),
        ("a number, in base 60", "12:30 12:30:45 -1:59.5 190:20:30"),
        ("a date", "2024-01-01 2024-01-01T10:00:00Z"),
    ] {
        for scalar in scalars.split(' ') {
            assert_eq!(taken_for(scalar), Some(kind), "{scalar}");
        }
    }
    assert_eq!(taken_for("2024-1-1 10:00:00"), Some("a date"));
}

#[test]
fn text_is_taken_for_text() {
    // F5: CoercedScalar
    for scalar in [
        "",
        "1.2.3",
        "v1",
        "yEs",
        "yES",
        "nope",
        "1.0.0-rc1",
        "MIT",
        "0x",
        "0xZZ",
        "_1",
        "1e",
        "e3",
        "-",
        "+",
        ".",
        "..",
        "12:60",
        "12:",
        ":12",
        "a:12",
        "12:3:456",
        "2024-1-1",
        "24-01-01",
        "2024-01-01x",
        "2024-01",
        "2024-01-01 soon",
        "\"1.10\"",
        "'yes'",
        "|",
        ">-",
        "1 000",
        "١",
        "+.nan",
    ] {
        assert_eq!(taken_for(scalar), None, "{scalar}");
    }
}

#[test]
fn values_that_change_type_elsewhere_are_quoted_by_the_repair() {
    // F5: CoercedScalar
    let text = "---\nname: 123\ndescription: Sorts ledgers by date.\nversion: 1.10\nmetadata:\n  released: 2024-01-01\n  quoted: \"yes\"\n---\nBody.\n";
    let parsed = parse(text.as_bytes(), None);
    let mut manifest = parsed.manifest.clone().expect("loads");
    let value = |written: &str| -> Text {
        let at = text.find(written).expect("written");
        Spanned::new(written.to_owned(), Span::new(at, at + written.len()))
    };
    // A version may be read from either place; it is one finding.
    manifest.origin.version = Some(value("1.10"));
    manifest.metadata = vec![
        (value("version"), value("1.10")),
        (value("released"), value("2024-01-01")),
        (value("quoted"), value("\"yes\"")),
    ];
    let found = check(Source { text, parsed: &parsed }, &manifest).kept;
    let told: Vec<&str> = found.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        told,
        [
            "Some YAML readers take `123` for a number",
            "Some YAML readers take `1.10` for a number",
            "Some YAML readers take `2024-01-01` for a date",
        ]
    );
    assert!(found.iter().all(|d| d.code == Code::CoercedScalar));
    assert_eq!(found[1].fix[0].text, "\"1.10\"");
    assert_eq!(found[1].fix[0].span.slice(text), "1.10");
    assert_eq!(found[1].help.as_deref(), Some("write `\"1.10\"`"));
}
