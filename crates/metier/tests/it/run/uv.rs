//! Scripts with dependencies: what uv prepares, where, and what that can never be used for.

use super::*;

/// `uv` where the project's checks put it, else wherever it is; the check makes sure there is one.
fn uv_directory() -> Option<PathBuf> {
    let tools = project_root().join("target/tools/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::iter::once(tools).chain(std::env::split_paths(&path));
    places.find(|place| place.join("uv").is_file())
}

/// Writes a wheel with a module, and code that runs whenever a Python starts that has it. While uv
/// asks, that code plants links and answers with a path that leads to what the skill names.
const WHEEL: &str = r#"
import sys, zipfile
files = {
    'tiny.py': 'WORD = "tiny"\n',
    'tiny_start.py': """import os, sys
cache = os.environ.get('UV_CACHE_DIR', '/nowhere')
for path in (cache + '/planted', cache + '/../planted'):
    try: open(path, 'w')
    except OSError: pass
if 'get_interpreter_info' in ' '.join(sys.orig_argv):
    os.makedirs(cache + '/d0/1/2/3/4/5', exist_ok=True)
    target = open(TARGET).read().strip()
    for link, to in ((cache + '/A', cache + '/d0/1/2/3/4/5'), (cache + '/d0/skills', target)):
        try: os.symlink(to, link)
        except OSError: pass
    fake = cache + '/A/../../../../../skills/tool/scripts/py'
    class Out:
        def __init__(self, out): self.out = out
        def write(self, text): return self.out.write(text.replace(sys.executable, fake))
        def __getattr__(self, name): return getattr(self.out, name)
    sys.stdout = Out(sys.stdout)
""".replace('TARGET', repr(sys.argv[2])),
    'tiny.pth': 'import tiny_start\n',
    'tiny-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n',
    'tiny-1.0.dist-info/WHEEL':
        'Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
}
record = 'tiny-1.0.dist-info/RECORD'
files[record] = ''.join(name + ',,\n' for name in [*files, record])
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    for name, text in files.items():
        wheel.writestr(name, text)
"#;

/// A skill whose script needs a package that lies in the skill as a wheel.
fn with_wheel(script: &str) -> Option<World> {
    with_wheel_in("bundled", "", script)
}

const NEEDS_TINY: &str = "# /// script\n# dependencies = [\"tiny\"]\n# [tool.uv.sources]\n\
    # tiny = { path = \"tiny-1.0-py3-none-any.whl\" }\n# ///\n";

fn with_wheel_in(layer: &str, more: &str, script: &str) -> Option<World> {
    let Some(uv) = uv_directory() else {
        assert!(std::env::var_os("CI").is_none(), "`cargo xtask check` installs uv");
        return None;
    };
    let mut world = world_in(layer, more, &[("dep.py", &format!("{NEEDS_TINY}{script}"))]);
    let scripts = world.path().join(format!("roots/{layer}/tool/scripts"));
    let target = scripts.join("target");
    std::fs::write(&target, world.home().to_str().unwrap()).unwrap();
    let place = scripts.join("tiny-1.0-py3-none-any.whl");
    let made = Command::new("python3").args(["-c", WHEEL]).arg(place).arg(target).status().unwrap();
    assert!(made.success());
    std::fs::write(scripts.join("py"), "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n").unwrap();
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(scripts.join("py"), mode).unwrap();
    world.env("PATH", &format!("{}:/usr/bin:/bin", uv.display()));
    Some(world)
}

#[test]
fn code_in_a_package_cannot_name_what_its_skill_may_read() {
    // R6
    let script = "import os, sys, tiny\n\
        try: print(open(sys.argv[1]).read())\nexcept OSError: print('closed', tiny.WORD)\n";
    let Some(world) = with_wheel_in("personal", "", script) else { return };
    let secret = world.home().join(".ssh/id");
    world.write("home/.ssh/id", "SECRET");
    // The first time, when the environment is made, and from then on.
    for _ in 0..3 {
        let run = run(&world, "dep", &["--", secret.to_str().unwrap()]);
        assert_eq!((run.stdout.as_str(), run.code), ("closed tiny\n", 0), "{}", run.stderr);
    }
}

#[test]
fn what_a_former_content_of_a_skill_brought_does_not_run_in_the_next() {
    // R6
    let Some(world) = with_wheel("import tiny\nprint(tiny.WORD)\n") else { return };
    let first = run(&world, "dep", &[]);
    assert_eq!(first.stdout, "tiny\n", "{}", first.stderr);
    let caches = world.home().join(".local/share/metier/cache/uv");
    let mut made = Vec::new();
    files_named(&caches, "tiny.py", &mut made);
    assert_eq!(made.len(), 1, "{made:?}");
    std::fs::write(&made[0], "WORD = 'planted'\n").unwrap();
    let next = format!("{NEEDS_TINY}import tiny\nprint(tiny.WORD, 'next')\n");
    world.write("roots/bundled/tool/scripts/dep.py", next);
    assert_eq!(run(&world, "dep", &[]).stdout, "tiny next\n");
}

fn files_named(directory: &Path, name: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => files_named(&entry.path(), name, found),
            false if entry.file_name() == name => found.push(entry.path()),
            false => {}
        }
    }
}

#[test]
fn a_script_gets_the_dependencies_it_declares_and_cannot_change_them_for_others() {
    // R3, R6
    let script = "import os, sys, tiny\ndef tried(path):\n    try:\n        open(path, 'a')\n        return True\n    \
        except OSError:\n        return False\n\
        print(tiny.WORD, tried(tiny.__file__), tried(sys.prefix + '/new'), any(n.startswith('UV_') for n in os.environ))\n";
    let Some(world) = with_wheel(script) else { return };
    policy(&world, "[scripts]\nnetwork = \"off\"\n");
    let first = run(&world, "dep", &[]);
    assert_eq!(
        (first.stdout.as_str(), first.code),
        ("tiny False False False\n", 0),
        "{}",
        first.stderr
    );
    // Once more, from the cache; nothing was fetched either time, for policy switched that off.
    assert_eq!(run(&world, "dep", &[]).stdout, first.stdout);
    // Code in a package does not run while anything is writable.
    let caches = world.home().join(".local/share/metier/cache/uv");
    assert_eq!(std::fs::read_dir(&caches).unwrap().count(), 1);
    let mut planted = Vec::new();
    files_named(&caches, "planted", &mut planted);
    assert_eq!(planted, Vec::<PathBuf>::new());
    let skill = std::fs::read_dir(world.path().join("roots/bundled/tool/scripts")).unwrap();
    assert_eq!(skill.count(), 4, "nothing is left in the skill");
}

#[test]
fn packages_are_fetched_only_where_skill_or_policy_asks_and_the_step_is_recorded() {
    // R6, J1
    let check = |layer: &str, more: &str, law: &str, fetches: bool| {
        let Some(world) = with_wheel_in(layer, more, "print('ran')\n") else { return };
        policy(&world, law);
        let plan = run(&world, "dep", &["--dry-run", "--json"]).json();
        assert_eq!(plan["fetches"], json!(fetches), "{layer} {more} {law}");
        let shown = run(&world, "dep", &["--dry-run"]).stdout;
        assert_eq!(shown.contains("none are fetched"), !fetches, "{shown}");
    };
    check("bundled", "", "", false);
    check("bundled", "permissions:\n  network: true\n", "", true);
    check("bundled", "permissions:\n  network: true\n", "[scripts]\nnetwork = \"off\"\n", false);
    check("bundled", "", "[scripts]\ndependencies = \"fetch\"\n", true);
    check("personal", "permissions:\n  network: true\n", "", false);
    // Recorded: what was meant before, what stood after; help has no network whoever asks.
    let asks = "permissions:\n  network: true\n";
    let Some(world) = with_wheel_in("bundled", asks, "print('ran')\n") else { return };
    hermetic(&world, &["help-script", "tool", "dep"]);
    let started = |world: &World| {
        let all = frames(world);
        let last = all.iter().rev().find(|frame| frame["type"] == "script_started");
        last.unwrap()["payload"]["preparation"].clone()
    };
    assert_eq!(started(&world)["fetches"], false);
    assert_eq!(started(&world)["confinement"]["network"], "off");
    assert_eq!(finished(&world)["prepared"]["made"], true);
    assert!(finished(&world)["prepared"]["enforced"].is_object(), "{}", finished(&world));
    policy(&world, "[scripts]\nnetwork = \"off\"\n");
    assert_eq!(run(&world, "dep", &[]).stdout, "ran\n");
    assert_eq!(finished(&world)["prepared"]["made"], false, "it is kept");
}

#[test]
fn a_script_cannot_tell_uv_to_run_anything_while_it_prepares() {
    // R3, R6
    let Some(world) = with_wheel("print('ran')\n") else { return };
    let script = "roots/bundled/tool/scripts/dep.py";
    let needs = "# /// script\n# dependencies = [\"tiny\"]\n# [tool.uv]\n";
    for told in
        ["compile-bytecode = true", "find-links = [\".\"]", "index-url = \"http://127.0.0.1:9\""]
    {
        world.write(script, format!("{needs}# {told}\n# ///\nprint('ran')\n"));
        let answer = run(&world, "dep", &["--json"]);
        assert_eq!(
            (answer.code, &answer.json()["error"]),
            (1, &json!("script_unusable")),
            "{told}"
        );
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains("is for the user to say"), "{message}");
    }
    // A reader to whom a carriage return ends a line would find another block first.
    let hidden = format!("x = 1\r{needs}# compile-bytecode = true\n# ///\n");
    world.write(script, format!("{hidden}\n{NEEDS_TINY}import tiny\nprint(tiny.WORD)\n"));
    assert_eq!(run(&world, "dep", &[]).stdout, "tiny\n");
    let caches = world.home().join(".local/share/metier/cache/uv");
    let mut planted = Vec::new();
    files_named(&caches, "planted", &mut planted);
    assert_eq!(planted, Vec::<PathBuf>::new());
}

#[test]
fn dependencies_that_cannot_be_had_are_said() {
    // R3
    let Some(mut world) = with_wheel("") else { return };
    policy(&world, "[scripts]\nnetwork = \"off\"\n");
    let head = "# /// script\n# dependencies = [\"no-such-package-anywhere\"]\n# ///\n";
    world.write("roots/bundled/tool/scripts/dep.py", head);
    let answer = run(&world, "dep", &["--json"]);
    assert_eq!((answer.code, &answer.json()["error"]), (1, &json!("dependencies_missing")));
    let said = run(&world, "dep", &[]).stderr;
    assert!(said.contains("hint: ") && said.contains("dependencies = \"fetch\""), "{said}");
    world.env("PATH", "/usr/bin:/bin");
    let without = run(&world, "dep", &["--json"]).json();
    if without["error"] != "dependencies_missing" {
        assert_eq!(without["error"], "interpreter_missing");
        assert!(without["message"].as_str().unwrap().contains("install uv"), "{without}");
    }
}
