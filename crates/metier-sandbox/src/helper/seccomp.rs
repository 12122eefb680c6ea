//! The system call filter: which calls a child is refused, as a classic BPF program.
//!
//! Assembled here rather than by a library because of two things a general one leaves out: the x32
//! entry (the same architecture with a bit in the number) ends the process, and calls newer than
//! the newest this list was made against do not exist for the child. What is refused gives an error
//! number, so that programs can fall back. Start reading at [`program`]; [`install`] is the only act.

use libc::{c_long, sock_filter};

use super::sys;
use crate::wire::{Rules, Sockets, Surroundings};

/// The newest call this list was made against (`mseal`). From 424 on numbers are the same on all
/// architectures.
const NEWEST: u32 = 462;

/// Set in the number of a call through the x32 entry.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xC000_00B7;

/// Whether a filter can be written for this architecture at all.
pub(super) const SUPPORTED: bool =
    cfg!(all(any(target_arch = "x86_64", target_arch = "aarch64"), target_endian = "little"));

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ARCHITECTURE: u32 = 0;

const PERM: u32 = libc::EPERM as u32;
const NOSYS: u32 = libc::ENOSYS as u32;

const NAMESPACE_FLAGS: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u32;

/// The part of a socket's type that is not a flag.
const TYPE_MASK: u32 = 0xf;

/// Refused to every child.
const NEVER: &[c_long] = &[
    // Looking into and steering other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_get_robust_list,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    457, // statmount
    458, // listmount
    libc::SYS_quotactl,
    443, // quotactl_fd
    // Files by handle, past every path.
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_lookup_dcookie,
    // Keys, programs in the kernel, rings: ways around this filter.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    // The machine itself.
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_nfsservctl,
    // Memory that no limit of a process counts, and meeting places with other processes.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// Refused as if the kernel did not have them, because programs then do without.
const ABSENT: &[c_long] = &[
    // Its flags lie in memory, where no filter can look; without it programs use `clone`.
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Its mode lies in memory too: a way to a set-user-id file that no filter sees.
    libc::SYS_openat2,
    // Files in memory are counted by no limit until they are mapped.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
];

#[cfg(target_arch = "x86_64")]
const NEVER_HERE: &[c_long] = &[
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS__sysctl,
    libc::SYS_sysfs,
];
#[cfg(not(target_arch = "x86_64"))]
const NEVER_HERE: &[c_long] = &[];

/// Refused where the machine's own files and processes lie around the child: Landlock does not
/// watch these.
const CHANGES_UNWATCHED: &[c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    452, // fchmodat2
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_inotify_add_watch,
    libc::SYS_sched_setattr,
];

#[cfg(target_arch = "x86_64")]
const CHANGES_UNWATCHED_HERE: &[c_long] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const CHANGES_UNWATCHED_HERE: &[c_long] = &[];

/// Requests that change a file through a descriptor that may only read it, and those that type into
/// a terminal.
const REQUESTS: &[u32] = &[
    libc::TIOCSTI as u32,
    libc::TIOCLINUX as u32,
    0x4008_6602, // FS_IOC_SETFLAGS
    0x4004_6602, // FS_IOC32_SETFLAGS
    0x4008_7602, // FS_IOC_SETVERSION
    0x4004_7602, // FS_IOC32_SETVERSION
    0x401c_5820, // FS_IOC_FSSETXATTR
];

/// A lease on a file makes everybody outside who opens it wait.
const LEASES: &[u32] = &[libc::F_SETLEASE as u32];

/// A file with one of these bits runs as its owner. In a directory that is shared with the machine
/// it would be a way back in.
const SET_ID_BITS: u32 = 0o6000;

/// Calls that give a file its mode, and which argument it is.
const MODES: &[(c_long, u32)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (452, 2), // fchmodat2
    (libc::SYS_mknodat, 2),
];
#[cfg(target_arch = "x86_64")]
const MODES_HERE: &[(c_long, u32)] =
    &[(libc::SYS_chmod, 1), (libc::SYS_creat, 1), (libc::SYS_mknod, 1)];
#[cfg(not(target_arch = "x86_64"))]
const MODES_HERE: &[(c_long, u32)] = &[];

/// Calls that give a file its mode only when they make it, and which argument says whether.
#[cfg(target_arch = "x86_64")]
const OPENS: &[(c_long, u32)] = &[(libc::SYS_openat, 2), (libc::SYS_open, 1)];
#[cfg(not(target_arch = "x86_64"))]
const OPENS: &[(c_long, u32)] = &[(libc::SYS_openat, 2)];

const MAKES_FILE: u32 = (libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY)) as u32;

/// Calls that name a process, and which argument names it; only 0, the caller itself, passes.
const SELF_ONLY: &[(c_long, u32)] = &[
    (libc::SYS_prlimit64, 0),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
];

/// Calls that name a process, a group or a whole user, and the kinds that pass: not a user.
const NOT_ALL_OF_A_USER: &[(c_long, [u32; 2])] = &[
    (libc::SYS_setpriority, [libc::PRIO_PROCESS, libc::PRIO_PGRP]),
    (libc::SYS_ioprio_set, [1, 2]),
];

/// The filter for these rules.
pub(super) fn program(rules: Rules) -> Vec<sock_filter> {
    let mut code = Assembly::new();
    code.refuse_each(NEVER, PERM);
    code.refuse_each(NEVER_HERE, PERM);
    code.refuse_each(ABSENT, NOSYS);
    code.allow_if(libc::SYS_clone, &[Clause::masked(0, NAMESPACE_FLAGS, &[0])]);
    code.allow_if(libc::SYS_personality, &[Clause::of(0, &[0, u32::MAX])]);
    code.refuse_if(libc::SYS_ioctl, 1, REQUESTS);
    code.refuse_if(libc::SYS_fcntl, 1, LEASES);
    code.allow_if(libc::SYS_socketpair, &pairs());
    match rules.sockets {
        Sockets::Pairs => code.refuse_each(&[libc::SYS_socket], PERM),
        Sockets::Internet => code.allow_if(libc::SYS_socket, &internet()),
    }
    if rules.surroundings == Surroundings::Shared {
        code.refuse_each(CHANGES_UNWATCHED, PERM);
        code.refuse_each(CHANGES_UNWATCHED_HERE, PERM);
        // Times of a file that is open, and so may be read, but not of one that is named.
        code.allow_if(libc::SYS_utimensat, &Clause::null(1));
        for (call, argument) in SELF_ONLY {
            code.allow_if(*call, &[Clause::of(*argument, &[0])]);
        }
        for (call, kinds) in NOT_ALL_OF_A_USER {
            code.allow_if(*call, &[Clause::of(0, kinds), Clause::of(1, &[0])]);
        }
    }
    for (call, argument) in MODES.iter().chain(MODES_HERE) {
        code.allow_if(*call, &[Clause::masked(*argument, SET_ID_BITS, &[0])]);
    }
    for (call, flags) in OPENS {
        let makes_none = Clause::masked(*flags, MAKES_FILE, &[0]);
        code.allow_if_either(*call, [makes_none, Clause::masked(*flags + 1, SET_ID_BITS, &[0])]);
    }
    code.finish()
}

/// Puts the filter on this process and all it will start. Needs `no_new_privs`.
pub(super) fn install(rules: Rules) -> std::io::Result<()> {
    sys::set_filter(&program(rules))
}

/// Both ends are connected for good. A datagram pair is not: either end could be pointed at any
/// other socket of the machine.
fn pairs() -> [Clause; 2] {
    let kinds = [libc::SOCK_STREAM as u32, libc::SOCK_SEQPACKET as u32];
    [Clause::of(0, &[libc::AF_UNIX as u32]), Clause::masked(1, TYPE_MASK, &kinds)]
}

/// TCP, UDP and echo over IP. Not netlink, packets, vsock or anything else with an address family.
fn internet() -> [Clause; 3] {
    let kinds = [libc::SOCK_STREAM as u32, libc::SOCK_DGRAM as u32];
    let protocols = [
        0,
        libc::IPPROTO_TCP as u32,
        libc::IPPROTO_UDP as u32,
        libc::IPPROTO_ICMP as u32,
        libc::IPPROTO_ICMPV6 as u32,
    ];
    [
        Clause::of(0, &[libc::AF_INET as u32, libc::AF_INET6 as u32]),
        Clause::masked(1, TYPE_MASK, &kinds),
        Clause::of(2, &protocols),
    ]
}

/// One argument, of which the masked half must be one of the values. The kernel reads all numbers
/// looked at here as 32 bits, so their high half has no meaning; a pointer has two halves.
struct Clause {
    offset: u32,
    mask: u32,
    values: Vec<u32>,
}

impl Clause {
    fn of(argument: u32, values: &[u32]) -> Self {
        Self::masked(argument, u32::MAX, values)
    }

    fn masked(argument: u32, mask: u32, values: &[u32]) -> Self {
        Self { offset: ARGUMENTS_OFFSET + 8 * argument, mask, values: values.to_vec() }
    }

    /// A pointer that is null, as two clauses.
    fn null(argument: u32) -> [Self; 2] {
        let high = ARGUMENTS_OFFSET + 8 * argument + 4;
        [Self::of(argument, &[0]), Self { offset: high, mask: u32::MAX, values: vec![0] }]
    }
}

/// A program under construction. Every rule is a block that is skipped unless the number matches
/// and that always returns, so blocks may clobber the accumulator and never jump far.
struct Assembly(Vec<sock_filter>);

const LOAD: u16 = 0x20;
const AND: u16 = 0x54;
const IF_EQUAL: u16 = 0x15;
const IF_GREATER: u16 = 0x25;
#[cfg(target_arch = "x86_64")]
const IF_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;

const NUMBER_OFFSET: u32 = 0;
const ARCHITECTURE_OFFSET: u32 = 4;
const ARGUMENTS_OFFSET: u32 = 16;

impl Assembly {
    fn new() -> Self {
        let mut code = Self(Vec::new());
        code.put(LOAD, ARCHITECTURE_OFFSET);
        code.jump(IF_EQUAL, ARCHITECTURE, (1, 0));
        code.put(RETURN, libc::SECCOMP_RET_KILL_PROCESS);
        code.put(LOAD, NUMBER_OFFSET);
        #[cfg(target_arch = "x86_64")]
        {
            code.jump(IF_AT_LEAST, X32, (0, 1));
            code.put(RETURN, libc::SECCOMP_RET_KILL_PROCESS);
        }
        code.jump(IF_GREATER, NEWEST, (0, 1));
        code.put(RETURN, refusal(NOSYS));
        code
    }

    fn finish(mut self) -> Vec<sock_filter> {
        self.put(RETURN, libc::SECCOMP_RET_ALLOW);
        self.0
    }

    fn refuse_each(&mut self, calls: &[c_long], errno: u32) {
        for call in calls {
            self.block(*call, |body| body.put(RETURN, refusal(errno)));
        }
    }

    /// Refused unless every clause holds.
    fn allow_if(&mut self, call: c_long, clauses: &[Clause]) {
        self.block(call, |body| {
            for clause in clauses {
                body.put(LOAD, clause.offset);
                body.put(AND, clause.mask);
                let count = clause.values.len();
                for (index, value) in clause.values.iter().enumerate() {
                    body.jump(IF_EQUAL, *value, ((count - index) as u8, 0));
                }
                body.put(RETURN, refusal(PERM));
            }
            body.put(RETURN, libc::SECCOMP_RET_ALLOW);
        });
    }

    /// Refused unless one of two clauses, each with one value, holds.
    fn allow_if_either(&mut self, call: c_long, clauses: [Clause; 2]) {
        self.block(call, |body| {
            for clause in clauses {
                body.put(LOAD, clause.offset);
                body.put(AND, clause.mask);
                let value = clause.values.first().copied().unwrap_or_default();
                body.jump(IF_EQUAL, value, (0, 1));
                body.put(RETURN, libc::SECCOMP_RET_ALLOW);
            }
            body.put(RETURN, refusal(PERM));
        });
    }

    /// Refused when the argument is one of the values.
    fn refuse_if(&mut self, call: c_long, argument: u32, values: &[u32]) {
        self.block(call, |body| {
            body.put(LOAD, ARGUMENTS_OFFSET + 8 * argument);
            let count = values.len();
            for (index, value) in values.iter().enumerate() {
                body.jump(IF_EQUAL, *value, ((count - index) as u8, 0));
            }
            body.put(RETURN, libc::SECCOMP_RET_ALLOW);
            body.put(RETURN, refusal(PERM));
        });
    }

    fn block(&mut self, call: c_long, fill: impl FnOnce(&mut Self)) {
        let mut body = Self(Vec::new());
        fill(&mut body);
        self.jump(IF_EQUAL, call as u32, (0, body.0.len() as u8));
        self.0.extend(body.0);
    }

    fn put(&mut self, code: u16, k: u32) {
        self.0.push(sock_filter { code, jt: 0, jf: 0, k });
    }

    fn jump(&mut self, code: u16, k: u32, (jt, jf): (u8, u8)) {
        self.0.push(sock_filter { code, jt, jf, k });
    }
}

fn refusal(errno: u32) -> u32 {
    libc::SECCOMP_RET_ERRNO | errno
}

#[cfg(test)]
#[path = "seccomp_tests.rs"]
mod tests;
