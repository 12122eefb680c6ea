use std::path::PathBuf;

use metier_store::scripts::{Script, language};

use super::{InterpreterError, Program, choose};

const ALL: &[&str] = &["bash", "bun", "deno", "node", "perl", "python3", "ruby", "uv", "awk", "sh"];
const PEP723: &str = "# /// script\n# dependencies = ['click']\n# ///\n";

fn script(path: &str, executable: bool) -> Script {
    Script { name: path.into(), path: path.into(), language: language(path), executable }
}

/// What runs `path` with this content where `installed` are: name and arguments, or the error.
fn chosen(path: &str, source: &str, installed: &[&str]) -> Result<String, InterpreterError> {
    let find =
        |name: &str| installed.contains(&name).then(|| PathBuf::from(format!("/usr/bin/{name}")));
    let chosen = choose(&script(path, false), source.as_bytes(), &find)?;
    let args: Vec<String> =
        chosen.args.iter().map(|arg| format!(" {}", arg.to_string_lossy())).collect();
    if let Program::At(program) = &chosen.program {
        assert_eq!(program, &PathBuf::from(format!("/usr/bin/{}", chosen.name)));
    }
    Ok(format!("{}{}", chosen.name, args.concat()))
}

#[test]
fn the_table_says_what_runs_which_extension() {
    // R3
    for (path, source, installed, expect) in [
        ("a.py", "", ALL, "python3"),
        ("a.PY", PEP723, ALL, "uv"),
        ("a.sh", "#!/bin/zsh\n", ALL, "bash"),
        ("a.js", "", ALL, "node"),
        ("a.mjs", "", ALL, "node"),
        ("a.ts", "", ALL, "deno run --allow-all --no-prompt --no-config"),
        ("a.ts", "", &["bun", "node"][..], "bun run"),
        ("a.ts", "", &["node"][..], "node --no-warnings --experimental-strip-types"),
        ("a.rb", "", ALL, "ruby"),
        ("a.pl", "", ALL, "perl"),
    ] {
        assert_eq!(chosen(path, source, installed).as_deref(), Ok(expect), "{path}");
    }
}

#[test]
fn the_first_line_decides_where_the_extension_does_not() {
    // R3
    for (line, expect) in [
        ("#!/bin/sh", "sh"),
        ("#! /bin/sh -e", "sh -e"),
        ("#!/usr/bin/env python3", "python3"),
        ("#!/usr/bin/env -S python3 -u -X dev", "python3 -u -X dev"),
        ("#!/usr/bin/env -Sawk -f", "awk -f"),
        ("#!/opt/homebrew/bin/node", "node"),
        ("#!/usr/bin/env -S perl -e 'print 1'", "perl -e print 1"),
    ] {
        assert_eq!(chosen("a", &format!("{line}\nx"), ALL).as_deref(), Ok(expect), "{line}");
    }
    let uv = format!("#!/usr/bin/env -S uv run --script\n{PEP723}");
    assert_eq!(chosen("a", &uv, ALL).as_deref(), Ok("uv"));
}

#[test]
fn a_first_line_that_would_do_more_than_name_a_program_is_refused() {
    // R3
    for line in [
        "#!",
        "#!   ",
        "#!./evil",
        "#!scripts/evil",
        "#!/usr/bin/env",
        "#!/usr/bin/env -S",
        "#!/usr/bin/env LD_PRELOAD=x python3",
        "#!/usr/bin/env -i sh",
        "#!/usr/bin/env -S sh -c $X",
        "#!/bin/sh 'open",
        "#!/bin/\u{1b}[2J",
    ] {
        let error = chosen("a", &format!("{line}\nx"), ALL).unwrap_err();
        assert!(matches!(error, InterpreterError::Unusable { .. }), "{line}: {error}");
    }
    let long = format!("#!/bin/{}\n", "x".repeat(5000));
    assert!(matches!(chosen("a", &long, ALL), Err(InterpreterError::Unusable { .. })));
    let find = |_: &str| None;
    let bytes = choose(&script("a", false), b"#!/bin/\xff\n", &find);
    assert!(matches!(bytes, Err(InterpreterError::Unusable { .. })));
}

#[test]
fn a_missing_interpreter_says_how_to_install_it() {
    // R3
    let check =
        |path: &str, source: &str, wanted: &[&str]| match chosen(path, source, &[]).unwrap_err() {
            InterpreterError::Missing { programs, install, .. } => {
                assert_eq!(programs, wanted);
                assert!(install.contains("install"), "{install}");
            }
            other => panic!("{path}: {other}"),
        };
    check("a.py", "", &["python3"]);
    check("a.py", PEP723, &["uv"]);
    check("a.ts", "", &["deno", "bun", "node"]);
    check("a", "#!/usr/bin/env lua\n", &["lua"]);
}

#[test]
fn without_dependencies_a_script_with_metadata_runs_without_uv() {
    // R3
    let none = "# /// script\n# dependencies = []\n# ///\n";
    assert_eq!(chosen("a.py", none, &["python3"]).as_deref(), Ok("python3"));
    assert!(chosen("a.py", PEP723, &["python3"]).is_err());
    let broken = "# /// script\n# dependencies = 1\n# ///\n";
    assert!(matches!(chosen("a.py", broken, ALL), Err(InterpreterError::Unusable { .. })));
}

#[test]
fn the_execute_bit_is_asked_last_and_without_it_nothing_says_what_it_is() {
    // R2, R3
    let find = |_: &str| None;
    let itself = choose(&script("tool", true), b"\x7fELF", &find).unwrap();
    assert_eq!(itself.program, Program::Itself);
    let error = choose(&script("tool", false), b"\x7fELF", &find).unwrap_err();
    assert_eq!(error, InterpreterError::Unknown("tool".into()));
}
