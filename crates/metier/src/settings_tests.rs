#![expect(clippy::disallowed_methods, reason = "tests resolve the paths they expect")]

use std::ffi::OsString;
use std::path::Path;

use metier_format::NameKey;
use metier_store::{Enabled, Layer};
use metier_testing::World;

use super::{EnabledBy, Settings};
use crate::args::{ColorChoice, Global, RootArgument};
use crate::env::Environment;
use crate::error::Kind;

fn environment(world: &World, variables: &[(&str, &str)]) -> Environment {
    let home = world.home().into_os_string();
    let lookup = |name: &str| {
        let found = variables.iter().find(|(key, _)| *key == name);
        let found = found.map(|(_, value)| OsString::from(value));
        found.or_else(|| (name == "HOME").then(|| home.clone()))
    };
    Environment::from_lookup(lookup, world.project())
}

fn load(world: &World, global: &Global, variables: &[(&str, &str)]) -> Settings {
    Settings::load(global, &environment(world, variables)).unwrap()
}

fn config(world: &World, text: &str) {
    world.write("home/.config/metier/config.toml", text);
}

#[test]
fn a_flag_beats_a_variable_beats_the_file_beats_the_default() {
    // D4, U1
    let world = World::new();
    let enabled = |global: &Global, variables: &[(&str, &str)]| {
        let settings = load(&world, global, variables);
        (settings.selection.enabled, settings.enabled_by)
    };
    let only = |name: &str| Enabled::Only(vec![NameKey::of(name)]);
    let flag = |list: &str| Global { skills: Some(list.to_owned()), ..Global::default() };
    let none = Global::default();
    assert_eq!(enabled(&none, &[]), (Enabled::Unset, EnabledBy::Nobody));
    config(&world, "skills = \"from-file\"");
    assert_eq!(enabled(&none, &[]), (only("from-file"), EnabledBy::File));
    let agent = ("AGENT_SKILLS", "from-agent");
    assert_eq!(enabled(&none, &[agent]), (only("from-agent"), EnabledBy::Variable("AGENT_SKILLS")));
    let metier = ("METIER_SKILLS", "all");
    let by = EnabledBy::Variable("METIER_SKILLS");
    assert_eq!(enabled(&none, &[agent, metier]), (Enabled::All, by));
    assert_eq!(enabled(&flag("none"), &[metier]), (Enabled::None, EnabledBy::Flag));
    assert_eq!(enabled(&flag(""), &[metier]), (Enabled::None, EnabledBy::Flag));
}

#[test]
fn colour_is_decided_the_same_way() {
    // U1
    let world = World::new();
    config(&world, "color = \"always\"");
    assert_eq!(load(&world, &Global::default(), &[]).color, ColorChoice::Always);
    let never = Global { color: Some(ColorChoice::Never), ..Global::default() };
    assert_eq!(load(&world, &never, &[]).color, ColorChoice::Never);
}

#[test]
fn the_project_is_the_nearest_directory_with_git_unless_named() {
    // D1
    let world = World::new();
    let real = |path: &str| world.path().canonicalize().unwrap().join(path);
    assert_eq!(load(&world, &Global::default(), &[]).project, real("project"));
    world.write("project/.git/HEAD", "");
    world.write("project/a/b/file", "");
    let mut inside = environment(&world, &[]);
    inside.directory = world.project().join("a/b");
    assert_eq!(Settings::load(&Global::default(), &inside).unwrap().project, real("project"));
    let by_variable = load(&world, &Global::default(), &[("METIER_PROJECT", "a")]).project;
    assert_eq!(by_variable, real("project/a"));
    let flag = Global { project: Some("a/b".into()), ..Global::default() };
    assert_eq!(load(&world, &flag, &[("METIER_PROJECT", "a")]).project, real("project/a/b"));
}

#[test]
fn a_project_that_is_no_directory_is_a_mistake() {
    // D1, U1
    let world = World::new();
    let global = Global { project: Some("gone".into()), ..Global::default() };
    let error = Settings::load(&global, &environment(&world, &[])).unwrap_err();
    assert_eq!(error.kind, Kind::Usage);
    assert!(error.message().ends_with("gone` is not a directory"), "{}", error.message());
}

#[test]
fn state_lives_where_flag_variable_xdg_or_home_say() {
    // U1
    let world = World::new();
    let home =
        |global: &Global, variables: &[(&str, &str)]| load(&world, global, variables).home.unwrap();
    let none = Global::default();
    assert_eq!(home(&none, &[]), world.home().join(".local/share/metier"));
    let xdg = ("XDG_DATA_HOME", "/data");
    assert_eq!(home(&none, &[xdg]), Path::new("/data/metier"));
    let variable = ("METIER_HOME", "/mine");
    assert_eq!(home(&none, &[xdg, variable]), Path::new("/mine"));
    let flag = Global { home: Some("state".into()), ..Global::default() };
    assert_eq!(home(&flag, &[xdg, variable]), world.project().join("state"));
}

#[test]
fn a_relative_place_in_the_environment_is_refused() {
    // D1, U1
    let world = World::new();
    for variable in ["METIER_HOME", "METIER_CONFIG"] {
        let wrong = environment(&world, &[(variable, ".metier")]);
        let error = Settings::load(&Global::default(), &wrong).unwrap_err();
        assert!(error.message().ends_with("not an absolute path"), "{}", error.message());
    }
    let flag = Global { home: Some("state".into()), ..Global::default() };
    assert!(load(&world, &flag, &[("METIER_HOME", "elsewhere")]).home.is_some());
}

#[test]
fn only_roots_given_by_flags_count_when_defaults_are_off() {
    // D1
    let world = World::new();
    config(&world, "roots = [{ layer = \"plugin\", path = \"plugins\" }]");
    let root = RootArgument { layer: Layer::Personal, path: "~/s".into(), immediate_only: false };
    let global = Global { root: vec![root], ..Global::default() };
    let settings = load(&world, &global, &[]);
    let paths: Vec<_> = settings.roots.iter().map(|r| r.path.clone()).collect();
    assert_eq!(paths, [world.home().join("s"), world.home().join(".config/metier/plugins")]);
    assert!(settings.default_roots);
    let hermetic = Global { no_default_roots: true, ..global };
    let settings = load(&world, &hermetic, &[]);
    assert_eq!(settings.roots.len(), 1);
    assert!(!settings.default_roots);
}

#[test]
fn a_folder_is_trusted_when_it_really_lies_below_a_trusted_one() {
    // D4
    let world = World::new();
    world.write("trusted/inside/x", "");
    world.write("trusted-not/x", "");
    world.write("evil/x", "");
    std::os::unix::fs::symlink(world.path().join("evil"), world.path().join("trusted/link"))
        .unwrap();
    config(&world, &format!("trusted-folders = [\"{}\"]", world.path().join("trusted").display()));
    let settings = load(&world, &Global::default(), &[]);
    let check = |path: &str, expect: bool| {
        assert_eq!(settings.trusts(&world.path().join(path)), expect, "{path}");
    };
    check("trusted", true);
    check("trusted/inside", true);
    check("trusted/../trusted/inside", true);
    check("trusted-not", false);
    check("trusted/../evil", false);
    check("trusted/link", false);
    check("trusted/gone", false);
}

#[test]
fn hints_name_the_settings_file_that_counts() {
    // U1
    let world = World::new();
    let default = load(&world, &Global::default(), &[]).config_file();
    assert_eq!(default, format!("`{}`", world.home().join(".config/metier/config.toml").display()));
    let file = world.write("mine.toml", "");
    let global = Global { config: Some(file.clone()), ..Global::default() };
    assert_eq!(load(&world, &global, &[]).config_file(), format!("`{}`", file.display()));
}

#[test]
fn the_limits_of_the_search_come_from_the_file() {
    // D1
    let world = World::new();
    config(&world, "[scan]\nmax-depth = 3\nmax-directories = 40\nthreads = 5");
    let limits = load(&world, &Global::default(), &[]).limits;
    assert_eq!((limits.max_depth, limits.max_directories, limits.threads), (3, 40, 5));
}
