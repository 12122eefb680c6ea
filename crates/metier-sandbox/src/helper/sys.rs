//! The calls to the kernel for which there is no safe function elsewhere. All `unsafe` of this
//! crate is in this file; each function is safe to call, or says here why its caller is.
//!
//! The helper is a freshly executed program with one thread. So `fork` copies a process in which no
//! lock is held by anybody, and between `fork` and `exec` ordinary code may run.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::raw::{c_char, c_int, c_long, c_uint};

use libc::sock_filter;

fn check(result: c_long) -> io::Result<c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Which side of a fork this is.
pub(super) enum Forked {
    Child,
    Parent(libc::pid_t),
}

/// Splits this process in two.
pub(super) fn fork() -> io::Result<Forked> {
    // SAFETY: the helper has one thread, so the child's copy of memory is consistent.
    let pid = unsafe { libc::fork() };
    match check(c_long::from(pid))? {
        0 => Ok(Forked::Child),
        _ => Ok(Forked::Parent(pid)),
    }
}

/// The same with the child born in the control group behind the descriptor.
pub(super) fn fork_into(group: BorrowedFd<'_>) -> io::Result<Forked> {
    const INTO_GROUP: u64 = 0x2_0000_0000;
    // The kernel's own structure: flags, three places for ids, the signal, stack, its size, storage,
    // ids to give, how many, the group.
    let mut arguments = [0_u64; 11];
    let [flags, _, _, _, signal, .., last] = &mut arguments;
    *flags = INTO_GROUP;
    *signal = libc::SIGCHLD as u64;
    *last = group.as_raw_fd() as u64;
    let size = size_of_val(&arguments);
    // SAFETY: without `CLONE_VM` and with no stack given this is a fork; the helper has one thread,
    // so the child's copy of memory is consistent. The kernel reads `size` bytes, which are alive.
    let pid = unsafe { libc::syscall(libc::SYS_clone3, arguments.as_ptr(), size) };
    match check(pid)? {
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent(pid as libc::pid_t)),
    }
}

/// Ends this process at once, without running what its parent registered for its own end.
pub(super) fn exit(code: c_int) -> ! {
    // SAFETY: `_exit` touches no memory of this process and does not return.
    unsafe { libc::_exit(code) }
}

/// Replaces this program. Returns only to say why it could not.
pub(super) fn exec(path: &CString, args: &[CString], environment: &[CString]) -> io::Error {
    let argv = pointers(args);
    let envp = pointers(environment);
    // SAFETY: both arrays end in null and point to strings that end in NUL; all of them outlive
    // the call, which either never returns or leaves them alone.
    unsafe { libc::execve(path.as_ptr(), argv.as_ptr(), envp.as_ptr()) };
    io::Error::last_os_error()
}

fn pointers(list: &[CString]) -> Vec<*const c_char> {
    list.iter().map(|text| text.as_ptr()).chain(std::iter::once(std::ptr::null())).collect()
}

/// Closes every descriptor from `first` on. For the very start of the helper, before it owns any.
pub(super) fn close_from(first: RawFd) -> io::Result<()> {
    close_range(first, 0)
}

/// Marks every descriptor from `first` on to be closed by `exec`.
pub(super) fn close_from_on_exec(first: RawFd) -> io::Result<()> {
    close_range(first, libc::CLOSE_RANGE_CLOEXEC)
}

fn close_range(first: RawFd, flags: c_uint) -> io::Result<()> {
    let first = first as c_uint;
    // SAFETY: takes numbers only. `close_from` is called while nothing in this program owns a
    // descriptor at or above `first`; with the flag nothing is closed yet.
    let done = unsafe { libc::syscall(libc::SYS_close_range, first, c_uint::MAX, flags) };
    check(done).map(drop)
}

/// Moves this process (and, for process ids, its children) into new namespaces.
pub(super) fn unshare(flags: c_int) -> io::Result<()> {
    // SAFETY: takes numbers only. Without `CLONE_FILES` no descriptor changes its meaning.
    let done = unsafe { libc::unshare(flags) };
    check(c_long::from(done)).map(drop)
}

/// Changes attributes of a whole tree of mounts that hangs on a descriptor.
pub(super) fn set_mount_attributes(
    tree: BorrowedFd<'_>,
    flags: c_uint,
    set: u64,
) -> io::Result<()> {
    let attributes = libc::mount_attr { attr_set: set, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let empty = c"";
    // SAFETY: the path ends in NUL, the structure is alive and its own size is passed.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            tree.as_raw_fd(),
            empty.as_ptr(),
            libc::AT_EMPTY_PATH as c_uint | flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    check(done).map(drop)
}

/// A descriptor that becomes readable when a child ends; the signal itself is blocked.
pub(super) fn child_signals() -> io::Result<OwnedFd> {
    let set = block_child_signal()?;
    // SAFETY: `set` is an initialised signal set; -1 asks for a new descriptor.
    let fd = unsafe { libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
    check(c_long::from(fd))?;
    // SAFETY: the kernel just made this descriptor and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn block_child_signal() -> io::Result<libc::sigset_t> {
    let mut set = empty_signal_set();
    // SAFETY: `set` is initialised and the number is a signal.
    unsafe { libc::sigaddset(&raw mut set, libc::SIGCHLD) };
    // SAFETY: `set` is initialised; the old mask is not asked for.
    let done = unsafe { libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) };
    check(c_long::from(done))?;
    Ok(set)
}

fn empty_signal_set() -> libc::sigset_t {
    // SAFETY: a signal set is plain bits, for which all zeroes is a value.
    let mut set: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: writes only into `set`.
    unsafe { libc::sigemptyset(&raw mut set) };
    set
}

/// Every signal does what it does by default and none is blocked, as a program expects at its start.
pub(super) fn reset_signals() {
    // The kernel's own structure, longer than any of them is; all zeroes is the default action with
    // no flag and no mask. Asked of the kernel, because the C library keeps two signals to itself.
    let default = [0_u64; 8];
    let nothing: *mut u64 = std::ptr::null_mut();
    for signal in 1..=64_i64 {
        // SAFETY: the kernel reads less than is there and writes nothing. Signals that may not be
        // changed give an error, which is what is wanted for them.
        unsafe { libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), nothing, 8) };
    }
    let none = empty_signal_set();
    // SAFETY: `none` is initialised; the old mask is not asked for.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut()) };
}

/// Installs a system call filter on this thread.
pub(super) fn set_filter(program: &[sock_filter]) -> io::Result<()> {
    let too_long = |_| io::Error::from_raw_os_error(libc::EINVAL);
    let filter = libc::sock_fprog {
        len: u16::try_from(program.len()).map_err(too_long)?,
        filter: program.as_ptr().cast_mut(),
    };
    // SAFETY: `filter` points to `len` instructions that are alive; the kernel copies them and
    // does not write.
    let done = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const filter)
    };
    check(done).map(drop)
}

/// Whether the kernel knows how to refuse a system call with an error number.
pub(super) fn knows_filters() -> bool {
    let action: u32 = libc::SECCOMP_RET_ERRNO;
    // SAFETY: reads one `u32` that is alive.
    let done = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const action)
    };
    done == 0
}

/// What a Landlock ruleset watches.
#[repr(C)]
pub(super) struct RulesetAttributes {
    pub(super) files: u64,
    pub(super) network: u64,
    pub(super) scoped: u64,
}

/// The Landlock version of this kernel, 0 when it has none.
pub(super) fn landlock_version() -> u32 {
    const VERSION: c_uint = 1;
    let nothing: *const RulesetAttributes = std::ptr::null();
    // SAFETY: with this flag the kernel reads no memory.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0, VERSION) };
    u32::try_from(version).unwrap_or(0)
}

/// A new Landlock ruleset; `size` is how much of the attributes this kernel's version knows.
pub(super) fn landlock_ruleset(attributes: &RulesetAttributes, size: usize) -> io::Result<OwnedFd> {
    let size = size.min(size_of::<RulesetAttributes>());
    let attributes: *const RulesetAttributes = attributes;
    // SAFETY: the kernel reads at most `size` bytes, which are alive.
    let fd = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, attributes, size, 0) };
    let fd = check(fd)? as RawFd;
    // SAFETY: the kernel just made this descriptor and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

#[repr(C, packed)]
struct PathRule {
    allowed: u64,
    parent: RawFd,
}

/// Allows something beneath a path.
pub(super) fn landlock_allow(
    ruleset: BorrowedFd<'_>,
    path: BorrowedFd<'_>,
    allowed: u64,
) -> io::Result<()> {
    const PATH_BENEATH: c_int = 1;
    let rule = PathRule { allowed, parent: path.as_raw_fd() };
    let rule = &raw const rule;
    let ruleset = ruleset.as_raw_fd();
    // SAFETY: `rule` has the layout the kernel reads for this kind of rule and is alive.
    let done =
        unsafe { libc::syscall(libc::SYS_landlock_add_rule, ruleset, PATH_BENEATH, rule, 0) };
    check(done).map(drop)
}

/// Puts this thread under a ruleset for good.
pub(super) fn landlock_restrict(ruleset: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: takes numbers only.
    let done = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) };
    check(done).map(drop)
}

/// CPU time in microseconds and the largest resident size in bytes, of the children waited for.
pub(super) fn children_usage() -> (u64, u64) {
    // SAFETY: the structure is plain numbers, for which all zeroes is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: writes only into `usage`.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let micros = |t: libc::timeval| t.tv_sec.max(0) as u64 * 1_000_000 + t.tv_usec.max(0) as u64;
    let cpu = micros(usage.ru_utime) + micros(usage.ru_stime);
    (cpu, usage.ru_maxrss.max(0) as u64 * 1024)
}

/// One child that has ended, with its raw status. Waits for it only when `block` says so.
pub(super) fn reap(pid: libc::pid_t, block: bool) -> io::Result<Option<(libc::pid_t, c_int)>> {
    let mut status = 0;
    let options = if block { 0 } else { libc::WNOHANG };
    // SAFETY: writes only into `status`.
    let done = unsafe { libc::waitpid(pid, &raw mut status, options) };
    match check(c_long::from(done))? {
        0 => Ok(None),
        _ => Ok(Some((done, status))),
    }
}

/// Brings up the loopback interface of this network namespace.
pub(super) fn loopback_up(socket: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the structure is plain bytes, for which all zeroes is a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (slot, byte) in request.ifr_name.iter_mut().zip(b"lo\0") {
        *slot = *byte as c_char;
    }
    request.ifr_ifru.ifru_flags = libc::IFF_UP as i16;
    // SAFETY: this request reads an `ifreq`, which is alive.
    let done =
        unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &raw const request) };
    check(c_long::from(done)).map(drop)
}
