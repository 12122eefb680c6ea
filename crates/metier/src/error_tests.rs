use super::{CommandError, Kind, Status};

#[derive(Debug, thiserror::Error)]
#[error("cannot read `x`")]
struct Outer(#[source] std::io::Error);

#[test]
fn a_failure_reads_as_one_error_line_and_its_hints() {
    // U1
    let cause = std::io::Error::other("no such thing");
    let error = CommandError::failed(Outer(cause)).hint("try `metier list`").hint("or not");
    assert_eq!(
        error.to_text(),
        "error: cannot read `x`: no such thing\nhint: try `metier list`\nhint: or not\n"
    );
}

#[test]
fn exit_codes_are_the_contract() {
    // U1
    let check = |kind: Kind, code: u8, word: &str| {
        assert_eq!((kind.exit_code(), kind.as_str()), (code, word));
    };
    check(Kind::Failed, 1, "failed");
    check(Kind::Usage, 2, "usage");
    check(Kind::Refused, 3, "refused");
    check(Kind::Bug, 70, "bug");
    check(Kind::BrokenPipe, 0, "broken-pipe");
    check(Kind::Interrupted, 130, "interrupted");
    assert_eq!(Status::Ok.exit_code(), 0);
    assert_eq!(Status::Partly.exit_code(), 1);
    assert_eq!(Status::Refused.exit_code(), 3);
    assert_eq!(Status::LintErrors.exit_code(), 4);
}

#[test]
fn a_message_cannot_carry_terminal_escapes_or_further_lines() {
    // U1, D5
    let error = CommandError::failed("a\u{1b}[31m\nb\u{202e}").hint("c\u{7}");
    assert_eq!(error.to_text(), "error: a\\u{1b}[31m b\\u{202e}\nhint: c\\u{7}\n");
}

#[test]
fn json_holds_kind_message_and_hints() {
    // U1
    let error = CommandError::usage("bad flag").hint("use another");
    assert_eq!(
        error.to_json().to_string(),
        r#"{"error":{"kind":"usage","message":"bad flag","hints":["use another"]}}"#
    );
}

#[test]
fn a_closed_pipe_is_no_fault_and_a_full_disk_is() {
    // U1
    let pipe = CommandError::output(std::io::Error::from(std::io::ErrorKind::BrokenPipe));
    assert_eq!(pipe.kind, Kind::BrokenPipe);
    let full = CommandError::output(std::io::Error::from(std::io::ErrorKind::StorageFull));
    assert_eq!(full.kind, Kind::Failed);
    assert!(full.message().starts_with("cannot write to standard output: "), "{}", full.message());
}
