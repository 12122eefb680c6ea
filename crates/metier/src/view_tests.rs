#![expect(clippy::disallowed_methods, reason = "tests resolve the paths they expect")]

use std::ffi::OsString;

use metier_testing::World;

use super::{Named, View, checked_name, trust_hint, unknown_name};
use crate::args::{Global, RootArgument};
use crate::env::Environment;
use crate::error::Kind;
use crate::settings::Settings;
use crate::ui::Ui;

fn settings(world: &World, global: Global) -> Settings {
    let home = world.home().into_os_string();
    let lookup = |name: &str| (name == "HOME").then(|| OsString::from(&home));
    let environment = Environment::from_lookup(lookup, world.project());
    Settings::load(&global, &environment).unwrap()
}

fn personal(world: &World) -> Global {
    let path = world.path().join("skills");
    let root = RootArgument { layer: metier_store::Layer::Personal, path, immediate_only: false };
    Global { root: vec![root], no_default_roots: true, ..Global::default() }
}

fn view(world: &World) -> View {
    View::open(&settings(world, personal(world)))
}

#[test]
fn a_name_finds_its_skill_whatever_its_case_and_hyphens() {
    // D8, D4
    let world = World::new();
    world.skill("skills", "fill-forms", "Fills forms. Use it.");
    let view = view(&world);
    for typed in ["fill-forms", "Fill_Forms", "FILL-FORMS", " fill forms "] {
        let named = view.named(typed).unwrap();
        assert!(matches!(named, Named::Entry(e) if e.name().as_str() == "fill-forms"), "{typed}");
    }
}

#[test]
fn a_name_that_is_switched_off_is_still_found() {
    // D4
    let world = World::new();
    world.skill("skills", "pdf", "Fills forms. Use it.");
    let global = Global { skills: Some("none".to_owned()), ..personal(&world) };
    let view = View::open(&settings(&world, global));
    assert!(matches!(view.named("pdf").unwrap(), Named::Hidden(_)));
}

#[test]
fn an_unknown_name_comes_with_the_nearest_ones_or_advice() {
    // D8
    let check = |typed: &str, names: &[&str], hint: &str| {
        let error = unknown_name(typed, names.iter().copied(), "look around");
        assert_eq!(error.kind, Kind::Failed);
        assert_eq!(error.hints, [hint], "{typed}");
    };
    check("pfd", &["pdf", "sheets"], "did you mean `pdf`?");
    check("pdf-form", &["pdf-forms", "pdf-norm"], "did you mean `pdf-norm`, `pdf-forms`?");
    check("zebra", &["pdf", "sheets"], "look around");
    check("x", &[], "look around");
}

#[test]
fn what_is_no_name_meets_nothing() {
    // R1
    for typed in ["", "  ", "a/b", "..", "a\\b", "a\u{0}b", "a\u{200b}b"] {
        let error = checked_name(typed).unwrap_err();
        assert_eq!(error.kind, Kind::Failed, "{typed:?}");
        assert!(error.message().contains("cannot be a skill's name"), "{typed:?}");
    }
    assert!(checked_name("pdf").is_ok());
}

#[test]
fn the_hint_names_the_folder_that_would_have_to_be_trusted() {
    // D4
    let world = World::new();
    world.write("project/.git/HEAD", "");
    world.skill("project/.agents/skills", "theirs", "Theirs. Use it.");
    let settings = settings(&world, Global::default());
    let view = View::open(&settings);
    let hint = trust_hint(&view.catalog, &settings).unwrap();
    let project = world.project().canonicalize().unwrap();
    assert!(hint.contains(&format!("`metier trust {}`", project.display())), "{hint}");
    let mut ui = Ui::plain(None);
    view.remark(&settings, false, &mut ui);
    assert!(ui.messages().contains(&hint), "{}", ui.messages());
}

#[test]
fn nothing_is_hinted_when_everything_is_trusted() {
    // D4
    let world = World::new();
    world.skill("skills", "pdf", "Fills forms. Use it.");
    let settings = settings(&world, personal(&world));
    let view = View::open(&settings);
    assert_eq!(trust_hint(&view.catalog, &settings), None);
    let mut ui = Ui::plain(None);
    view.remark(&settings, false, &mut ui);
    assert_eq!(ui.messages(), "");
}

#[test]
fn roots_given_by_hand_come_before_the_directories_of_agents() {
    // D1, D3
    let world = World::new();
    world.skill("skills", "pdf", "Given by hand. Use it.");
    world.skill("home/.claude/skills", "pdf", "Of an agent. Use it.");
    let global = Global { no_default_roots: false, ..personal(&world) };
    let view = View::open(&settings(&world, global));
    let Named::Entry(entry) = view.named("pdf").unwrap() else { panic!("pdf is hidden") };
    assert_eq!(&*entry.found.description, "Given by hand. Use it.");
    assert_eq!(view.catalog.shadowed.len(), 1);
}
