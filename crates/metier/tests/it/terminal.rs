use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};

use metier_testing::{Layout, World, generate_skills};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::{METIER, hermetic, sample, workshop};

/// What metier writes to a terminal of `columns` columns.
fn on_terminal(world: &World, columns: u16, args: &[&str], env: &[(&str, &str)]) -> String {
    let (code, text) = ended_on_terminal(world, columns, args, env);
    assert_eq!(code, 0);
    text
}

/// The exit code, and what metier writes to a terminal of `columns` columns.
fn ended_on_terminal(
    world: &World,
    columns: u16,
    args: &[&str],
    env: &[(&str, &str)],
) -> (i32, String) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&master, size).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let terminal = File::options().read(true).write(true).open(name).unwrap();
    let mut command = world.command(METIER);
    command.args(args).envs(env.iter().copied()).stdout(terminal).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    // The command holds the other side of the terminal; without it, the end is never seen.
    drop(command);
    let mut output = Vec::new();
    // Linux says EIO when the other side is closed, after everything was read.
    let _ = File::from(master).read_to_end(&mut output);
    let code = child.wait().unwrap().code().unwrap();
    (code, String::from_utf8(output).unwrap().replace("\r\n", "\n"))
}

fn list(world: &World) -> Vec<String> {
    let root = world.path().join("roots/personal");
    let root = format!("--root=personal={}", root.display());
    vec!["list".to_owned(), "--no-default-roots".to_owned(), root]
}

fn listed(world: &World, columns: u16, env: &[(&str, &str)]) -> String {
    let args = list(world);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    on_terminal(world, columns, &args, env)
}

#[test]
fn descriptions_are_cut_to_the_terminal_and_only_there() {
    // U1
    let world = sample();
    let narrow = listed(&world, 40, &[("NO_COLOR", "1")]);
    assert_eq!(
        narrow,
        "pdf     personal  Fills in PDF forms. U…\nsheets  personal  Sums spreadsheets. Us…\n"
    );
    let wide = listed(&world, 200, &[("NO_COLOR", "1")]);
    assert!(wide.contains("Use when somebody sends a form.\n"), "{wide}");
}

#[test]
fn a_terminal_without_columns_gets_everything() {
    // U1
    let world = sample();
    for (columns, env) in [(0, &[][..]), (40, &[("COLUMNS", "0")][..])] {
        let text = listed(&world, columns, env);
        assert!(text.contains("Use when somebody sends a form."), "{text}");
    }
    let asked = listed(&world, 200, &[("COLUMNS", "40"), ("NO_COLOR", "1")]);
    assert!(asked.contains("Fills in PDF forms. U…\n"), "{asked}");
}

#[test]
fn colour_is_for_terminals_and_no_color_is_respected() {
    // U1
    let world = sample();
    let escape = '\u{1b}';
    assert!(listed(&world, 80, &[]).contains(escape));
    assert!(!listed(&world, 80, &[("NO_COLOR", "1")]).contains(escape));
    assert!(!listed(&world, 80, &[("TERM", "dumb")]).contains(escape));
    let args = list(&world);
    let piped = |more: &[&str]| {
        let mut all: Vec<&str> = args.iter().map(String::as_str).collect();
        all.extend(more);
        world.run(METIER, &all).stdout
    };
    assert!(!piped(&[]).contains(escape));
    assert!(piped(&["--color", "always"]).contains(escape));
    let never: Vec<&str> = args.iter().map(String::as_str).chain(["--color", "never"]).collect();
    assert!(!on_terminal(&world, 80, &never, &[]).contains(escape));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    // U1
    let world = World::new();
    generate_skills(&world.path().join("roots/personal"), 600, Layout::Flat);
    let args = list(&world).join(" ");
    let script = format!("{METIER} {args} | head -1; echo ${{PIPESTATUS[0]}}");
    let mut bash = Command::new("bash");
    bash.args(["-c", &script]).current_dir(world.project());
    let output = bash.env_clear().env("PATH", "/usr/bin:/bin").output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(stdout.lines().last(), Some("0"), "{stdout}");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn closed_standard_streams_end_without_a_panic() {
    // U1
    let world = sample();
    let args = list(&world).join(" ");
    for closed in [">&-", "2>&-", ">&- 2>&-", "> /dev/full"] {
        let script = format!("{METIER} {args} {closed}; echo $? >&3");
        let mut bash = Command::new("bash");
        bash.args(["-c", &format!("exec 3>&1; {{ {script}; }}")]);
        let output = bash.env_clear().env("PATH", "/usr/bin:/bin").output().unwrap();
        let code = String::from_utf8(output.stdout).unwrap();
        let code = code.lines().last().unwrap_or_default().to_owned();
        assert!(code == "0" || code == "1", "{closed} ended with {code}");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!stderr.contains("bug in metier"), "{closed}: {stderr}");
    }
}

#[test]
fn ctrl_c_ends_the_command_at_once_and_without_a_trace() {
    // U1
    let world = World::new();
    // Reading arguments from a pipe nobody writes to waits, so the signal finds metier at work.
    let mut command = world.command(METIER);
    command.args(["guard", "Read", "-"]).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _held_open = child.stdin.take();
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    wait_until_it_sleeps(child.id());
    kill_process(pid, Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.signal().map(|signal| 128 + signal), Some(130));
    assert_eq!((output.stdout.len(), output.stderr.len()), (0, 0));
}

/// Waits until the process does nothing but wait.
fn wait_until_it_sleeps(pid: u32) {
    loop {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let exe = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        if exe.ends_with("metier") && stat.contains(") S ") {
            return;
        }
        std::thread::yield_now();
    }
}

#[test]
fn long_text_wraps_at_the_terminal_and_stays_whole_elsewhere() {
    // U1
    let world = sample();
    let root = format!("--root=personal={}", world.path().join("roots/personal").display());
    let args = ["show", "pdf", "--no-default-roots", &root];
    let narrow = on_terminal(&world, 30, &args, &[("NO_COLOR", "1")]);
    assert!(
        narrow.contains("  Fills in PDF forms. Use when\n  somebody sends a form.\n"),
        "{narrow}"
    );
    let piped = world.run(METIER, &args).stdout;
    assert!(piped.contains("  Fills in PDF forms. Use when somebody sends a form.\n"), "{piped}");
}

#[test]
fn the_tour_and_the_overview_fit_any_terminal() {
    // U1
    let world = World::new();
    for columns in [0, 1, 20, 80, 500] {
        let tour = on_terminal(&world, columns, &["tour"], &[]);
        assert!(tour.contains("nothing was left behind."), "{columns}: {tour}");
        let overview = on_terminal(&world, columns, &[], &[]);
        assert!(overview.contains("metier list"), "{columns}: {overview}");
    }
}

#[test]
fn findings_are_coloured_on_a_terminal_only() {
    // F3, U1
    let world = World::new();
    world.skill("project", "pdf", "Sorts ledgers by date and account. Use when one is unsorted.");
    world.write(
        "project/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Sorts ledgers by date. Use when asked.\n---\n\n[x](gone.md)\n",
    );
    assert!(on_terminal(&world, 80, &["lint"], &[]).contains("\u{1b}["));
    assert!(!on_terminal(&world, 80, &["lint"], &[("NO_COLOR", "1")]).contains('\u{1b}'));
    assert!(!world.run(METIER, &["lint"]).stdout.contains('\u{1b}'));
    assert!(world.run(METIER, &["lint", "--color", "always"]).stdout.contains("\u{1b}["));
}

#[test]
fn a_file_that_is_no_text_stays_off_the_terminal_and_text_cannot_move_it() {
    // R1, D5, U1
    let world = workshop();
    world.write("roots/personal/files/evil.md", "red \u{1b}[31m\u{9b}2J\u{202e}.\n");
    let root = format!("--root=personal={}", world.path().join("roots/personal").display());
    let read = |path: &str| {
        let args = ["read", "files", path, "--no-default-roots", &root];
        ended_on_terminal(&world, 80, &args, &[])
    };
    assert_eq!(read("references/a.md"), (0, "# A\n".to_owned()));
    assert_eq!(read("logo.bin"), (1, String::new()));
    let (code, text) = read("evil.md");
    assert_eq!((code, text.as_str()), (0, "red \\u{1b}[31m\\u{9b}2J\\u{202e}.\n"));
}

/// The command at a terminal of its own, and the other end of that.
fn at_a_terminal(world: &World, args: &[&str]) -> (Child, File) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let terminal = File::options().read(true).write(true).open(name).unwrap();
    let mut command = world.command(METIER);
    command.args(args).stdin(terminal.try_clone().unwrap());
    command.stdout(terminal.try_clone().unwrap()).stderr(terminal);
    (command.spawn().unwrap(), File::from(master))
}

/// The exit code and the whole talk, when somebody at a terminal types `answer`.
fn talked(world: &World, args: &[&str], answer: &str) -> (i32, String) {
    let (mut child, mut master) = at_a_terminal(world, args);
    master.write_all(answer.as_bytes()).unwrap();
    let mut talk = Vec::new();
    let _ = master.read_to_end(&mut talk);
    (child.wait().unwrap().code().unwrap(), String::from_utf8(talk).unwrap())
}

/// The exit code and the talk, when somebody presses Ctrl-C at the question that ends with `asked`
/// and types `y` all the same.
fn interrupted(world: &World, args: &[&str], asked: &str) -> (i32, String) {
    let (mut child, mut master) = at_a_terminal(world, args);
    let mut talk = Vec::new();
    while !talk.ends_with(asked.as_bytes()) {
        let mut byte = [0];
        let read = master.read(&mut byte).unwrap_or(0);
        assert_eq!(read, 1, "it ended before {asked}: {}", String::from_utf8_lossy(&talk));
        talk.extend(byte);
    }
    wait_until_it_sleeps(child.id());
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), Signal::INT).unwrap();
    // Whoever is still there to read it would take it for a yes.
    let is_gone = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        stat.contains(") Z ")
    };
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !is_gone() && std::time::Instant::now() < patience {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let _ = master.write_all(b"y\n");
    let _ = master.read_to_end(&mut talk);
    (child.wait().unwrap().code().unwrap(), String::from_utf8(talk).unwrap())
}

#[test]
fn ctrl_c_at_a_question_ends_at_once_and_changes_nothing() {
    // P2, P4, U1
    let world = World::new();
    world.skill("project", "pdf", "Reads PDF files. Use when somebody sends one.");
    world.skill("project/several", "one", "Reads PDF files. Use when somebody sends one.");
    world.skill("project/several", "two", "Reads PDF files. Use when somebody sends one.");
    world.skill("roots/personal", "own", "Reads PDF files. Use when somebody sends one.");
    let root = format!("--root=personal={}", world.path().join("roots/personal").display());
    let asked: [(&[&str], &str); 4] = [
        (&["add", "./pdf"], "[y/N] "),
        (&["add", "./several"], "empty for none: "),
        (&["trust", "own", &root], "[y/N] "),
        (&["trust", "."], "[y/N] "),
    ];
    for (args, question) in asked {
        let (code, talk) = interrupted(&world, args, question);
        assert_eq!(code, 130, "{args:?}: {talk}");
        assert!(talk.contains("error: interrupted"), "{args:?}: {talk}");
    }
    let home = world.home().join(".local/share/metier");
    for file in ["skills.lock", "approvals.jsonl", "folders.json"] {
        assert!(!home.join(file).exists(), "{file}");
    }
}

#[test]
fn a_changed_signer_is_asked_about_on_a_terminal_and_refused_elsewhere() {
    // P4, D4
    let skill =
        |body: &str| format!("---\nname: pdf\ndescription: Reads PDF files.\n---\n{body}\n");
    let world = World::new();
    world.write("project/pdf/SKILL.md", skill("One."));
    let add = ["add", "./pdf", "--yes"];
    assert_eq!(hermetic(&world, &add).code, 0);
    let lock = world.home().join(".local/share/metier/skills.lock");
    let signed = std::fs::read_to_string(&lock).unwrap();
    let signed = signed.replace("tree =", "signature = \"good\"\nsigner = \"ada\"\ntree =");
    std::fs::write(&lock, &signed).unwrap();
    world.write("project/pdf/SKILL.md", skill("Two."));
    let refused = hermetic(&world, &add);
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    assert!(refused.stderr.contains("hint: `--allow-signer-change`"), "{}", refused.stderr);
    let question = "`pdf` is not signed by whoever signed it before. Let it pass? [y/N]";
    for (answer, code) in [("n\n", 3), ("y\n", 0)] {
        let (ended, talk) = talked(&world, &add, answer);
        assert!(ended == code && talk.contains(question), "{ended}: {talk}");
        assert_eq!(std::fs::read_to_string(&lock).unwrap() == signed, code == 3);
    }
}
