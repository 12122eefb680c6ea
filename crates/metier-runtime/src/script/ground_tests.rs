#![expect(clippy::disallowed_methods, reason = "tests plant programs and files")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use metier_sandbox::Cancel;
use metier_store::catalog::Trust;
use metier_store::store::{Location, Store as _};
use metier_store::{Layer, MemoryStore, RootId};

use super::{ScriptGround, materialise};

fn program(path: &Path, mode: u32) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn ground(path: &str, home: &Path) -> ScriptGround {
    let variables =
        vec![("PATH".into(), path.into()), ("HOME".into(), home.to_owned().into_os_string())];
    ScriptGround { variables, home: Some(home.join("metier")), ..ScriptGround::default() }
}

#[test]
fn programs_are_found_where_children_see_them_and_then_on_the_callers_path() {
    // R3, R5
    let world = tempfile::tempdir().unwrap();
    let bin = world.path().join("bin");
    program(&bin.join("only-here"), 0o755);
    program(&bin.join("sh"), 0o755);
    program(&bin.join("no-bit"), 0o644);
    std::fs::create_dir(bin.join("folder")).unwrap();
    let ground = ground(&format!("relative:{}", bin.display()), world.path());
    assert_eq!(ground.find("only-here"), Some(bin.join("only-here")));
    assert_ne!(ground.find("sh"), Some(bin.join("sh")), "the system's comes first");
    for name in ["no-bit", "folder", "gone", "", "../bin/only-here", "/bin/sh"] {
        assert_eq!(ground.find(name), None, "{name}");
    }
}

#[test]
fn a_program_brings_its_own_prefix_but_never_a_home() {
    // R6
    let world = tempfile::tempdir().unwrap();
    let root = world.path().canonicalize().unwrap();
    let home = root.join("home/ada");
    let reads = |path: PathBuf| {
        program(&path, 0o755);
        ground("", &home).reads(&path)
    };
    let prefix = home.join(".nvm/versions/node/v22");
    for name in ["lib/node_modules", "etc"] {
        std::fs::create_dir_all(prefix.join(name)).unwrap();
    }
    std::os::unix::fs::symlink(&root, prefix.join("share")).unwrap();
    assert_eq!(reads(prefix.join("bin/node")), [prefix.join("bin/node"), prefix.join("lib")]);
    // Tokens lie in such places.
    let tool = home.join(".cargo/bin/pyx");
    std::fs::create_dir_all(home.join(".cargo")).unwrap();
    std::fs::write(home.join(".cargo/credentials.toml"), "").unwrap();
    assert_eq!(reads(tool.clone()), [tool]);
    std::fs::create_dir_all(home.join(".local/share/keyrings")).unwrap();
    let uv = home.join(".local/bin/uv");
    assert_eq!(reads(uv.clone()), [uv]);
    let own = home.join("bin/tool");
    assert_eq!(reads(own.clone()), [own]);
    assert_eq!(reads(home.join("tools/deno")), [home.join("tools/deno")]);
    assert!(ground("", &home).reads(Path::new("/usr/bin/env")).is_empty());
    assert!(ground("", &home).reads(Path::new("/no/such/program")).is_empty());
    let link = root.join("link");
    std::os::unix::fs::symlink(home.join(".local/bin/uv"), &link).unwrap();
    assert_eq!(ground("", &home).reads(&link), [home.join(".local/bin/uv"), link]);
}

#[test]
fn what_runs_a_skill_nobody_approved_is_the_systems() {
    // R3, R6
    let world = tempfile::tempdir().unwrap();
    let bin = world.path().join(".cargo/bin");
    program(&bin.join("pyx"), 0o755);
    program(&bin.join("uv"), 0o755);
    let ground = ground(&bin.display().to_string(), world.path());
    assert_eq!(ground.find_for("pyx", Trust::Approved), Some(bin.join("pyx")));
    assert_eq!(ground.find_for("pyx", Trust::Present), None);
    assert_eq!(ground.find_for("sh", Trust::Present), ground.find("sh"));
    assert!(ground.find_for("uv", Trust::Present).is_some());
}

#[test]
fn a_directory_that_is_or_holds_a_home_is_known() {
    // R6
    let world = tempfile::tempdir().unwrap();
    let root = world.path().canonicalize().unwrap();
    let home = root.join("home/ada");
    std::fs::create_dir_all(home.join("metier")).unwrap();
    std::fs::create_dir(home.join("project")).unwrap();
    std::os::unix::fs::symlink(&home, root.join("link")).unwrap();
    let ground = ground("", &home);
    for path in [&root, &home, &root.join("home"), &home.join("metier"), &root.join("link")] {
        assert!(ground.holds_a_home(path), "{}", path.display());
    }
    assert!(!ground.holds_a_home(&home.join("project")));
    assert!(!ScriptGround::default().holds_a_home(&root));
}

#[test]
fn a_skill_inside_metier_is_put_on_disk_and_put_right_again() {
    // B1, R6
    let store = MemoryStore::new(Layer::Bundled)
        .file("x/SKILL.md", &b"---\nname: x\ndescription: X.\n---\n"[..])
        .file("x/scripts/deep/a.py", &b"print(1)\n"[..])
        .executable("x/bin/tool", &b"#!/bin/sh\n"[..]);
    let at = Location { root: RootId(0), path: Path::new("x").into() };
    let world = tempfile::tempdir().unwrap();
    let ground = ground("", world.path());
    let place = ground.place_of("digest").unwrap();
    materialise((&store, &at), None, &place, &Cancel::never()).unwrap();
    let read = |path: &str| std::fs::read_to_string(place.join(path)).unwrap();
    assert_eq!(read("scripts/deep/a.py"), "print(1)\n");
    let mode = |path: &str| std::fs::metadata(place.join(path)).unwrap().permissions().mode();
    assert_eq!(mode("bin/tool") & 0o777, 0o700);
    assert_eq!(mode("") & 0o777, 0o700);
    // Somebody changes one file, swaps another for a link, and adds a third.
    std::fs::write(place.join("scripts/deep/a.py"), "print(2)\n").unwrap();
    std::fs::remove_file(place.join("bin/tool")).unwrap();
    std::os::unix::fs::symlink("/bin/sh", place.join("bin/tool")).unwrap();
    std::fs::write(place.join("scripts/deep/sitecustomize.py"), "evil").unwrap();
    std::fs::create_dir(place.join("scripts/more")).unwrap();
    let outside = world.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::rename(place.join("bin"), world.path().join("old")).unwrap();
    std::os::unix::fs::symlink(&outside, place.join("bin")).unwrap();
    materialise((&store, &at), None, &place, &Cancel::never()).unwrap();
    assert_eq!(read("scripts/deep/a.py"), "print(1)\n");
    assert_eq!(read("bin/tool"), "#!/bin/sh\n");
    assert!(!place.join("bin/tool").is_symlink());
    assert!(!place.join("scripts/deep/sitecustomize.py").exists());
    assert!(!place.join("scripts/more").exists());
    assert!(!outside.join("tool").exists(), "nothing is written through a link");
    assert_eq!(store.directory(&at), None);
}

#[test]
fn any_number_of_first_runs_at_once_find_the_whole_skill() {
    // B1, R6, P5
    let names: Vec<String> = (0..12).map(|number| format!("scripts/{number}.py")).collect();
    let store = names.iter().fold(MemoryStore::new(Layer::Bundled), |store, name| {
        store.file(&format!("x/{name}"), name.clone().into_bytes())
    });
    let store = store.file("x/SKILL.md", &b"---\nname: x\ndescription: X.\n---\n"[..]);
    let at = Location { root: RootId(0), path: Path::new("x").into() };
    let world = tempfile::tempdir().unwrap();
    let ground = ground("", world.path());
    for round in 0..8 {
        let place = ground.place_of(&format!("digest-{round}")).unwrap();
        let run = || {
            materialise((&store, &at), None, &place, &Cancel::never())?;
            names.iter().try_for_each(|name| std::fs::read(place.join(name)).map(drop))
        };
        std::thread::scope(|scope| {
            let runs: Vec<_> = (0..6).map(|_| scope.spawn(run)).collect();
            runs.into_iter().for_each(|run| run.join().unwrap().unwrap());
        });
    }
}

#[test]
fn help_is_kept_and_what_is_too_long_is_not_believed() {
    // R3
    let world = tempfile::tempdir().unwrap();
    let ground = ground("", world.path());
    assert_eq!(ground.kept_help("k"), None);
    ground.keep_help("k", "usage\n");
    assert_eq!(ground.kept_help("k").as_deref(), Some("usage\n"));
    std::fs::write(world.path().join("metier/cache/help/k"), vec![b'x'; 100_000]).unwrap();
    assert_eq!(ground.kept_help("k"), None);
    let homeless = ScriptGround::default();
    homeless.keep_help("k", "usage\n");
    assert_eq!(homeless.kept_help("k"), None);
    assert_eq!(homeless.place_of("d"), None);
    assert_eq!(homeless.variable("HOME"), None);
}
