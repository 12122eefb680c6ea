//! Running one child: decide the walls, start the helper, move the bytes, watch the clock, end the
//! tree, report.
//!
//! One thread, one `poll` loop. The thread that calls [`Runner::run`] is blocked until nothing of
//! the child is left. The five beats: [`choose`] decides, `start` acts, `attend` waits, the
//! helper's report tells how it went, `conclude` says it.

#![expect(
    clippy::disallowed_methods,
    reason = "the one place where processes are started, and where their time is measured"
)]

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{Mode, OFlags};
use rustix::net::{AddressFamily, Shutdown, SocketFlags, SocketType};
use rustix::time::Timespec;

use crate::backend::{BackendKind, Choice, Ground, Shape, Support, choose, scratch_inside};
use crate::cancel::Cancel;
use crate::channel;
use crate::confinement::{Confinement, Level};
use crate::denial;
use crate::ground;
use crate::helper;
use crate::invocation::{Invocation, Stdin, Stdout};
use crate::limits::{Limit, Limits, Overflow};
use crate::outcome::{Enforced, Outcome, RunError, Status};
use crate::pump::{Drain, Feed, Source};
use crate::wire::{Bytes, GroupPlan, Job, MARKER, Plan, Report, ScratchPlan, Tree};

/// How long the supervisor may take to end a tree before it is killed itself. Its own end kills a
/// namespace too.
const GRACE: Duration = Duration::from_secs(10);

/// The same where a sweep ends the tree: one that is interrupted would leave the rest to nobody.
const GRACE_OF_SWEEP: Duration = Duration::from_secs(60);

/// Where `bwrap` is looked for. Not in `PATH`, which may begin anywhere.
const BUBBLEWRAP: &[&str] = &["/usr/bin/bwrap", "/usr/local/bin/bwrap"];

/// What certainly fits into a socket nobody reads yet.
const EARLY: usize = 64 << 10;

/// Runs children. Cheap to make; what it finds out about the system is kept for the process.
#[derive(Debug, Clone)]
pub struct Runner {
    helper: PathBuf,
    only: Option<BackendKind>,
    support: Arc<OnceLock<Support>>,
}

impl Default for Runner {
    fn default() -> Self {
        Self::new()
    }
}

impl Runner {
    /// A runner whose helper is the running program itself. Its `main` must begin with
    /// [`helper_main`](crate::helper_main).
    #[must_use]
    pub fn new() -> Self {
        static FOUND: LazyLock<Arc<OnceLock<Support>>> = LazyLock::new(Arc::default);
        let support = Arc::clone(&FOUND);
        Self { helper: PathBuf::from("/proc/self/exe"), only: None, support }
    }

    /// The same with another program as helper, for programs that cannot call
    /// [`helper_main`](crate::helper_main) first.
    #[must_use]
    pub fn with_helper(mut self, program: impl Into<PathBuf>) -> Self {
        self.helper = program.into();
        self.support = Arc::default();
        self
    }

    /// The same with one backend and no other.
    #[must_use]
    pub fn with_backend(mut self, kind: BackendKind) -> Self {
        self.only = Some(kind);
        self
    }

    /// The same as if the system offered only this.
    #[must_use]
    pub fn with_support(mut self, support: Support) -> Self {
        self.support = Arc::new(OnceLock::from(support));
        self
    }

    /// What this system offers, found by building the walls once around nothing. Kept by this runner
    /// and its clones, and for the process by runners whose helper is the program itself; a change
    /// of the system is seen by the next one.
    #[must_use]
    pub fn support(&self) -> Support {
        self.support.get_or_init(|| self.probe()).clone()
    }

    /// What would stand behind each wall of this confinement, without running anything.
    ///
    /// # Errors
    /// [`RunError::CannotEnforce`] when a wall is required and cannot be built.
    pub fn enforceable(&self, confinement: &Confinement) -> Result<Enforced, RunError> {
        choose(confinement, &self.support(), self.only).map(|choice| choice.enforced)
    }

    /// Runs one program to its end, to a limit, or to its cancellation. When this returns, nothing
    /// of it is left.
    ///
    /// # Errors
    /// When a required wall cannot be built, a path cannot be used, or the program does not start.
    pub fn run(
        &self,
        invocation: &Invocation,
        confinement: &Confinement,
        cancel: &Cancel,
    ) -> Result<Outcome, RunError> {
        let support = self.support();
        let choice = choose(confinement, &support, self.only)?;
        let ground = ground::resolve(confinement)?;
        let plan = plan(invocation, confinement, &choice, (&support, &ground));
        let mut run = Run::start(&self.helper, &plan, invocation)?;
        let ending = run.attend(&plan, cancel);
        run.conclude(ending, invocation, choice.enforced)
    }

    fn probe(&self) -> Support {
        let control_groups = helper::group::find();
        let bubblewrap = BUBBLEWRAP.iter().map(PathBuf::from).find(|path| path.exists());
        let visible = Support { control_groups, bubblewrap, ..helper::visible_support() };
        let with_bound = Support { pid_max: bounds_ids_per_namespace(), ..visible.clone() };
        let direct = BackendKind::LinuxNamespaces;
        let found = match self.try_backend(direct, &with_bound) {
            Ok(()) => return with_bound,
            Err(_) if with_bound.pid_max => self.try_backend(direct, &visible),
            Err(problem) => Err(problem),
        };
        let Err(problem) = found else { return visible };
        let works = self.try_backend(BackendKind::LinuxBubblewrap, &visible).is_ok();
        let bubblewrap = visible.bubblewrap.clone().filter(|_| works);
        Support { namespaces_problem: Some(problem), bubblewrap, ..visible }
    }

    /// Builds all walls of one backend around nothing; says what went wrong.
    fn try_backend(&self, kind: BackendKind, support: &Support) -> Result<(), String> {
        let confinement = Confinement { level: Level::Prefer, ..Confinement::default() };
        let say = |error: RunError| {
            let cause = std::error::Error::source(&error).map(|source| format!(": {source}"));
            format!("{error}{}", cause.unwrap_or_default())
        };
        let choice = choose(&confinement, support, Some(kind)).map_err(say)?;
        let ground = ground::resolve(&confinement).map_err(say)?;
        let invocation = Invocation::new("/");
        let plan = plan(&invocation, &confinement, &choice, (support, &ground));
        let plan = Plan { job: Job::Probe, ..plan };
        let mut run = Run::start(&self.helper, &plan, &invocation).map_err(say)?;
        let ending = run.attend(&plan, &Cancel::never());
        let outcome = run.conclude(ending, &invocation, choice.enforced).map_err(say)?;
        if outcome.status.is_success() { Ok(()) } else { Err(outcome.status.to_string()) }
    }
}

/// Whether the highest process id belongs to the namespace. Before Linux 6.14 it belonged to the
/// machine, and the superuser setting it for a child would have set it for everybody: this is asked
/// of the version and never found out by trying.
fn bounds_ids_per_namespace() -> bool {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    let mut numbers = release.split(['.', '-']).map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= (6, 14),
        _ => false,
    }
}

fn plan(
    invocation: &Invocation,
    confinement: &Confinement,
    choice: &Choice,
    (support, ground): (&Support, &Ground),
) -> Plan {
    let scratch = confinement.scratch.as_ref().map(|scratch| ScratchPlan {
        bytes: scratch.bytes,
        entries: scratch.entries,
        path: match choice.kind {
            BackendKind::LinuxNamespaces | BackendKind::LinuxBubblewrap => scratch_inside(ground),
            BackendKind::LinuxLandlock | BackendKind::None => fresh(&scratch.base).into(),
        },
    });
    let Shape { tree, landlock, seccomp, drop_capabilities, processes } =
        choice.shape(confinement, support, ground);
    let job = job(invocation, confinement, scratch.as_ref());
    let limits = confinement.limits.clone();
    let group = group(&limits, support, &tree);
    Plan { job, limits, scratch, tree, landlock, seccomp, drop_capabilities, processes, group }
}

fn job(invocation: &Invocation, confinement: &Confinement, scratch: Option<&ScratchPlan>) -> Job {
    let start = || scratch.map_or_else(|| "/".into(), |scratch| scratch.path.clone());
    let pairs = confinement.environment.iter();
    Job::Run {
        program: invocation.program.clone().into(),
        args: invocation.args.iter().cloned().map(Bytes::from).collect(),
        environment: pairs.map(|(n, v)| (n.clone().into(), v.clone().into())).collect(),
        cwd: invocation.cwd.clone().map_or_else(start, Bytes::from),
    }
}

/// The control group, where it would do anything: a namespace can kill all in it by itself.
fn group(limits: &Limits, support: &Support, tree: &Tree) -> Option<GroupPlan> {
    let groups = support.control_groups.as_ref()?;
    if let Tree::Bubblewrap(_) = tree {
        return None;
    }
    let kills = groups.kill && *tree == Tree::Sweep;
    (groups.memory || groups.processes || kills).then(|| GroupPlan {
        path: fresh(&groups.parent).into(),
        memory: groups.memory.then_some(limits.memory),
        processes: groups.processes.then_some(limits.processes),
    })
}

/// A name nobody uses: process, count and clock. The directory is made with an error if it exists,
/// so a guess by somebody else stops the run and gains nothing.
fn fresh(base: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let nanos = clock.map_or(0, |time| time.subsec_nanos());
    base.join(format!("metier-{}-{count}-{nanos:x}", std::process::id()))
}

/// Why the runner ended a run; `None` when it ended by itself.
type Ending = Option<Status>;

/// A run under way.
struct Run<'a> {
    supervisor: Child,
    control: OwnedFd,
    stdout: Drain,
    stderr: Drain,
    feed: Feed<'a>,
    /// What the supervisor said at the end, or how it failed to.
    said: Option<Result<Report, String>>,
    started: Instant,
    /// The private directory, where it is on the machine's disk.
    directory: Option<PathBuf>,
    /// The control group, if there is one.
    group: Option<PathBuf>,
}

impl<'a> Run<'a> {
    fn start(helper: &Path, plan: &Plan, invocation: &'a Invocation) -> Result<Self, RunError> {
        Self::try_start(helper, plan, invocation).map_err(|error| RunError::Supervisor {
            detail: format!("it cannot be started: {error}"),
        })
    }

    fn try_start(helper: &Path, plan: &Plan, invocation: &'a Invocation) -> io::Result<Self> {
        let started = Instant::now();
        let text = serde_json::to_vec(plan)?;
        let (control, theirs) = socket_pair()?;
        let (input, feed) = input(&invocation.stdin)?;
        // Pipes made here rather than by `Command`, so that nothing is started if one fails.
        let (stdout, stdout_in) = output(&invocation.stdout)?;
        let (stderr, stderr_in) = pipe()?;
        // Sent before there is anybody to read it, so that the helper finds it when it starts.
        let early = text.len() <= EARLY;
        if early {
            channel::send_with(control.as_fd(), &text, input.as_fd())?;
        }
        let run = Self {
            stdout: Drain::new(stdout, plan.limits.stdout)?,
            stderr: Drain::new(stderr, plan.limits.stderr)?,
            supervisor: spawn(helper, [theirs, stdout_in, stderr_in])?,
            control,
            feed,
            said: None,
            started,
            directory: match plan.tree {
                Tree::Sweep => plan.scratch.as_ref().map(|s| s.path.path().to_owned()),
                Tree::Namespaces(_) | Tree::Bubblewrap(_) => None,
            },
            group: plan.group.as_ref().map(|group| group.path.path().to_owned()),
        };
        if !early {
            // A helper that is none ends without reading; that is noticed when its report is missed.
            let _ = channel::send_with(run.control.as_fd(), &text, input.as_fd());
        }
        Ok(run)
    }

    /// Moves bytes until the supervisor has said how it went. Gives why the run was ended, if it was.
    fn attend(&mut self, plan: &Plan, cancel: &Cancel) -> Ending {
        let mut ending: Ending = None;
        let mut patience = self.started.checked_add(Duration::from_millis(plan.limits.wall_ms));
        loop {
            let cancelled = self.wait(patience, ending.is_none().then(|| cancel.fd()).flatten());
            if self.said.is_some() {
                return ending;
            }
            let late = patience.is_some_and(|at| Instant::now() >= at);
            if ending.is_some() {
                if late {
                    return ending;
                }
                continue;
            }
            ending = self.reason_to_end(plan, late, cancelled);
            if ending.is_some() {
                // The supervisor sees the end of the socket and ends the tree.
                let _ = rustix::net::shutdown(&self.control, Shutdown::Write);
                patience = Instant::now().checked_add(grace(&plan.tree));
            }
        }
    }

    fn reason_to_end(&self, plan: &Plan, late: bool, cancelled: Cancelled) -> Ending {
        let stops = plan.limits.overflow == Overflow::Stop;
        match cancelled {
            Cancelled::Yes => Some(Status::Cancelled),
            Cancelled::No if stops && self.stdout.is_over() => {
                Some(Status::OutOfLimit(Limit::Stdout))
            }
            Cancelled::No if stops && self.stderr.is_over() => {
                Some(Status::OutOfLimit(Limit::Stderr))
            }
            Cancelled::No => late.then_some(Status::TimedOut),
        }
    }

    /// Waits for the first thing to happen and does what it asks for.
    fn wait(&mut self, until: Option<Instant>, cancel: Option<BorrowedFd<'_>>) -> Cancelled {
        let control = Some((self.control.as_fd(), PollFlags::IN));
        let cancel = cancel.map(|fd| (fd, PollFlags::IN));
        let wanted = [
            control,
            self.stdout.waits_for(),
            self.stderr.waits_for(),
            self.feed.waits_for(),
            cancel,
        ];
        let ready = ready(wanted, until);
        let [control, stdout, stderr, feed, cancel] = ready;
        if stdout {
            self.stdout.take_some();
        }
        if stderr {
            self.stderr.take_some();
        }
        if feed {
            self.feed.give_some();
        }
        if control {
            self.said = Some(self.receive());
        }
        if cancel { Cancelled::Yes } else { Cancelled::No }
    }

    fn receive(&self) -> Result<Report, String> {
        let text = channel::receive(self.control.as_fd());
        let text = text.map_err(|_| "it ended without a report".to_owned())?;
        serde_json::from_slice(&text).map_err(|error| error.to_string())
    }

    /// Lets go of everything and says how it went.
    fn conclude(
        mut self,
        ending: Ending,
        invocation: &Invocation,
        enforced: Enforced,
    ) -> Result<Outcome, RunError> {
        let report = self.said.take().unwrap_or_else(|| Err("it did not end in time".to_owned()));
        if report.is_err() {
            let _ = self.supervisor.kill();
        }
        let _ = self.supervisor.wait();
        if let (Err(_), Some(group)) = (&report, &self.group) {
            // With the supervisor gone this is what ends the rest of a tree without a namespace.
            helper::group::end(group);
        }
        let duration = self.started.elapsed();
        if let (Err(_), Some(directory)) = (&report, &self.directory) {
            // The supervisor removes it otherwise. What cannot be removed cannot be by anybody.
            let _ = helper::scratch::remove(directory);
        }
        let report = report.map_err(|detail| RunError::Supervisor { detail })?;
        let status = status(&report, ending, &invocation.program)?;
        let stderr = self.stderr.finish();
        let denials = denial::denials(status, &stderr, &enforced);
        Ok(Outcome {
            status,
            stdout: self.stdout.finish(),
            stderr,
            duration,
            cpu: Duration::from_micros(report.cpu_micros),
            max_rss: report.max_rss,
            enforced,
            denials,
        })
    }
}

fn grace(tree: &Tree) -> Duration {
    match tree {
        Tree::Namespaces(_) | Tree::Bubblewrap(_) => GRACE,
        Tree::Sweep => GRACE_OF_SWEEP,
    }
}

/// Whether the caller threw its switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cancelled {
    Yes,
    No,
}

type Wanted<'a> = Option<(BorrowedFd<'a>, PollFlags)>;

/// Which of the descriptors have something to do. None of them when the time is up.
fn ready<const N: usize>(wanted: [Wanted<'_>; N], until: Option<Instant>) -> [bool; N] {
    let timeout = until.map(|at| {
        let left = at.saturating_duration_since(Instant::now());
        Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() }
    });
    let present = wanted.iter().flatten();
    let mut fds: Vec<PollFd<'_>> = present.map(|(fd, flags)| PollFd::new(fd, *flags)).collect();
    let nothing = [false; N];
    if rustix::event::poll(&mut fds, timeout.as_ref()).is_err() {
        return nothing;
    }
    let mut answers = fds.iter().map(|fd| !fd.revents().is_empty());
    let mut ready = nothing;
    for (slot, wanted) in ready.iter_mut().zip(&wanted) {
        *slot = wanted.is_some() && answers.next().unwrap_or(false);
    }
    ready
}

fn status(report: &Report, ending: Ending, program: &Path) -> Result<Status, RunError> {
    if let Some(failure) = &report.failure {
        let source = io::Error::from_raw_os_error(failure.errno);
        return Err(match failure.start {
            true => RunError::Start { program: program.to_owned(), source },
            false => RunError::Setup { step: failure.step.clone(), source },
        });
    }
    match (report.limit, report.wait, ending) {
        (Some(limit), _, _) => Ok(Status::OutOfLimit(limit)),
        (None, Some(wait), _) => Ok(ended(wait)),
        (None, None, Some(reason)) => Ok(reason),
        (None, None, None) => {
            Err(RunError::Supervisor { detail: "the first process was killed".to_owned() })
        }
    }
}

/// A raw wait status. The kernel's own limits end a process with a signal of their own.
fn ended(wait: i32) -> Status {
    let signal = wait & 0x7f;
    match signal {
        0 => Status::Exit((wait >> 8) & 0xff),
        libc::SIGXCPU => Status::OutOfLimit(Limit::Cpu),
        libc::SIGXFSZ => Status::OutOfLimit(Limit::FileSize),
        _ => Status::Signal(signal),
    }
}

/// Starts the helper. Everything it needs comes over the socket, so it inherits nothing else: no
/// environment, no arguments.
fn spawn(helper: &Path, [stdin, stdout, stderr]: [OwnedFd; 3]) -> io::Result<Child> {
    Command::new(helper)
        .arg0(MARKER)
        .env_clear()
        .stdin(Stdio::from(stdin))
        .stdout(Stdio::from(stdout))
        .stderr(Stdio::from(stderr))
        .spawn()
}

fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    use rustix::net::sockopt::{Timeout, set_socket_timeout};
    let (family, kind) = (AddressFamily::UNIX, SocketType::STREAM);
    let (ours, theirs) = rustix::net::socketpair(family, kind, SocketFlags::CLOEXEC, None)?;
    for direction in [Timeout::Send, Timeout::Recv] {
        set_socket_timeout(&ours, direction, Some(GRACE))?;
    }
    Ok((ours, theirs))
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?)
}

/// The child's end of its standard input, and what is written to the other.
fn input(stdin: &Stdin) -> io::Result<(OwnedFd, Feed<'_>)> {
    let source = match stdin {
        Stdin::Closed => {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC;
            let null = rustix::fs::open("/dev/null", flags, Mode::empty())?;
            return Ok((null, Feed::nothing()));
        }
        Stdin::Pipe(end) => return Ok((end.try_clone()?, Feed::nothing())),
        Stdin::Bytes(bytes) => Source::Bytes(bytes),
        Stdin::File(file) => Source::File { file, waiting: Vec::new() },
    };
    let (theirs, ours) = pipe()?;
    Ok((theirs, Feed::new(ours, source)?))
}

/// What is read of the child's standard output, and the end it writes to. Where somebody else reads
/// it, there is nothing to read here.
fn output(stdout: &Stdout) -> io::Result<(OwnedFd, OwnedFd)> {
    let (ours, theirs) = pipe()?;
    match stdout {
        Stdout::Kept => Ok((ours, theirs)),
        Stdout::Pipe(end) => Ok((ours, end.try_clone()?)),
    }
}

#[cfg(test)]
#[path = "runner_tests.rs"]
mod tests;
