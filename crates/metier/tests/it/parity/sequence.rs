//! Any sequence of operations, through one surface or through several in turn, leaves the journal
//! that the library leaves.

use std::cell::{Cell, RefCell};

use metier_runtime::Session;
use metier_runtime::capability::{Call, Operation};
use metier_runtime::event::Trigger;
use metier_runtime::session::Again;
use metier_serve::surface::{self, Surface, cell};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::ground::{self, Ground, Place};
use super::meaning;
use super::speaker::{Question, Speaker};

/// Sequences tried; `METIER_PARITY_SEQUENCES` tries more.
const SEQUENCES: u32 = 6;

/// Longest sequence.
const STEPS: usize = 14;

/// The surfaces that have every operation.
const SURFACES: [Surface; 3] = [Surface::Command, Surface::Mcp, Surface::Http];

/// What is asked, and whose turn it is to ask.
type Step = ((Operation, Value), usize);

/// What may be asked, more often what changes something.
fn step() -> impl Strategy<Value = (Operation, Value)> {
    let skill =
        prop::sample::select(vec!["notes", "free", "hooked", "stranger", "by-hand", "nowhere"]);
    let command = prop::sample::select(vec!["ls", "git status", "git push", "rm x"]);
    let path = prop::sample::select(vec!["references/a.md", "references/secret.md", "../x", "b"]);
    let looks = prop::sample::select(vec![
        (Operation::Status, json!({})),
        (Operation::Events, json!({})),
        (Operation::ScriptList, json!({})),
        (Operation::Prompt, json!({})),
        (Operation::Read, json!({"name": "off", "path": "SKILL.md"})),
    ]);
    prop_oneof![
        4 => skill.prop_map(|name| (Operation::Activate, json!({"name": name}))),
        2 => Just((Operation::Release, json!({}))),
        1 => Just((Operation::Release, json!({"name": "notes"}))),
        1 => Just((Operation::End, json!({}))),
        3 => command.prop_map(|text| {
            (Operation::Guard, json!({"tool": "Bash", "arguments": {"command": text}}))
        }),
        2 => path.prop_map(|path| (Operation::Read, json!({"name": "files", "path": path}))),
        2 => looks,
    ]
}

/// Asks `steps` in `session`, each through one of `speakers`.
fn speak(speakers: &mut [Speaker<'_>], session: &str, steps: &[Step]) -> Vec<Value> {
    drop(begun(speakers[0].ground, speakers[0].place, session));
    for ((operation, arguments), who) in steps {
        let count = speakers.len();
        let speaker = &mut speakers[who % count];
        let surface::Cell::Ways(ways) = cell(speaker.surface, *operation) else { unreachable!() };
        let (operation, arguments) = (*operation, arguments.clone());
        let question = Question { operation, arguments, asker: Trigger::Auto };
        speaker.ask(&ways[0], session, &question);
    }
    let first = &speakers[0];
    meaning::bare(first.ground, first.place, first.ground.frames(first.place, session))
}

#[test]
fn any_sequence_leaves_one_journal_whichever_surfaces_it_goes_through() {
    // U7, J1, S6
    let ground = Ground::new("session.again = \"repeat\"\n");
    let speaker = |surface, place| Speaker::new(&ground, surface, Place(place));
    let mut companies: Vec<Vec<Speaker<'_>>> =
        SURFACES.map(|surface| vec![speaker(surface, surface.title())]).into();
    companies.push(SURFACES.map(|surface| speaker(surface, "together")).into());
    // The runner lends what it calls out to nobody, so what changes is in cells.
    let (companies, number) = (RefCell::new(companies), Cell::new(0));
    let wanted = std::env::var("METIER_PARITY_SEQUENCES").ok();
    let config = Config {
        cases: wanted.and_then(|count| count.parse().ok()).unwrap_or(SEQUENCES),
        failure_persistence: None,
        max_shrink_iters: 64,
        ..Config::default()
    };
    let sequences = prop::collection::vec((step(), 0..SURFACES.len()), 1..STEPS);
    let tried = TestRunner::new(config).run(&sequences, |steps| {
        number.set(number.get() + 1);
        let session = format!("q{}", number.get());
        let expected = library(&ground, &session, &steps);
        for company in companies.borrow_mut().iter_mut() {
            let left = speak(company, &session, &steps);
            let names: Vec<&str> = company.iter().map(|speaker| speaker.surface.title()).collect();
            prop_assert_eq!(&left, &expected, "{}", names.join(", "));
        }
        Ok(())
    });
    tried.unwrap();
}

/// The session as all of them find it.
fn begun(ground: &Ground, place: Place<'_>, session: &str) -> Session {
    ground::begun(ground.setup(place, session, "plain", Again::Repeat))
}

/// What the library leaves.
fn library(ground: &Ground, session: &str, steps: &[Step]) -> Vec<Value> {
    let place = Place("reference");
    let mut opened = begun(ground, place, session);
    for ((operation, arguments), _) in steps {
        let call =
            Call { operation: *operation, arguments: arguments.clone(), asker: Trigger::Auto };
        // A refusal is as good as an answer here: what counts is what it leaves.
        let _ = ground::call(&mut opened, call);
    }
    meaning::bare(ground, place, ground.frames(place, session))
}
