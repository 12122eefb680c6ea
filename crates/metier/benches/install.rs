//! P3, P4: prints what installing one skill and a hundred skills from a git server on loopback takes,
//! beside two other installers in the same run, and what listing 1,000 approved skills takes. Run
//! with `cargo bench -p metier --bench install`.
//!
//! The others are npm packages, installed by name into `target/tools/npm`; when that fails a line
//! says so and only metier is measured. Each run has a home and a project of its own, clones from
//! the server anew, and counts only when every skill is there afterwards. The others are started by
//! `node` itself, so what `npx` adds is left out in their favour.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark starts processes, measures time and prints it"
)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use metier_testing::{GitServer, Layout, World, generate_skills};

const METIER: &str = env!("CARGO_BIN_EXE_metier");

/// The others, at one version each: package and version.
const OTHERS: [(&str, &str); 2] = [("skills", "1.5.18"), ("openskills", "1.5.0")];

const RUNS: usize = 5;

/// One way to install everything a repository has.
struct Installer {
    name: &'static str,
    program: &'static str,
    /// Before and after the URL.
    args: (Vec<String>, Vec<&'static str>),
}

fn main() {
    let server = GitServer::start();
    for count in [1, 100] {
        let mut commit = server.repo(&repository(count));
        for number in 0..count {
            let name = format!("skill-{number}");
            commit = commit.skill(&format!("skills/{name}"), &name);
        }
        let _ = commit.commit("all of them");
    }
    let installers = installers();
    for count in [1, 100] {
        let url = server.url(&repository(count));
        compare(&installers, &url, count);
    }
    list();
}

/// Called `.git`, because `skills` takes no other address on a host it does not know for git's.
fn repository(count: usize) -> String {
    format!("owner/skills-{count}.git")
}

fn compare(installers: &[Installer], url: &str, count: usize) {
    let mut base = None;
    for installer in installers {
        let times: Option<Vec<Duration>> =
            (0..RUNS).map(|_| installed(installer, url, count)).collect();
        let Some(median) = times.map(median) else {
            println!("install {count}: {} did not install all of it, skipped", installer.name);
            continue;
        };
        let base = *base.get_or_insert(median);
        let ratio = median.as_secs_f64() / base.as_secs_f64();
        println!("install {count}: {:<18} {median:>9.1?}  x {ratio:.1}", installer.name);
    }
}

/// How long one installation takes; none when not every skill is there afterwards.
fn installed(installer: &Installer, url: &str, count: usize) -> Option<Duration> {
    let world = World::new();
    let mut command = world.command(installer.program);
    command.args(&installer.args.0).arg(url).args(&installer.args.1);
    command.env("PATH", std::env::var_os("PATH").unwrap());
    command.envs([("DISABLE_TELEMETRY", "1"), ("DO_NOT_TRACK", "1"), ("CI", "1")]);
    let (_, took) = timed(|| run(&mut command));
    let places = [world.project().to_owned(), world.home().to_owned()];
    (places.iter().map(|place| skills_below(place)).max() >= Some(count)).then_some(took)
}

/// How many skills the fullest directory of skills below `place` has.
fn skills_below(place: &Path) -> usize {
    let folders = [".agents", ".claude", ".agent", ".local/share/metier"];
    let count = |folder: &&str| {
        let Ok(entries) = std::fs::read_dir(place.join(folder).join("skills")) else { return 0 };
        entries.filter(|entry| entry.as_ref().unwrap().path().join("SKILL.md").is_file()).count()
    };
    folders.iter().map(count).max().unwrap_or(0)
}

fn installers() -> Vec<Installer> {
    let metier = |name, layer| Installer {
        name,
        program: METIER,
        args: (vec!["add".to_owned()], vec!["--all", "--yes", "--layer", layer]),
    };
    let mut all =
        vec![metier("metier (project)", "project"), metier("metier (personal)", "personal")];
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/npm");
    let missing = OTHERS.iter().any(|(name, _)| !tools.join("node_modules").join(name).is_dir());
    if missing && !fetch_others(&tools) {
        println!("the other installers cannot be installed with npm: only metier is measured");
        return all;
    }
    let script = |name: &str| {
        let command = tools.join("node_modules/.bin").join(name);
        command.canonicalize().unwrap().display().to_string()
    };
    let more = |name: &'static str, words: [&str; 1], after: Vec<&'static str>| Installer {
        name,
        program: "node",
        args: ([script(name)].into_iter().chain(words.map(str::to_owned)).collect(), after),
    };
    all.push(more("skills", ["add"], vec!["--skill", "*", "--agent", "claude-code", "--yes"]));
    all.push(more("openskills", ["install"], vec!["--yes"]));
    all
}

fn fetch_others(tools: &Path) -> bool {
    std::fs::create_dir_all(tools).unwrap();
    let packages = OTHERS.map(|(name, version)| format!("{name}@{version}"));
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(tools).args(packages);
    run(&mut npm)
}

/// What listing 1,000 skills takes: nobody was asked; approved; approved with the briefs deleted.
fn list() {
    let world = World::new();
    let source = world.path().join("source");
    generate_skills(&source, 1_000, Layout::Flat);
    let root = format!("--root=personal={}", source.display());
    let plain = listed(&world, &["--no-default-roots", &root], || ());
    println!("list 1000, no records: {plain:.1?}");
    let (ok, took) =
        timed(|| run(world.command(METIER).args(["add", "--all", "--yes"]).arg(&source)));
    assert!(ok, "1,000 skills are installed");
    println!("install 1000 from a directory: {took:.1?}");
    // Stamps younger than this prove nothing.
    std::thread::sleep(Duration::from_millis(2_100));
    listed(&world, &[], || ());
    let home = world.home().join(".local/share/metier");
    let approved = listed(&world, &[], || ());
    let anew = listed(&world, &[], || {
        for brief in ["lock.brief", "approvals.brief"] {
            std::fs::remove_file(home.join(brief)).unwrap();
        }
    });
    println!("list 1000, approved: {approved:.1?}; with both briefs made anew: {anew:.1?}");
}

fn listed(world: &World, args: &[&str], before: impl Fn()) -> Duration {
    let once = |_| {
        before();
        let mut command = world.command(METIER);
        let (ok, took) = timed(|| run(command.arg("list").args(args)));
        assert!(ok, "the list is printed");
        took
    };
    median((0..RUNS * 3).map(once).collect())
}

fn run(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().unwrap().success()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let value = work();
    (value, start.elapsed())
}
