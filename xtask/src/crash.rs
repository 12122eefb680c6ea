//! `cargo xtask crash`: every system call by which `add`, `update`, `remove` and `sync` change the
//! disk is the last one of its process (strace kills it there) or fails, in turn. After each, what a
//! reader finds is the old state or the new one, and the next command puts everything in order.
//!
//! Needs strace. Prints one line an act and fault; a torn state is an error.

use std::path::{Path, PathBuf};

use crate::process;

/// The calls that change the disk.
const CALLS: &str = "openat,mkdirat,symlinkat,renameat2,renameat,unlinkat,fchmod,write,pwrite64,fsync,fdatasync,ftruncate,syncfs";

/// What happens at a call.
const FAULTS: [&str; 4] = ["signal=SIGKILL", "error=ENOSPC", "error=EIO", "error=EACCES"];

/// An act: how the ground is prepared, what is run, and the versions a reader may find.
struct Act {
    name: &'static str,
    prepare: &'static [&'static [&'static str]],
    run: &'static [&'static str],
}

const ACTS: [Act; 4] = [
    Act { name: "add", prepare: &[], run: &["add", "V1", "--yes"] },
    Act { name: "update", prepare: &[&["add", "V1", "--yes"]], run: &["add", "V2", "--yes"] },
    Act { name: "remove", prepare: &[&["add", "V1", "--yes"]], run: &["remove", "pdf"] },
    Act {
        name: "sync",
        prepare: &[&["add", "V1", "--yes", "--layer", "project"], &["BREAK"]],
        run: &["sync"],
    },
];

/// Runs the table; `--quick` looks at every seventh call.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let stride = if arguments.iter().any(|word| word == "--quick") { 7 } else { 1 };
    process::run("cargo", &["build", "--package", "metier"])?;
    let binary = PathBuf::from("target/debug/metier");
    let binary = std::fs::canonicalize(binary).map_err(|error| error.to_string())?;
    let scratch = scratch()?;
    for act in &ACTS {
        for fault in FAULTS {
            let line = table(act, fault, stride, (&binary, &scratch))?;
            println!("{line}");
        }
    }
    std::fs::remove_dir_all(scratch).map_err(|error| error.to_string())
}

/// A place in memory where there is one: every act flushes.
fn scratch() -> Result<PathBuf, String> {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let scratch = parent.join(format!("metier-crash-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|error| error.to_string())?;
    Ok(scratch)
}

type Tools<'a> = (&'a Path, &'a Path);

fn table(act: &Act, fault: &str, stride: usize, tools: Tools<'_>) -> Result<String, String> {
    let ground = prepare(act, tools)?;
    let trace = ground.join("trace");
    let words = ["-f", "-qq", "-o", text(&trace), "-e", &format!("trace={CALLS}")];
    metier(act.run, &words, &ground, tools)?;
    let calls = changing_calls(&trace)?;
    let (mut old, mut new) = (0, 0);
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for (call, _) in &calls {
        match kinds.iter_mut().find(|(known, _)| known == call) {
            Some((_, count)) => *count += 1,
            None => kinds.push((call.clone(), 1)),
        }
    }
    let mut looked = 0;
    for (call, count) in &kinds {
        for when in (1..=*count).step_by(stride) {
            let ground = prepare(act, tools)?;
            let before = state(&ground)?;
            let inject = format!("inject={call}:{fault}:when={when}");
            let words =
                ["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject];
            let (_, _) = metier(act.run, &words, &ground, tools)?;
            let context = format!("{} {fault} at {call} {when}", act.name);
            whole(&ground).map_err(|torn| format!("{context}: {torn}"))?;
            settle(act, &ground, tools).map_err(|torn| format!("{context}: {torn}"))?;
            match state(&ground)? == before {
                true => old += 1,
                false => new += 1,
            }
            looked += 1;
        }
    }
    Ok(format!("{:<8} {fault:<16} {looked:>4} calls: {old} old, {new} new, 0 torn", act.name))
}

/// A fresh ground on which the act can be done.
fn prepare(act: &Act, tools: Tools<'_>) -> Result<PathBuf, String> {
    let ground = tools.1.join("ground");
    let _ = std::fs::remove_dir_all(&ground);
    for version in ["1", "2"] {
        let skill = ground.join(format!("v{version}/pdf"));
        write(
            &skill.join("SKILL.md"),
            &format!(
                "---\nname: pdf\ndescription: Version {version}. Use it.\n---\nBody {version}.\n"
            ),
        )?;
        write(&skill.join("scripts/run.sh"), &format!("echo {version}\n"))?;
    }
    for folder in ["home", "project"] {
        std::fs::create_dir_all(ground.join(folder)).map_err(|error| error.to_string())?;
    }
    for words in act.prepare {
        if *words == ["BREAK"] {
            std::fs::remove_dir_all(ground.join("project/.agents/skills/pdf"))
                .map_err(|e| e.to_string())?;
            continue;
        }
        let (ok, said) = metier(words, &[], &ground, tools)?;
        if !ok {
            return Err(format!("{}: {words:?} failed: {said}", act.name));
        }
    }
    Ok(ground)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let parent = path.parent().unwrap_or(path);
    std::fs::create_dir_all(parent).map_err(|error| error.to_string())?;
    std::fs::write(path, text).map_err(|error| error.to_string())
}

/// Runs metier on the ground, under strace when there are words for it.
fn metier(
    words: &[&str],
    strace: &[&str],
    ground: &Path,
    (binary, _): Tools<'_>,
) -> Result<(bool, String), String> {
    let mut command = match strace.is_empty() {
        true => std::process::Command::new(binary),
        false => {
            let mut command = std::process::Command::new("strace");
            command.args(strace).arg(binary);
            command
        }
    };
    for word in words {
        match *word {
            "V1" => command.arg(ground.join("v1/pdf")),
            "V2" => command.arg(ground.join("v2/pdf")),
            word => command.arg(word),
        };
    }
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", ground.join("home"));
    command.current_dir(ground.join("project"));
    let output = command.output().map_err(|error| format!("strace is needed: {error}"))?;
    Ok((output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned()))
}

/// The calls that changed something, by name, in order: of the opens only those that create.
fn changing_calls(trace: &Path) -> Result<Vec<(String, String)>, String> {
    let text = std::fs::read_to_string(trace).map_err(|error| error.to_string())?;
    let mut calls = Vec::new();
    for line in text.lines() {
        let Some((name, rest)) =
            line.split_once(' ').map_or(line, |(_, call)| call.trim_start()).split_once('(')
        else {
            continue;
        };
        calls.push((name.to_owned(), rest.to_owned()));
    }
    Ok(calls)
}

/// What a reader finds is one version whole, or none.
fn whole(ground: &Path) -> Result<(), String> {
    for skill in places(ground) {
        if !skill.exists() {
            continue;
        }
        let read = |file: &str| {
            std::fs::read_to_string(skill.join(file)).map_err(|e| format!("{file}: {e}"))
        };
        let (text, script) = (read("SKILL.md")?, read("scripts/run.sh")?);
        let versions = ["1", "2"]
            .map(|v| text.contains(&format!("Body {v}.")) && script == format!("echo {v}\n"));
        if versions == [false, false] {
            return Err(format!("{} is torn", skill.display()));
        }
    }
    Ok(())
}

fn places(ground: &Path) -> [PathBuf; 2] {
    [ground.join("home/.local/share/metier/skills/pdf"), ground.join("project/.agents/skills/pdf")]
}

/// The next command puts everything in order, and the act can be done.
fn settle(act: &Act, ground: &Path, tools: Tools<'_>) -> Result<(), String> {
    let (ok, said) = metier(&["list"], &[], ground, tools)?;
    if !ok {
        return Err(format!("the next command failed: {said}"));
    }
    whole(ground)?;
    let pending = ground.join("home/.local/share/metier/pending.json");
    if pending.exists() {
        return Err("the next command left the note there".to_owned());
    }
    if act.name != "sync" {
        let (ok, said) = metier(&["verify"], &[], ground, tools)?;
        if !ok {
            return Err(format!("what is there is not what is locked: {said}"));
        }
    }
    Ok(())
}

/// The state as records and readers have it.
fn state(ground: &Path) -> Result<String, String> {
    let lock = |path: &str| std::fs::read_to_string(ground.join(path)).unwrap_or_default();
    let mut state = lock("home/.local/share/metier/skills.lock") + &lock("project/skills.lock");
    for skill in places(ground) {
        state += &std::fs::read_to_string(skill.join("SKILL.md")).unwrap_or_default();
    }
    Ok(state)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}
