//! What a caller gets from a run: status, streams, input, directory, environment, refusals.

use std::io::{Read, Seek, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use metier_sandbox::{
    BackendKind, Cancel, Confinement, Invocation, Level, Limits, Network, Outcome, RunError,
    Status, Stdin, Stdout, Support, Wall,
};

use crate::world::{Probe, WALLS, World, exercised, helper, runner};

fn sh(script: &str) -> Invocation {
    Invocation::new("/bin/sh").arg("-c").arg(script)
}

fn run(backend: BackendKind, invocation: &Invocation, confinement: &Confinement) -> Outcome {
    let runner = runner().with_backend(backend);
    runner.run(invocation, confinement, &Cancel::never()).unwrap()
}

fn everywhere(invocation: &Invocation, see: impl Fn(BackendKind, Outcome)) {
    let world = World::new(None);
    for backend in exercised(&BackendKind::ALL) {
        see(backend, run(backend, invocation, &world.confinement()));
    }
    assert_eq!(world.left_behind(), Vec::<PathBuf>::new());
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_run_gives_code_and_both_streams_apart() {
    // R4
    everywhere(&sh("echo out; echo err >&2; exit 7"), |_, outcome| {
        assert_eq!(outcome.status, Status::Exit(7));
        assert_eq!(text(&outcome.stdout.bytes), "out\n");
        assert_eq!(text(&outcome.stderr.bytes), "err\n");
        assert!(outcome.max_rss > 0);
        assert!(!outcome.stdout.is_cut());
    });
}

#[test]
fn a_signal_is_told_from_a_code() {
    // R4
    everywhere(&sh("kill -TERM $$"), |_, outcome| assert_eq!(outcome.status, Status::Signal(15)));
}

#[test]
fn standard_input_is_given_or_empty_and_never_the_callers() {
    // R4
    everywhere(&sh("cat; echo end"), |_, o| assert_eq!(text(&o.stdout.bytes), "end\n"));
    let given = Invocation { stdin: Stdin::Bytes(vec![b'x'; 3 << 20]), ..sh("wc -c") };
    everywhere(&given, |_, o| assert_eq!(text(&o.stdout.bytes).trim(), (3 << 20).to_string()));
    // A child that does not read is not waited for.
    let unread = Invocation { stdin: Stdin::Bytes(vec![b'x'; 3 << 20]), ..sh("exit 3") };
    everywhere(&unread, |_, o| assert_eq!(o.status, Status::Exit(3)));
}

#[test]
fn standard_input_from_a_file_is_its_bytes_and_not_the_file() {
    // R4, R6
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&vec![b'y'; 200_000]).unwrap();
    file.rewind().unwrap();
    let given = Invocation { stdin: Stdin::File(file), ..sh("test -p /dev/stdin; wc -c") };
    let world = World::new(None);
    let outcome = run(BackendKind::LinuxNamespaces, &given, &world.confinement());
    assert_eq!(text(&outcome.stdout.bytes).trim(), "200000");
}

#[test]
fn somebody_can_talk_with_a_child_through_pipes() {
    // R4
    let (theirs_in, mut to_child) = std::io::pipe().unwrap();
    let (mut from_child, theirs_out) = std::io::pipe().unwrap();
    let invocation = Invocation {
        stdin: Stdin::Pipe(theirs_in.into()),
        stdout: Stdout::Pipe(theirs_out.into()),
        ..sh("read a; echo \"got $a\"; read b; echo \"and $b\"; echo end >&2; cat")
    };
    let confinement = World::new(None).confinement();
    let run =
        std::thread::spawn(move || run(BackendKind::LinuxNamespaces, &invocation, &confinement));
    let mut heard = [0; 6];
    to_child.write_all(b"1\n").unwrap();
    from_child.read_exact(&mut heard).unwrap();
    assert_eq!(&heard, b"got 1\n", "an answer comes before the child's end");
    to_child.write_all(b"2\nrest").unwrap();
    drop(to_child);
    let mut rest = String::new();
    from_child.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "and 2\nrest");
    let outcome = run.join().unwrap();
    assert_eq!((outcome.status, text(&outcome.stderr.bytes)), (Status::Exit(0), "end\n".into()));
    assert!(outcome.stdout.bytes.is_empty(), "somebody else has it");
}

#[test]
fn output_beyond_the_limit_is_cut_and_said() {
    // R4
    let world = World::new(None);
    let limits = Limits { stdout: 10, stderr: 5, ..Limits::default() };
    let confinement = Confinement { limits, ..world.confinement() };
    for backend in exercised(&BackendKind::ALL) {
        let outcome = run(backend, &sh("seq 1000; seq 500 >&2"), &confinement);
        assert_eq!(outcome.status, Status::Exit(0));
        assert_eq!(text(&outcome.stdout.bytes), "1\n2\n3\n4\n5\n");
        assert_eq!((outcome.stdout.total, outcome.stderr.total), (3893, 1892));
        assert!(outcome.stdout.is_cut() && outcome.stderr.is_cut());
    }
}

#[test]
fn home_and_temporary_files_lie_in_the_private_directory() {
    // R5, R6
    let script = "echo a > $HOME/f && echo b > $TMPDIR/f && cat $HOME/f $TMPDIR/f && pwd -P";
    everywhere(&sh(script), |backend, outcome| {
        let said = text(&outcome.stdout.bytes);
        assert!(said.starts_with("a\nb\n"), "{} {said}", backend.name());
    });
}

#[test]
fn the_environment_is_what_was_given_and_nothing_else() {
    // R5
    everywhere(&Invocation::new("/usr/bin/env"), |_, outcome| {
        let said = text(&outcome.stdout.bytes);
        let mut names: Vec<_> = said.lines().filter_map(|line| line.split('=').next()).collect();
        names.sort_unstable();
        let fixed = ["HOME", "LANG", "LC_ALL", "NO_COLOR", "PAGER", "PATH"];
        assert_eq!(names, [&fixed[..], &["PYTHONDONTWRITEBYTECODE", "TERM", "TMPDIR"]].concat());
    });
}

#[test]
fn a_program_is_found_by_name_in_the_childs_own_path() {
    // R4
    everywhere(&Invocation::new("true"), |_, o| assert_eq!(o.status, Status::Exit(0)));
}

#[test]
fn what_cannot_be_run_hides_no_program_that_comes_later_in_the_path() {
    // R4
    let world = World::new(None);
    world.make_directory("first");
    let plain = world.make_file("first/true", "not a program");
    std::fs::set_permissions(&plain, std::fs::Permissions::from_mode(0o644)).unwrap();
    let file = world.make_file("file", "");
    let path = format!("{}:{}:/nowhere:/bin", world.at("first").display(), file.display());
    let confinement = |path: String| Confinement {
        environment: vec![("PATH".into(), path.into())],
        read: vec![world.at("first"), file.clone()],
        ..world.confinement()
    };
    for backend in exercised(&BackendKind::ALL) {
        let outcome = run(backend, &Invocation::new("true"), &confinement(path.clone()));
        assert_eq!(outcome.status, Status::Exit(0), "{}", backend.name());
        // And where nothing comes later, it is said that something was there.
        let alone = confinement(world.at("first").display().to_string());
        let runner = runner().with_backend(backend);
        let error = runner.run(&Invocation::new("true"), &alone, &Cancel::never()).unwrap_err();
        assert!(matches!(&error, RunError::Start { .. }), "{error:?}");
        let why = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
        assert!(why.contains("Permission denied"), "{}: {why}", backend.name());
    }
}

#[test]
fn granted_paths_are_there_under_every_name_they_have() {
    // R6
    let world = World::new(None);
    let skill = world.make_directory("skill");
    world.make_file("skill/file", "hello");
    std::os::unix::fs::symlink(&skill, world.at("alias")).unwrap();
    let project = world.make_directory("project");
    let confinement = Confinement {
        read: vec![world.at("alias")],
        write: vec![project.clone()],
        ..world.confinement()
    };
    let (alias, real) = (world.at("alias/file"), world.at("skill/file"));
    let script = format!("cat {} {} && echo new > made", alias.display(), real.display());
    for backend in [BackendKind::LinuxNamespaces, BackendKind::LinuxLandlock] {
        let invocation = Invocation { cwd: Some(project.clone()), ..sh(&script) };
        let outcome = run(backend, &invocation, &confinement);
        assert_eq!(text(&outcome.stdout.bytes), "hellohello", "{:?}", text(&outcome.stderr.bytes));
        assert_eq!(std::fs::read_to_string(project.join("made")).unwrap(), "new\n");
        std::fs::remove_file(project.join("made")).unwrap();
    }
}

#[test]
fn without_a_private_directory_there_is_nowhere_to_write() {
    // R6
    let world = World::new(None);
    let confinement = Confinement { scratch: None, ..world.confinement() };
    for backend in [BackendKind::LinuxNamespaces, BackendKind::LinuxLandlock] {
        let script =
            "cd /; for d in / /tmp /var/tmp /dev /usr; do echo x > $d/new-metier-file; done";
        let outcome = run(backend, &sh(script), &confinement);
        assert_ne!(outcome.status, Status::Exit(0));
        assert!(!std::path::Path::new("/tmp/new-metier-file").exists());
    }
}

#[test]
fn the_loopback_of_a_child_is_its_own() {
    // R6
    let world = World::new(None);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!(
        "import socket\n\
         s=socket.create_server(('127.0.0.1',0))\n\
         c=socket.create_connection(s.getsockname())\n\
         print('own')\n\
         try:\n socket.create_connection(('127.0.0.1',{port}))\n print('outside')\n\
         except ConnectionRefusedError: print('refused')\n"
    );
    let confinement =
        Confinement { network: Network::Loopback, level: Level::Require, ..world.confinement() };
    let invocation = Invocation::new("/usr/bin/python3").arg("-c").arg(script);
    let outcome = run(BackendKind::LinuxNamespaces, &invocation, &confinement);
    assert_eq!(text(&outcome.stdout.bytes), "own\nrefused\n", "{}", text(&outcome.stderr.bytes));
    let landlock = runner().with_backend(BackendKind::LinuxLandlock);
    let error = landlock.run(&invocation, &confinement, &Cancel::never()).unwrap_err();
    assert!(error.to_string().contains("loopback alone needs a network namespace"), "{error}");
}

#[test]
fn a_full_network_reaches_the_machine_and_still_no_unix_socket() {
    // R6
    let world = World::new(None);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!(
        "import socket\n\
         socket.create_connection(('127.0.0.1',{port}))\n\
         for f,t in [(socket.AF_UNIX,socket.SOCK_STREAM),(socket.AF_NETLINK,socket.SOCK_RAW),(socket.AF_INET,socket.SOCK_RAW)]:\n \
         try:\n  socket.socket(f,t)\n  print('got',f)\n \
         except PermissionError: print('refused')\n"
    );
    let confinement = Confinement { network: Network::Full, ..world.confinement() };
    let invocation = Invocation::new("/usr/bin/python3").arg("-c").arg(script);
    for backend in [BackendKind::LinuxNamespaces, BackendKind::LinuxLandlock] {
        let outcome = run(backend, &invocation, &confinement);
        let said = (text(&outcome.stdout.bytes), text(&outcome.stderr.bytes));
        assert_eq!(said, ("refused\nrefused\nrefused\n".into(), String::new()));
        assert_eq!(outcome.enforced.network, "open, as asked");
    }
}

#[test]
fn a_list_of_hosts_is_refused_at_every_level() {
    // R6
    for level in [Level::Require, Level::Prefer, Level::Off] {
        let network = Network::Hosts(vec!["example.org".to_owned()]);
        let confinement = Confinement { network, level, ..Confinement::default() };
        let error = runner().run(&sh("true"), &confinement, &Cancel::never()).unwrap_err();
        let RunError::CannotEnforce { missing } = &error else { panic!("{error}") };
        assert_eq!(missing.first().map(|m| m.wall), Some(Wall::Network));
    }
}

#[test]
fn a_required_wall_that_is_missing_refuses_before_anything_runs() {
    // R6
    let world = World::new(None);
    let mark = world.at("ran");
    let weak = runner().with_support(Support::nothing());
    let write = vec![world.path().to_owned()];
    let required = Confinement { level: Level::Require, write, ..world.confinement() };
    let invocation = sh(&format!("echo x > {}", mark.display()));
    let error = weak.run(&invocation, &required, &Cancel::never()).unwrap_err();
    let RunError::CannotEnforce { missing } = &error else { panic!("{error}") };
    let walls: Vec<_> = missing.iter().map(|missing| missing.wall).collect();
    assert_eq!(walls, [Wall::Filesystem, Wall::Network, Wall::Syscalls, Wall::Processes]);
    assert!(!mark.exists());
    let preferred = Confinement { level: Level::Prefer, ..required };
    let outcome = weak.run(&invocation, &preferred, &Cancel::never()).unwrap();
    assert!(mark.exists());
    assert_eq!(outcome.enforced.filesystem, "none");
    let off = Confinement { level: Level::Off, ..preferred };
    let outcome = weak.run(&invocation, &off, &Cancel::never()).unwrap();
    assert_eq!(outcome.enforced.filesystem, "off");
}

#[test]
fn what_cannot_be_started_is_an_error_that_names_it() {
    // R4
    let world = World::new(None);
    let plain = world.make_file("plain", "no program");
    let confinement = Confinement { read: vec![world.path().to_owned()], ..world.confinement() };
    for backend in exercised(&BackendKind::ALL) {
        let runner = runner().with_backend(backend);
        let start = |program: PathBuf| {
            runner.run(&Invocation::new(program), &confinement, &Cancel::never()).unwrap_err()
        };
        for program in [PathBuf::from("/usr/bin/no-such-program"), "no-such-program".into()] {
            let error = start(program.clone());
            let RunError::Start { program: named, source } = error else { panic!("{error}") };
            assert_eq!((named, source.kind()), (program, std::io::ErrorKind::NotFound));
        }
        let error = start(plain.clone());
        let RunError::Start { source, .. } = error else { panic!("{error}") };
        assert_eq!(source.kind(), std::io::ErrorKind::PermissionDenied);
        let lost = Invocation { cwd: Some("/no/such/place".into()), ..sh("true") };
        let error = runner.run(&lost, &confinement, &Cancel::never()).unwrap_err();
        let RunError::Setup { step, .. } = error else { panic!("{error}") };
        assert_eq!(step, "the working directory");
    }
    assert_eq!(world.left_behind(), Vec::<PathBuf>::new());
}

#[test]
fn a_path_that_is_not_there_or_leads_to_the_kernel_is_refused() {
    // R6
    for path in ["/no/such/place", "/", "/proc", "/proc/self/root", "/dev", "/sys/kernel", "etc"] {
        let confinement = Confinement { read: vec![path.into()], ..Confinement::default() };
        let error = runner().run(&sh("true"), &confinement, &Cancel::never()).unwrap_err();
        let RunError::Path { path: named, .. } = error else { panic!("{path}: {error}") };
        assert_eq!(named, PathBuf::from(path));
    }
}

#[test]
fn a_helper_that_is_none_is_an_error_and_not_a_hang() {
    // R4
    let world = World::new(None);
    let limits = Limits { wall_ms: 300, ..Limits::default() };
    let confinement = Confinement { limits, ..world.confinement() };
    for program in ["/bin/true", "/bin/cat", "/no/such/program"] {
        let runner = runner().with_helper(program).with_support(Support::nothing());
        let error = runner.run(&sh("true"), &confinement, &Cancel::never()).unwrap_err();
        let RunError::Supervisor { detail } = error else { panic!("{error}") };
        assert!(!detail.is_empty());
    }
    assert!(helper().exists());
}

#[test]
fn a_caller_that_ignores_the_end_of_children_can_run_them() {
    // R4
    for backend in exercised(&BackendKind::ALL) {
        let world = World::new(None);
        let probe = world.install(helper(), "probe");
        let mut command = world.command("/bin/bash");
        command.args(["-c", "trap '' CHLD PIPE HUP; exec \"$0\""]).arg(probe);
        let script = "trap; grep SigIgn /proc/$$/status; exit 5";
        let answer = Probe::from_command(command).run(&serde_json::json!({
            "program": "/bin/sh", "args": ["-c", script], "level": "prefer", "backend": backend,
            "scratch": world.scratch(),
        }));
        assert_eq!(answer["status"], "exit code 5", "{answer}");
        let said = answer["stdout"].as_str().unwrap().to_owned();
        // The Landlock backend shows a child only its own first process.
        assert!(said.is_empty() || said == "SigIgn:\t0000000000000000\n", "{said}");
    }
}

#[test]
fn a_cancelled_run_does_not_wait_for_its_time() {
    // R4
    let world = World::new(None);
    let cancel = Cancel::new().unwrap();
    cancel.cancel();
    for backend in exercised(&BackendKind::ALL) {
        let runner = runner().with_backend(backend);
        let outcome = runner.run(&sh("sleep 1000"), &world.confinement(), &cancel).unwrap();
        assert_eq!(outcome.status, Status::Cancelled);
    }
}

#[test]
fn what_would_be_enforced_is_known_before_the_run() {
    // R6
    let world = World::new(None);
    let confinement = world.confinement();
    let before = runner().enforceable(&confinement).unwrap();
    let outcome = runner().run(&sh("true"), &confinement, &Cancel::never()).unwrap();
    assert_eq!(before, outcome.enforced);
    println!("{before}");
}

#[test]
fn a_child_that_ran_into_a_wall_can_be_told_so() {
    // R6
    let world = World::new(None);
    world.make_directory("outside");
    let secret = world.make_file("outside/secret", "word");
    for backend in exercised(&WALLS) {
        let script = format!("cat {}", secret.display());
        let outcome = run(backend, &sh(&script), &world.confinement());
        assert_ne!(outcome.status, Status::Exit(0));
        let walls: Vec<_> = outcome.denials.iter().map(|denial| denial.wall).collect();
        // Where the file is not even visible there is no denial to speak of.
        let hidden = text(&outcome.stderr.bytes).contains("No such file");
        assert_eq!(walls.contains(&Wall::Filesystem), !hidden, "{:?}", outcome.denials);
        let outcome = run(backend, &sh("echo x > /usr/new-metier-file"), &world.confinement());
        assert_eq!(outcome.denials.first().map(|d| d.wall), Some(Wall::Filesystem));
        let outcome = run(backend, &sh("echo Permission denied >&2"), &world.confinement());
        assert_eq!(outcome.denials, [], "it ended well");
    }
}

#[test]
fn what_a_child_plants_in_its_private_directory_harms_nobody() {
    // R4, R6
    let world = World::new(None);
    let precious = world.make_directory("precious");
    world.make_file("precious/file", "text");
    let place = precious.display();
    let script = format!(
        "ln -s {place} link; ln -s {place}/file $HOME/.profile; mkfifo pipe; mkdir -p a/b; \
         ln -s ../../.. a/b/up; mkdir closed; chmod 0 closed; touch -- '-rf' '*' \"$(printf 'a\\nb')\""
    );
    for backend in exercised(&BackendKind::ALL) {
        let outcome = run(backend, &sh(&script), &world.confinement());
        assert!(matches!(outcome.status, Status::Exit(_)), "{:?}", outcome.status);
        assert_eq!(world.left_behind(), Vec::<PathBuf>::new(), "{}", backend.name());
        assert_eq!(std::fs::read_to_string(precious.join("file")).unwrap(), "text");
    }
}

#[test]
fn a_refused_list_of_hosts_says_what_can_be_had_instead() {
    // R6
    let network = Network::Hosts(vec!["example.org".to_owned()]);
    let confinement = Confinement { network, ..Confinement::default() };
    let error = runner().enforceable(&confinement).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("network: no mechanism can hold a child to a list of hosts"), "{said}");
    assert!(said.ends_with("only to none, to a loopback of its own, or to all"), "{said}");
}
