//! Every operation on every surface that has it: the same call in the same world leaves the same
//! frames and means the same. The calls are in `parity/cases.tsv`, the surfaces and what they say
//! differently on purpose in `metier_serve::surface`; `docs/surfaces.md` is written from both.

mod ground;
mod meaning;
mod page;
mod sequence;
mod speaker;
mod words;

use std::collections::BTreeSet;

use metier_runtime::Capability;
use metier_runtime::capability::{Call, Operation};
use metier_runtime::event::Trigger;
use metier_serve::surface::{Cell, Difference, Surface, Way, cell};
use serde_json::Value;

use ground::{Ground, Place};
use meaning::Pair;
use speaker::{Question, Speaker};

const CASES: &str = include_str!("parity/cases.tsv");

/// One call, and what has to come of it.
#[derive(Clone, Debug)]
struct Case {
    number: usize,
    operation: Operation,
    name: &'static str,
    /// None means whoever can.
    asker: Option<Trigger>,
    arguments: Value,
    /// `ok`, or the code of the failure.
    outcome: &'static str,
    /// What was done before, in a session that had begun; none means that it had not.
    before: Option<Vec<(Operation, Value)>>,
}

fn cases() -> Vec<Case> {
    let lines = CASES.lines().filter(|line| !line.starts_with('#'));
    lines.enumerate().map(|(number, line)| case(number, line)).collect()
}

fn case(number: usize, line: &'static str) -> Case {
    let columns: Vec<&str> = line.split('\t').collect();
    let [operation, name, asker, arguments, outcome, before] = columns[..] else {
        unreachable!("not six columns: {line}");
    };
    let named = |name: &str| Capability::named(name).unwrap().operation;
    let before: Option<Vec<(String, Value)>> = serde_json::from_str(before).unwrap();
    Case {
        number,
        operation: named(operation),
        name,
        asker: match asker {
            "model" => Some(Trigger::Auto),
            "user" => Some(Trigger::Manual),
            _ => None,
        },
        arguments: serde_json::from_str(arguments).unwrap(),
        outcome,
        before: before.map(|steps| {
            steps.into_iter().map(|(name, arguments)| (named(&name), arguments)).collect()
        }),
    }
}

impl Case {
    /// Who asks when this is asked in `way`; none when it cannot be asked there.
    fn asker_in(&self, way: &Way) -> Option<Trigger> {
        let says = |name: &String| way.called(self.operation, name).is_some();
        let sayable = self.arguments.as_object().unwrap().keys().all(says);
        let who = match self.asker {
            Some(asker) => Some(asker).filter(|asker| way.is_for(*asker)),
            None => [Trigger::Auto, Trigger::Manual].into_iter().find(|asker| way.is_for(*asker)),
        };
        who.filter(|_| sayable && meaning::can_be_said(self, way))
    }
}

/// The ways of `surface` in which something is asked for, with their operations.
fn ways(surface: Surface) -> Vec<(Operation, Way)> {
    let mut all = Vec::new();
    for capability in Capability::ALL {
        if let Cell::Ways(ways) = cell(surface, capability.operation) {
            all.extend(ways.into_iter().map(|way| (capability.operation, way)));
        }
    }
    all
}

/// What was undone before a way and the library agreed.
type Undone = BTreeSet<Difference>;

/// Asks one case in one way, and the same of the library. None when it cannot be asked there.
fn compare(
    speaker: &mut Speaker<'_>,
    (number, way): (usize, &Way),
    case: &Case,
) -> Option<Result<Undone, String>> {
    let asker = case.asker_in(way)?;
    let (ground, surface) = (speaker.ground, speaker.surface);
    let session = format!("s{}-{number}", case.number);
    let reference = format!("{}-reference", surface.title());
    let (place, reference) = (speaker.place, Place(&reference));
    let begin = |place| {
        ground.forget_help(place);
        let setup = ground.setup(place, &session, surface.host(), surface.again());
        let Some(steps) = &case.before else { return (ground::prepared(setup), 0) };
        let mut opened = ground::begun(setup);
        for (operation, arguments) in steps {
            let call = Call { operation: *operation, arguments: arguments.clone(), asker };
            ground::call(&mut opened, call).unwrap();
        }
        (opened, ground.frames(place, &session).len())
    };
    let (mut library, before) = begin(reference);
    let (_, same) = begin(place);
    assert_eq!(before, same);
    let arguments = case.arguments.clone();
    let question = Question { operation: case.operation, arguments, asker };
    let expected = meaning::reference(&mut library, case, way, &question);
    let told = speaker.ask(way, &session, &question);
    let left = |place| {
        let frames = ground.frames(place, &session).split_off(before);
        meaning::bare(ground, place, frames)
    };
    let pair = Pair {
        expected: meaning::redacted(ground, reference, &expected),
        told: meaning::redacted(ground, place, &told),
        expected_frames: left(reference),
        frames: left(place),
    };
    Some(meaning::agree(case, way, pair))
}

/// What one surface gets wrong.
fn problems_of(ground: &Ground, surface: Surface, cases: &[Case]) -> Vec<String> {
    let mut speaker = Speaker::new(ground, surface, Place(surface.title()));
    let mut problems = Vec::new();
    for (number, (operation, way)) in ways(surface).iter().enumerate() {
        let what = format!("{}: {} ({})", surface.title(), operation.capability().name, way.form);
        let mut undone = Undone::new();
        for case in cases.iter().filter(|case| case.operation == *operation) {
            match compare(&mut speaker, (number, way), case) {
                None => {}
                Some(Ok(seen)) => undone.extend(seen),
                Some(Err(why)) => problems.push(format!("{what}: {}\n{why}", case.name)),
            }
        }
        for named in way.differs.iter().filter(|named| !undone.contains(named)) {
            problems.push(format!("{what}: no case shows the difference {named:?}"));
        }
    }
    problems
}

#[test]
fn the_same_call_means_the_same_and_leaves_the_same_frames_on_every_surface() {
    // U7, U8, J1
    let (ground, cases) = (Ground::new(""), cases());
    let problems: Vec<String> = std::thread::scope(|scope| {
        let others = Surface::ALL.into_iter().filter(|surface| *surface != Surface::Library);
        let (ground, cases) = (&ground, &cases);
        let threads: Vec<_> = others
            .map(|surface| scope.spawn(move || problems_of(ground, surface, cases)))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(problems.is_empty(), "{} differ:\n{}", problems.len(), problems.join("\n"));
}
