//! P4: prints what vouching for 1,000 approved skills costs: reading the books, looking at stamps,
//! hashing everything; and what installing 1 and 100 skills from a directory takes. Run with
//! `cargo bench -p metier-package --bench vouch`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark writes files, measures time and prints it"
)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use metier_format::SkillName;
use metier_package::trust::By;
use metier_package::{
    Candidate, Drift, Home, Ledger, Locked, Place, Request, Signature, Staged, install,
};
use metier_store::store::Location;
use metier_store::vouch::{Depth, Standing, Vouch as _};
use metier_store::{FileStore, Layer, Root, RootId, Store as _};
use metier_testing::{Layout, World, generate_skills};

const SKILLS: usize = 1_000;

fn main() {
    let world = World::new();
    let source = world.path().join("source");
    generate_skills(&source, SKILLS, Layout::Flat);
    let directories = directories(&source);
    for count in [1, 100, SKILLS] {
        let home = Home::new(world.path().join(format!("home-{count}")));
        let candidates: Vec<Candidate> = directories.iter().take(count).map(candidate).collect();
        let by = By { who: "ada".to_owned(), at: "2031-05-06T07:08:09".to_owned() };
        let request = Request {
            home: &home,
            place: &Place::Personal,
            act: "add",
            by: &by,
            drift: Drift::Refuse,
        };
        let (_, took) = timed(|| install(&request, &candidates).unwrap());
        println!("install {count} from a directory: {took:.1?}");
    }
    // Stamps younger than this prove nothing.
    std::thread::sleep(Duration::from_millis(2_100));
    let home = Home::new(world.path().join(format!("home-{SKILLS}")));
    vouch_for_all(&home, &directories);
}

fn vouch_for_all(home: &Home, directories: &[PathBuf]) {
    let all = |ledger: &Ledger, depth: Depth| {
        for directory in directories {
            let name = directory.file_name().unwrap().to_str().unwrap();
            let installed = Place::Personal.directory(home, name);
            let vouched = ledger.vouch(&SkillName::parse(name).unwrap(), &installed, depth);
            assert_eq!(vouched.standing, Standing::Approved, "{name}");
        }
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as i128;
    let (ledger, opened) = timed(|| Ledger::open(home, None, now));
    let (_, hashed) = timed(|| all(&ledger, Depth::Stamps));
    let (_, saved) = timed(|| ledger.save());
    println!("first time: books {opened:.1?}, every byte {hashed:.1?}, stamps written {saved:.1?}");
    for _ in 0..5 {
        let (ledger, opened) = timed(|| Ledger::open(home, None, now));
        let (_, stamps) = timed(|| all(&ledger, Depth::Stamps));
        let (_, bytes) = timed(|| all(&ledger, Depth::Bytes));
        println!("later: books {opened:.1?}, by stamps {stamps:.1?}, by bytes {bytes:.1?}");
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let value = work();
    (value, start.elapsed())
}

fn directories(source: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(source).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

fn candidate(directory: &PathBuf) -> Candidate {
    let store = FileStore::new(vec![Root::given(Layer::Personal, directory)]);
    let tree = store.tree(&Location { root: RootId(0), path: Path::new("").into() }).unwrap();
    let name = SkillName::parse(directory.file_name().unwrap().to_str().unwrap()).unwrap();
    let locked = Locked {
        source: "https://git.example/skills".to_owned(),
        path: name.to_string(),
        requested: None,
        commit: Some("0".repeat(40)),
        signature: Signature::None,
    };
    let staged = Staged { name, directory: directory.clone(), locked, tree };
    Candidate { staged, want: None, approved: true }
}
