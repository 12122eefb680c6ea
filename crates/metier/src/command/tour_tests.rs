use metier_format::{Code, parse};

use super::{CAREFUL, FAULTY, LEVELS, OWN, STOPS, trap, typed};
use crate::args::Cli;

#[test]
fn the_trap_is_as_large_as_the_tour_says() {
    // F4
    let text = trap();
    assert_eq!(text.lines().count(), 15);
    let ten = u32::try_from(LEVELS).unwrap();
    assert_eq!(10u64.pow(ten), 10_000_000_000, "ten billion values");
    for level in 1..LEVELS {
        let reference = format!("*l{}", level - 1);
        let line = text.lines().find(|line| line.trim_start().starts_with(&format!("l{level}:")));
        assert_eq!(line.unwrap().matches(&reference).count(), 10, "level {level}");
    }
}

#[test]
fn the_trap_is_refused_and_the_others_load() {
    // F4
    let refused = parse(trap().as_bytes(), Some("harmless"));
    assert!(refused.manifest.is_none());
    assert!(refused.diagnostics.iter().any(|d| d.code == Code::YamlAnchor));
    let own = parse(OWN.as_bytes(), Some("hello-extended"));
    assert!(own.manifest.is_some() && own.diagnostics.is_empty(), "{:?}", own.diagnostics);
    let careful = parse(CAREFUL.as_bytes(), Some("release-notes"));
    assert!(careful.manifest.is_some() && careful.diagnostics.is_empty());
    let faulty = parse(FAULTY.as_bytes(), Some("packing-list"));
    assert!(faulty.manifest.is_some());
    assert!(faulty.diagnostics.iter().any(|d| d.code == Code::Repaired));
}

#[test]
fn every_stop_is_a_command_that_can_be_typed() {
    // U1
    for stop in &STOPS {
        let words = std::iter::once("metier").chain(stop.command.iter().copied());
        let read = Cli::read(words.map(Into::into).collect());
        assert!(read.is_ok(), "{:?}", stop.command);
        assert!(!stop.title.is_empty() && stop.story.ends_with('.'), "{:?}", stop.command);
    }
}

#[test]
fn a_command_is_shown_as_a_shell_takes_it() {
    // U1
    assert_eq!(typed(&["list"]), "metier list");
    let guard = ["guard", "Bash", r#"{"command": "ls"}"#];
    assert_eq!(typed(&guard), r#"metier guard Bash '{"command": "ls"}'"#);
}
