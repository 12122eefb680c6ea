use std::time::Duration;

use metier_sandbox::{Captured, Enforced, Limit, Missing, RunError, Status, Wall};
use metier_store::scripts::ScriptNameError;
use metier_store::store::{LoadError, ReadError};
use serde_json::{Value, json};

use super::{Envelope, judge, plain};
use crate::JournalError;
use crate::script::interpreter::InterpreterError;
use crate::script::{Listed, Mode, ScriptError, ScriptHelp, ScriptOutcome, SkillScripts};
use crate::session::ActivationError;

const JSON: Mode = Mode::Json { flag: true };

fn captured(bytes: &[u8]) -> Captured {
    Captured { bytes: bytes.to_vec(), total: bytes.len() as u64 }
}

fn outcome(mode: Mode, status: Status, stdout: &[u8], stderr: &[u8]) -> ScriptOutcome {
    let (stdout, stderr) = (captured(stdout), captured(stderr));
    let allowed = Duration::from_secs(60);
    let (json, failure) = judge(mode, status, (&stdout, &stderr), allowed);
    let none = || "none".to_owned();
    ScriptOutcome {
        skill: "kalshi-markets".into(),
        name: "status".into(),
        script: "scripts/status.py".into(),
        status,
        stdout,
        stderr,
        duration: Duration::ZERO,
        cpu: Duration::ZERO,
        max_rss: 0,
        allowed,
        enforced: Enforced {
            backend: none(),
            filesystem: none(),
            network: none(),
            syscalls: none(),
            processes: none(),
            memory: none(),
            disk: none(),
            tree: none(),
        },
        denials: Vec::new(),
        json,
        failure,
        notes: Vec::new(),
    }
}

fn envelope(mode: Mode, status: Status, stdout: &[u8], stderr: &[u8]) -> Value {
    serde_json::to_value(Envelope::of_outcome(&outcome(mode, status, stdout, stderr))).unwrap()
}

#[test]
fn success_has_agent_bases_shape_and_nothing_else() {
    // R3
    assert_eq!(
        envelope(JSON, Status::Exit(0), b"{\"open\": true}\n", b"debug\n"),
        json!({ "success": true, "result": { "open": true }, "message": "Executed status script" })
    );
    assert_eq!(
        envelope(Mode::Text, Status::Exit(0), b"open\n", b""),
        json!({ "success": true, "result": "open\n", "message": "Executed status script" })
    );
}

#[test]
fn a_script_that_exits_1_with_valid_json_loses_nothing() {
    // R3
    assert_eq!(
        envelope(JSON, Status::Exit(1), b"{\"error\": \"inactive\"}\n", b"warn\n"),
        json!({
            "success": false,
            "error": "execution_failed",
            "message": "Script failed with exit code 1\nstderr: warn",
            "exit_code": 1,
            "stdout": { "error": "inactive" },
            "stderr": "warn",
        })
    );
    let text = envelope(JSON, Status::Exit(3), b"half", b"");
    assert_eq!(text["stdout"], "half");
    assert_eq!(text["message"], "Script failed with exit code 3");
}

#[test]
fn output_that_is_not_json_is_a_parse_error_with_its_head() {
    // R3
    let long = "x".repeat(300);
    let answer = envelope(JSON, Status::Exit(0), long.as_bytes(), b"why\n");
    assert_eq!(answer["error"], "parse_error");
    let expect = format!("Expected JSON output, got: {}\nstderr: why", "x".repeat(200));
    assert_eq!(answer["message"], expect);
    assert_eq!(answer["stdout"], long);
}

#[test]
fn bytes_that_are_no_text_are_reported_and_no_error_by_themselves() {
    // R3
    let answer = envelope(Mode::Text, Status::Exit(0), b"caf\xe9\n", b"\xff");
    assert_eq!(answer["success"], true);
    assert_eq!(answer["result"], "caf\u{fffd}\n");
    assert_eq!(envelope(JSON, Status::Exit(0), b"\xff", b"")["error"], "parse_error");
}

#[test]
fn every_other_end_has_its_code_and_keeps_what_was_printed() {
    // R3, R4
    for (status, code, message) in [
        (Status::TimedOut, "timeout", "Script timed out after 60s\nstderr: slow"),
        (Status::Cancelled, "cancelled", "Script was cancelled"),
        (Status::Signal(9), "execution_failed", "Script was ended by signal 9\nstderr: slow"),
        (
            Status::OutOfLimit(Limit::Memory),
            "execution_failed",
            "Script was stopped at the limit on memory\nstderr: slow",
        ),
    ] {
        let answer = envelope(JSON, status, b"[1]", b"slow\n");
        assert_eq!((&answer["error"], &answer["message"]), (&json!(code), &json!(message)));
        assert_eq!(answer["stdout"], json!([1]));
        assert_eq!(answer["exit_code"], Value::Null);
    }
}

#[test]
fn a_complaint_is_quoted_from_its_end() {
    // R3
    let stderr = format!("{}END", "é".repeat(1000));
    let answer = envelope(JSON, Status::Exit(2), b"", stderr.as_bytes());
    let tail = answer["stderr"].as_str().unwrap();
    assert_eq!(tail.chars().count(), 500);
    assert!(tail.ends_with("éEND"));
}

#[test]
fn output_beyond_the_limit_is_cut_and_said() {
    // R3, R4
    let mut flood = outcome(Mode::Text, Status::Exit(0), b"abc", b"");
    flood.stdout.total = 1 << 40;
    let answer = serde_json::to_value(Envelope::of_outcome(&flood)).unwrap();
    assert_eq!(answer["truncated"], json!({ "kept": 3, "total": 1_u64 << 40 }));
    assert!(plain(&flood).contains("[output cut after 3 of 1099511627776 bytes]"));
    let cut = Captured { bytes: b"[1".to_vec(), total: 9 };
    let (_, failure) =
        judge(JSON, Status::Exit(0), (&cut, &Captured::default()), Duration::from_secs(1));
    assert_eq!(failure.unwrap().0, "parse_error");
}

#[test]
fn chibis_text_has_output_complaints_and_exit_code() {
    // R3
    let text =
        |status, stdout: &[u8], stderr: &[u8]| plain(&outcome(Mode::Text, status, stdout, stderr));
    assert_eq!(text(Status::Exit(0), b"hi\n", b""), "hi");
    assert_eq!(text(Status::Exit(0), b"", b""), "(no output)");
    assert_eq!(text(Status::Exit(2), b"hi\n", b"bad\n"), "hi\n[stderr]\nbad\n[exit code: 2]");
    assert_eq!(text(Status::TimedOut, b"", b""), "[stopped after the time limit]");
}

/// An error, its code, a part of its message, and whether it is a refusal.
type Expected = (ScriptError, &'static str, &'static str, bool);

fn check_errors(expected: impl IntoIterator<Item = Expected>) {
    for (error, code, part, refusal) in expected {
        assert_eq!(error.is_refusal(), refusal, "{error}");
        let answer = Envelope::of_error(&error);
        assert_eq!((answer.success, answer.error), (false, Some(code)));
        assert!(answer.message.contains(part), "{part}: {}", answer.message);
    }
}

fn s(text: &str) -> String {
    text.to_owned()
}

#[test]
fn names_and_arguments_that_mean_nothing_have_agent_bases_codes_and_words() {
    // R3
    let name = |source| ScriptError::Name { skill: s("k"), source };
    let not_found = ActivationError::NotFound { name: s("nope"), suggestion: None };
    let no_script = ScriptNameError::NotFound { name: s("s"), suggestion: None };
    let several = ScriptNameError::Ambiguous { name: s("r"), candidates: vec![s("a"), s("b")] };
    let refused = ScriptNameError::Refused { path: s("evil"), reason: "it leaves" };
    let hidden = ActivationError::Hidden { name: s("x"), reason: s("off") };
    let source = LoadError::NotFound("x".into());
    let invalid = ActivationError::Invalid { name: s("x"), source };
    check_errors([
        (ScriptError::InvalidSkill(s("../x")), "invalid_name", "../x", false),
        (ScriptError::Skill(not_found), "not_found", "Skill 'nope' not found", false),
        (ScriptError::Skill(hidden), "permission_denied", "not offered", true),
        (ScriptError::Skill(invalid), "execution_failed", "cannot be loaded", false),
        (name(no_script), "not_found", "Script 's' not found in skill 'k'", false),
        (name(ScriptNameError::Invalid(s(".."))), "invalid_name", "..", false),
        (name(several), "invalid_name", "`a`, `b`", false),
        (name(refused), "permission_denied", "it leaves", true),
        (
            ScriptError::TooManyArgs(101),
            "args_too_large",
            "Too many arguments: 101 (max 100)",
            false,
        ),
        (
            ScriptError::ArgsTooLarge(4097),
            "args_too_large",
            "Arguments too large: 4097 bytes (max 4096)",
            false,
        ),
    ]);
}

#[test]
fn every_reason_not_to_run_has_a_code_and_says_what_it_is_about() {
    // R3, R6
    let io = || std::io::Error::other("no");
    let missing = vec![Missing { wall: Wall::Network, reason: s("no") }];
    let not_installed = InterpreterError::Missing {
        script: s("a.ts"),
        programs: vec![s("deno")],
        install: s("install deno"),
    };
    let (skill, script, reason) = (s("x"), s("y"), s("so"));
    let start = RunError::Start { program: "/bin/x".into(), source: io() };
    let denied = ScriptError::Denied {
        skill: skill.clone(),
        script: script.clone(),
        reason: reason.clone(),
    };
    let asked = ScriptError::Unconfirmed { skill: skill.clone(), script: script.clone(), reason };
    let walls = ScriptError::Walls { skill, script: script.clone(), missing };
    let dependencies =
        ScriptError::Dependencies { script: script.clone(), detail: s("offline"), hint: None };
    let ground = ScriptError::Ground { path: "/p".into(), source: io() };
    let journal = ScriptError::Journal(JournalError::TooLarge(1));
    check_errors([
        (ScriptError::NotActive(s("x")), "permission_denied", "not active", true),
        (denied, "permission_denied", "so", true),
        (asked, "permission_denied", "asks before", true),
        (walls, "permission_denied", "cannot enforce network: no", true),
        (
            ScriptError::Interpreter(not_installed),
            "interpreter_missing",
            "hint: install deno",
            false,
        ),
        (ScriptError::Read(ReadError::NotFound(s("a"))), "execution_failed", "`a`", false),
        (dependencies, "dependencies_missing", "offline", false),
        (ground, "execution_failed", "cannot prepare `/p`: no", false),
        (ScriptError::NoHome(s("x")), "execution_failed", "`x`", false),
        (
            ScriptError::Run { script, source: start },
            "execution_failed",
            "cannot start `/bin/x`: no",
            false,
        ),
        (ScriptError::Cancelled, "cancelled", "cancelled", false),
        (journal, "journal_refused", "recorded", false),
    ]);
}

#[test]
fn lists_and_help_have_agent_bases_words() {
    // R3
    let listed = |name: &str| Listed { name: name.into(), path: format!("/s/{name}.py") };
    let list = |skill: &str, names: &[&str]| SkillScripts {
        skill: skill.into(),
        scripts: names.iter().map(|name| listed(name)).collect(),
        refused: Vec::new(),
    };
    let lists = [list("a", &["x", "y"]), list("b", &["z"]), list("c", &[])];
    let all = serde_json::to_value(Envelope::of_list(&lists, None)).unwrap();
    assert_eq!(all["message"], "Found 3 scripts across 2 skills");
    assert_eq!(all["result"]["b"], json!([{ "name": "z", "path": "/s/z.py" }]));
    let one = Envelope::of_list(&lists[..1], Some("A"));
    assert_eq!(one.message, "Found 2 scripts in 'a'");
    let help = |text: &str, failure| Ok(ScriptHelp { text: text.into(), kept: false, failure });
    let good = Envelope::of_help("status", &help("Usage: status [X]\n\nOptions:\n", None));
    assert_eq!(good.message, "Retrieved help for status");
    let expect =
        json!({ "help_text": "Usage: status [X]\n\nOptions:\n", "usage": "Usage: status [X]" });
    assert_eq!(good.result, Some(expect));
    let bad = Envelope::of_help("status", &help("", Some(("timeout", "late".into()))));
    assert_eq!(bad.error, Some("timeout"));
    let none = Envelope::of_help("status", &Err(ScriptError::Cancelled));
    assert_eq!(none.error, Some("cancelled"));
}
