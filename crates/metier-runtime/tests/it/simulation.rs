//! A seed drives random acts, crashes and a journal that refuses; after each step the invariants
//! hold and replay equals live. `METIER_SIMULATION_STEPS` runs more of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use metier_policy::{ToolCall, Verdict};
use metier_runtime::Session;
use metier_runtime::event::Trigger;
use metier_runtime::journal::MemoryJournal;
use metier_runtime::replay::replay;
use metier_runtime::session::Invocation;
use serde_json::json;

use crate::ground::{Faulty, journal, setup};

const STEPS: usize = 10_000;

const NAMES: &[&str] =
    &["git-helper", "free", "reader", "broken-tools", "by-hand", "stranger", "nobody", "../x"];

const COMMANDS: &[&str] =
    &["git status", "git log | head", "ls", "git status; rm -rf x", "git $(touch x)", "cat a", ""];

struct World {
    journal: MemoryJournal,
    refuses: Arc<AtomicBool>,
    session: Session,
    random: u64,
}

impl World {
    fn new(seed: u64) -> Self {
        let journal = journal();
        let refuses = Arc::new(AtomicBool::new(false));
        let session = start(&journal, &refuses);
        Self { journal, refuses, session, random: seed | 1 }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        usize::try_from(self.random % limit as u64).unwrap()
    }

    fn step(&mut self) {
        let refuses = self.below(10) == 0;
        self.refuses.store(refuses, Ordering::Relaxed);
        let before = self.session.state().clone();
        let act = self.below(100);
        match act {
            0..35 => {
                let name = NAMES[self.below(NAMES.len())];
                let trigger = if self.below(2) == 0 { Trigger::Auto } else { Trigger::Manual };
                let _ = self.session.activate(&Invocation { name, arguments: "a", trigger });
            }
            35..70 => self.guard(),
            70..80 => {
                let name = NAMES[self.below(NAMES.len())];
                let _ = self.session.read(name, "references/a.md", 100);
            }
            80..92 => {
                let named = self.below(2) == 0;
                let name = NAMES[self.below(NAMES.len())];
                let _ = self.session.release(named.then_some(name));
            }
            92..94 => {
                let _ = self.session.end();
            }
            _ => {
                // A crash: the process is gone, the journal is not.
                self.refuses.store(false, Ordering::Relaxed);
                self.session = start(&self.journal, &self.refuses);
            }
        }
        if refuses && act < 94 {
            assert_eq!(self.session.state(), &before, "a refusing journal changes nothing");
        }
        self.check();
    }

    fn guard(&mut self) {
        let command = COMMANDS[self.below(COMMANDS.len())];
        let call = ToolCall::new("Bash", json!({ "command": command }));
        let restricted = self.session.status().grant;
        if let Ok(guarded) = self.session.guard(&call)
            && guarded.ruling.verdict == Verdict::Allow
        {
            let admits = |tools: &[String]| tools.iter().any(|t| t == "Bash(git:*)");
            assert!(restricted.iter().all(|line| admits(&line.tools)), "{command}: {restricted:?}");
            assert!(restricted.is_empty() || command.starts_with("git") && !command.contains("rm"));
        }
    }

    /// Replay equals live; the chain holds; names on the stack are there once and may be there.
    fn check(&self) {
        let frames = self.journal.all();
        let replayed = replay(&frames).remove("s").unwrap();
        assert_eq!(&replayed, self.session.state());
        let stack = &self.session.state().stack;
        for (at, active) in stack.iter().enumerate() {
            let name = &active.skill.name;
            assert!(name != "stranger" && name != "nobody", "{name} can never be active");
            assert!(stack[..at].iter().all(|below| &below.skill.name != name), "{name} twice");
        }
        if let [.., last, this] = frames.as_slice() {
            assert_eq!(this.prev, last.digest);
        }
    }
}

fn start(journal: &MemoryJournal, refuses: &Arc<AtomicBool>) -> Session {
    let faulty = Faulty { inner: journal.clone(), refuses: Arc::clone(refuses) };
    Session::open(setup(), Box::new(faulty)).unwrap()
}

#[test]
fn ten_thousand_random_steps_keep_every_invariant() {
    // S6, J1, J3, S3
    let asked = std::env::var("METIER_SIMULATION_STEPS").ok().and_then(|s| s.parse().ok());
    let steps = asked.unwrap_or(STEPS);
    // Short lives keep the replay of each step short.
    let per_life = 50;
    for life in 0..steps.div_ceil(per_life) {
        let mut world = World::new(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(life as u64 + 1));
        for _ in 0..per_life {
            world.step();
        }
    }
}
