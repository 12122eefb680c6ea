//! N4: what one call costs a process that opens the session for it alone, by length of the journal,
//! beside a floor in the same run: reading the journal's last block and appending a line to it.
//!
//!     cargo bench -p metier-runtime --bench open [-- --quick]

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark reads the clock, writes files and prints what it measured"
)]

use std::hint::black_box;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use metier_policy::{HostTable, Policy, Profile, ToolCall};
use metier_runtime::clock::TickingClock;
use metier_runtime::journal::{self, Durability, FileJournal};
use metier_runtime::redact::Redactor;
use metier_runtime::session::{Settings, Whereabouts};
use metier_runtime::{Ids, Session, Setup};
use metier_store::LayeredStore;
use serde_json::json;

fn setup() -> Setup {
    Setup {
        store: Arc::new(LayeredStore::new(Vec::new())),
        catalog: Arc::default(),
        policy: Policy::profile(Profile::Default),
        policy_digest: String::new(),
        host: HostTable::plain().clone(),
        whereabouts: Whereabouts { cwd: "/".into(), home: None, ..Whereabouts::default() },
        ids: Ids { session: "bench".into(), ..Ids::default() },
        settings: Settings::default(),
        redactor: Redactor::default(),
        scripts: metier_runtime::script::ScriptGround::default(),
        artifacts: None,
        vouch: Arc::new(metier_store::vouch::Nobody),
        depth: metier_store::vouch::Depth::Stamps,
    }
}

fn session(path: &Path) -> Session {
    let clock = Arc::new(TickingClock::default());
    let journal = FileJournal::open(path, Durability::System, clock).unwrap();
    Session::resume(setup(), Box::new(journal)).unwrap()
}

/// Median microseconds of `rounds` calls.
fn measure(rounds: usize, mut act: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            act();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[rounds / 2]
}

/// The least any process has to do: look at the end of the file and add to another.
fn floor(path: &Path, scratch: &Path) {
    let file = std::fs::File::open(path).unwrap();
    let length = file.metadata().unwrap().len();
    let mut block = [0; 4096];
    let read = file.read_at(&mut block, length.saturating_sub(4096)).unwrap();
    let mut scratch = std::fs::File::options().append(true).create(true).open(scratch).unwrap();
    scratch.write_all(&block[..read.min(600)]).unwrap();
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let scratch = folder.path().join("scratch");
    let call = ToolCall::new("Glob", json!({ "pattern": "src/**/*.rs" }));
    let quick = std::env::args().any(|argument| argument == "--quick");
    let lengths: &[u64] = if quick { &[0, 1000] } else { &[0, 1000, 20_000, 200_000] };
    println!("open + guard + close, median of 301, microseconds");
    println!(
        "{:>10}{:>14}{:>10}{:>10}{:>22}{:>16}",
        "frames", "by checkpoint", "floor", "ratio", "without checkpoint", "read all"
    );
    for frames in lengths {
        let mut filling = session(&path);
        while filling.state().frames < *frames {
            filling.guard(&call).unwrap();
        }
        drop(filling);
        let opened = measure(301, || {
            black_box(session(&path).guard(&call).unwrap());
        });
        let least = measure(301, || floor(&path, &scratch));
        let rebuilt = measure(3, || {
            let _ = std::fs::remove_file(folder.path().join("journal.jsonl.checkpoint"));
            black_box(session(&path).guard(&call).unwrap());
        });
        let read = measure(3, || drop(black_box(journal::read(&path).unwrap())));
        let ratio = opened / least;
        println!("{frames:>10}{opened:>14.0}{least:>10.0}{ratio:>10.1}{rebuilt:>22.0}{read:>16.0}");
    }
}
