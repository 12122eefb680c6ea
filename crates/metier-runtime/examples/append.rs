//! Appends COUNT warnings to JOURNAL as SESSION, printing the number of each frame once it is
//! acknowledged. The tests start many of these at once and kill some.
//!
//!     cargo run -p metier-runtime --example append -- JOURNAL SESSION COUNT [frame|act|system]

#![expect(clippy::print_stdout, reason = "an example talks to whoever started it")]

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use metier_runtime::clock::TickingClock;
use metier_runtime::event::{Event, SkillWarning};
use metier_runtime::journal::{Beat, Durability, FileJournal, Ids, Journal as _};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [path, session, count, rest @ ..] = words.as_slice() else {
        return Err("usage: append JOURNAL SESSION COUNT [frame|act|system]".into());
    };
    let durability = match rest.first().map(String::as_str) {
        Some("frame") => Durability::EachFrame,
        Some("system") => Durability::System,
        _ => Durability::EachAct,
    };
    let clock = Arc::new(TickingClock::starting_at(0));
    let mut journal = FileJournal::open(Path::new(path), durability, clock)?;
    let ids = Ids { session: session.clone(), ..Ids::default() };
    for number in 0..count.parse::<u64>()? {
        let detail = format!("{session} {number}");
        let warning = SkillWarning { name: None, kind: "example".into(), detail };
        let frame = journal.append(&ids, &Event::SkillWarning(warning), Beat::Result)?;
        println!("{}", frame.seq);
        std::io::stdout().flush()?;
    }
    Ok(())
}
