//! N1, N3, N5: discovery beside the least work the kernel allows, in one run: `cargo bench -p metier-store
//! --bench discover`. Flags after `--`: `--quick` leaves out 100,000 skills, `--shared DIR` takes
//! generator and floor program from there instead of the project's own.
//!
//! Times are the best of several rounds in which both take turns, so that a busy machine slows
//! both; the processor's time, which others' work disturbs less, stands beside the clock's. Bytes
//! are what a discovery holds when it is done, as asked of the allocator.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark makes files, starts the floor program, reads the clock and prints"
)]
#![expect(unsafe_code, reason = "an allocator that counts is one that passes calls on")]

use std::alloc::{GlobalAlloc, Layout as Memory, System};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use metier_store::discover::{Discovery, ScanLimits};
use metier_store::{FileStore, Layer, Root, Store};
use metier_testing::{Layout, generate_skills, shared};
use rustix::time::{ClockId, clock_gettime};

/// Rounds in which floor and discovery take turns, and runs in each.
const ROUNDS: usize = 9;

struct Counting;

static COUNT: AtomicBool = AtomicBool::new(false);
static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator with the arguments as they came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, memory: Memory) -> *mut u8 {
        count(memory.size(), 0);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(memory) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, memory: Memory) {
        count(0, memory.size());
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(pointer, memory) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, memory: Memory, size: usize) -> *mut u8 {
        count(size, memory.size());
        // SAFETY: as the caller promised.
        unsafe { System.realloc(pointer, memory, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(more: usize, less: usize) {
    if COUNT.load(Ordering::Relaxed) {
        LIVE.fetch_add(more.wrapping_sub(less), Ordering::Relaxed);
    }
}

struct Bench {
    floor: PathBuf,
    material: Option<PathBuf>,
    space: tempfile::TempDir,
}

/// Nanoseconds a skill with one thread and with two, best of all rounds.
struct Times {
    floor: [Cost; 2],
    ours: [Cost; 2],
    bytes: usize,
}

/// Nanoseconds a skill.
#[derive(Clone, Copy)]
struct Cost {
    /// By the clock.
    wall: f64,
    /// Of processors.
    cpu: f64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let given = arguments.iter().position(|argument| argument == "--shared");
    let given = given.and_then(|at| arguments.get(at + 1)).map(PathBuf::from);
    let material = given.or_else(shared).map(|shared| shared.join("bench"));
    let bench = Bench::new(material);
    let sizes: &[usize] = if quick { &[1_000, 10_000] } else { &[1_000, 10_000, 100_000] };
    println!("nanoseconds a skill           floor       discover          ratio");
    println!("layout  skills  threads     wall    cpu    wall    cpu    wall   cpu   bytes/skill");
    for layout in [Layout::Flat, Layout::Nested] {
        let mut first = None;
        for &size in sizes {
            let times = bench.measure(layout, size);
            times.print(layout, size);
            let first = *first.get_or_insert(times.ours[0].cpu);
            if size > 1_000 {
                let growth = times.ours[0].cpu / first;
                println!("        a skill costs {growth:.2} times what it does among 1,000");
            }
        }
    }
}

impl Bench {
    fn new(material: Option<PathBuf>) -> Self {
        let space = tempfile::TempDir::with_prefix("metier-bench-").expect("a directory");
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/floor.c");
        let given = material.as_ref().map(|at| at.join("floor.c")).filter(|path| path.exists());
        let source = given.unwrap_or(own);
        println!("floor program: {}", source.display());
        let floor = space.path().join("floor");
        let built =
            Command::new("cc").args(["-O2", "-pthread", "-o"]).arg(&floor).arg(&source).status();
        assert!(built.is_ok_and(|status| status.success()), "cc builds the floor program");
        Self { floor, material, space }
    }

    fn measure(&self, layout: Layout, size: usize) -> Times {
        let root = self.space.path().join("skills");
        self.generate(&root, layout, size);
        let store = FileStore::new(vec![root_at(&root)]);
        let runs = (50_000 / size).clamp(1, 25);
        let mut times = Times { floor: [Cost::MOST; 2], ours: [Cost::MOST; 2], bytes: 0 };
        for _ in 0..ROUNDS {
            for (threads, floor) in (1..).zip(&mut times.floor) {
                floor.improve(self.floor(&root, layout, threads, runs));
            }
            for (threads, ours) in (1..).zip(&mut times.ours) {
                ours.improve(discover(&store, threads, runs, size));
            }
        }
        times.bytes = held(&store) / size;
        std::fs::remove_dir_all(&root).expect("remove the skills");
        times
    }

    /// Makes the skills: with the shared generator where there is one, the largest tree with ours,
    /// which is quicker.
    fn generate(&self, root: &Path, layout: Layout, size: usize) {
        let script = self.material.as_ref().map(|at| at.join("gen_skills.py"));
        match script.filter(|script| script.exists() && size < 100_000) {
            Some(script) => {
                let word = if layout == Layout::Flat { "flat" } else { "nested" };
                let mut python = Command::new("python3");
                python.arg(script).arg(root).arg(size.to_string()).args(["--layout", word]);
                assert!(
                    python.output().is_ok_and(|out| out.status.success()),
                    "the generator runs"
                );
            }
            None => generate_skills(root, size, layout),
        }
    }

    fn floor(&self, root: &Path, layout: Layout, threads: usize, runs: usize) -> Cost {
        let walk = if layout == Layout::Flat { "flat" } else { "walk" };
        let mut floor = Command::new(&self.floor);
        floor.arg(root).args(["-p", "1", "-w", walk, "-t", &threads.to_string()]);
        let out = floor.args(["-r", &(runs + 1).to_string()]).output().expect("the floor runs");
        let line = String::from_utf8_lossy(&out.stderr).into_owned();
        let figure = |key: &str| -> f64 {
            let value = line.split(key).nth(1).expect("a figure");
            let is_part = |c: &char| c.is_ascii_digit() || *c == '.';
            let digits: String = value.chars().take_while(is_part).collect();
            digits.parse().expect("a number")
        };
        Cost { wall: figure("\"best_ns_per_skill\":"), cpu: figure("\"best_cpu_ns_per_skill\":") }
    }
}

impl Times {
    fn print(&self, layout: Layout, size: usize) {
        let layout = if layout == Layout::Flat { "flat" } else { "nested" };
        for (threads, (floor, ours)) in (1..).zip(self.floor.iter().zip(&self.ours)) {
            let ratio = Cost { wall: ours.wall / floor.wall, cpu: ours.cpu / floor.cpu };
            println!(
                "{layout:<7} {size:>6} {threads:>8} {:>8.0} {:>6.0} {:>7.0} {:>6.0} {:>7.2} {:>5.2} {:>13}",
                floor.wall, floor.cpu, ours.wall, ours.cpu, ratio.wall, ratio.cpu, self.bytes,
            );
        }
    }
}

impl Cost {
    const MOST: Self = Self { wall: f64::MAX, cpu: f64::MAX };

    fn improve(&mut self, other: Self) {
        self.wall = self.wall.min(other.wall);
        self.cpu = self.cpu.min(other.cpu);
    }
}

fn root_at(path: &Path) -> Root {
    Root {
        layer: Layer::Personal,
        path: path.to_owned(),
        client_order: 0,
        immediate_only: false,
        trusted: true,
        optional: false,
        within: None,
    }
}

fn discover(store: &FileStore, threads: usize, runs: usize, size: usize) -> Cost {
    let limits = ScanLimits { threads, ..ScanLimits::default() };
    let mut best = Cost::MOST;
    for _ in 0..=runs {
        let (start, start_cpu) = (Instant::now(), processor_time());
        let discovery = store.discover(&limits);
        let (wall, cpu) = (start.elapsed().as_nanos() as f64, processor_time() - start_cpu);
        check(&discovery, size);
        best.improve(Cost { wall: wall / size as f64, cpu: cpu / size as f64 });
    }
    best
}

/// Nanoseconds that processors have worked for this process.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

fn held(store: &FileStore) -> usize {
    COUNT.store(true, Ordering::Relaxed);
    let before = LIVE.load(Ordering::Relaxed);
    let discovery = store.discover(&ScanLimits::default());
    let held = LIVE.load(Ordering::Relaxed).wrapping_sub(before);
    COUNT.store(false, Ordering::Relaxed);
    drop(discovery);
    held
}

fn check(discovery: &Discovery, size: usize) {
    assert_eq!(discovery.found.len(), size, "every skill is found");
    assert!(discovery.notes.is_empty(), "nothing is left out");
}
