//! The filter is run here by an interpreter of the few instructions it uses, so every rule is
//! checked without a process that could be harmed.

use super::*;

const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const KILL: u32 = libc::SECCOMP_RET_KILL_PROCESS;

fn refused(errno: i32) -> u32 {
    libc::SECCOMP_RET_ERRNO | errno as u32
}

fn rules(sockets: Sockets, surroundings: Surroundings) -> Vec<sock_filter> {
    program(Rules { sockets, surroundings })
}

fn strict() -> Vec<sock_filter> {
    rules(Sockets::Pairs, Surroundings::Own)
}

/// What the kernel would answer.
fn answer(program: &[sock_filter], architecture: u32, call: u32, arguments: &[u64]) -> u32 {
    let mut data = [0_u32; 16];
    data[0] = call;
    data[1] = architecture;
    for (index, argument) in arguments.iter().enumerate() {
        data[4 + 2 * index] = *argument as u32;
        data[5 + 2 * index] = (*argument >> 32) as u32;
    }
    let (mut at, mut value) = (0, 0);
    loop {
        let step = program[at];
        at += 1;
        let jump = |yes: bool| usize::from(if yes { step.jt } else { step.jf });
        match step.code {
            LOAD => value = data[step.k as usize / 4],
            AND => value &= step.k,
            IF_EQUAL => at += jump(value == step.k),
            IF_GREATER => at += jump(value > step.k),
            0x35 => at += jump(value >= step.k),
            RETURN => return step.k,
            other => panic!("unknown instruction {other:#x}"),
        }
    }
}

fn call(program: &[sock_filter], call: c_long, arguments: &[u64]) -> u32 {
    answer(program, ARCHITECTURE, call as u32, arguments)
}

#[test]
fn ordinary_calls_pass() {
    // R6
    let calls = [
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_mmap,
        libc::SYS_execve,
        libc::SYS_futex,
        libc::SYS_getrandom,
        libc::SYS_wait4,
        libc::SYS_kill,
        libc::SYS_clock_gettime,
        libc::SYS_statx,
        libc::SYS_rseq,
    ];
    for number in calls {
        assert_eq!(call(&strict(), number, &[]), ALLOW, "{number}");
    }
}

#[test]
fn calls_that_open_walls_are_refused() {
    // R6
    for number in NEVER.iter().chain(NEVER_HERE) {
        assert_eq!(call(&strict(), *number, &[]), refused(libc::EPERM), "{number}");
    }
    for number in ABSENT {
        assert_eq!(call(&strict(), *number, &[]), refused(libc::ENOSYS), "{number}");
    }
}

#[test]
fn another_entry_into_the_kernel_ends_the_process() {
    // R6
    let i386 = 0x4000_0003;
    assert_eq!(answer(&strict(), i386, 20, &[]), KILL);
    assert_eq!(answer(&strict(), 0, 0, &[]), KILL);
    #[cfg(target_arch = "x86_64")]
    for number in [X32, X32 | 39, u32::MAX] {
        assert_eq!(answer(&strict(), ARCHITECTURE, number, &[]), KILL, "{number:#x}");
    }
}

#[test]
fn calls_newer_than_the_list_do_not_exist() {
    // R6
    for number in NEWEST + 1..NEWEST + 200 {
        let said = answer(&strict(), ARCHITECTURE, number, &[]);
        assert_eq!(said, refused(libc::ENOSYS), "{number}");
    }
    assert_eq!(answer(&strict(), ARCHITECTURE, NEWEST, &[]), ALLOW);
}

#[test]
fn processes_may_be_started_but_not_in_new_namespaces() {
    // R6
    let start = |flags: i32| call(&strict(), libc::SYS_clone, &[flags as u64 & 0xffff_ffff]);
    assert_eq!(start(libc::SIGCHLD), ALLOW);
    assert_eq!(start(libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_FILES), ALLOW);
    for flag in [libc::CLONE_NEWUSER, libc::CLONE_NEWNET, libc::CLONE_NEWNS, libc::CLONE_NEWPID] {
        assert_eq!(start(flag | libc::SIGCHLD), refused(libc::EPERM), "{flag:#x}");
    }
}

#[test]
fn only_connected_pairs_are_left_without_a_network() {
    // R6
    let open = |family: i32| call(&strict(), libc::SYS_socket, &[family as u64, 1, 0]);
    for family in 0..64 {
        assert_eq!(open(family), refused(libc::EPERM), "{family}");
    }
    let pair = |family: i32, kind: i32| {
        call(&strict(), libc::SYS_socketpair, &[family as u64, kind as u64, 0])
    };
    assert_eq!(pair(libc::AF_UNIX, libc::SOCK_STREAM), ALLOW);
    assert_eq!(pair(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_CLOEXEC), ALLOW);
    assert_eq!(pair(libc::AF_UNIX, libc::SOCK_SEQPACKET), ALLOW);
    assert_eq!(pair(libc::AF_UNIX, libc::SOCK_DGRAM), refused(libc::EPERM));
    assert_eq!(pair(libc::AF_UNIX, libc::SOCK_DGRAM | libc::SOCK_NONBLOCK), refused(libc::EPERM));
    assert_eq!(pair(libc::AF_TIPC, libc::SOCK_STREAM), refused(libc::EPERM));
}

#[test]
fn a_network_means_tcp_and_udp_over_ip() {
    // R6
    let open_rules = rules(Sockets::Internet, Surroundings::Own);
    let open = |family: i32, kind: i32, protocol: i32| {
        let arguments = [family as u64, kind as u64, protocol as u64];
        call(&open_rules, libc::SYS_socket, &arguments) == ALLOW
    };
    assert!(open(libc::AF_INET, libc::SOCK_STREAM, 0));
    assert!(open(libc::AF_INET6, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, libc::IPPROTO_TCP));
    assert!(open(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_NONBLOCK, libc::IPPROTO_UDP));
    assert!(open(libc::AF_INET, libc::SOCK_DGRAM, libc::IPPROTO_ICMP));
    assert!(!open(libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP));
    assert!(!open(libc::AF_INET, libc::SOCK_STREAM, 262));
    assert!(!open(libc::AF_UNIX, libc::SOCK_STREAM, 0));
    assert!(!open(libc::AF_NETLINK, libc::SOCK_RAW, 0));
    assert!(!open(libc::AF_PACKET, libc::SOCK_DGRAM, 0));
    assert!(!open(libc::AF_VSOCK, libc::SOCK_STREAM, 0));
}

#[test]
fn nothing_is_typed_into_a_terminal_whatever_the_high_bits() {
    // R6
    let ioctl = |request: u64| call(&strict(), libc::SYS_ioctl, &[0, request]);
    for request in REQUESTS {
        assert_eq!(ioctl(u64::from(*request)), refused(libc::EPERM), "{request:#x}");
        assert_eq!(ioctl(u64::from(*request) | 1 << 32), refused(libc::EPERM), "{request:#x}");
    }
    assert_eq!(ioctl(libc::TCGETS), ALLOW);
    assert_eq!(ioctl(libc::FIONREAD), ALLOW);
}

#[test]
fn no_file_gets_the_bits_that_make_it_run_as_its_owner() {
    // R6
    for (number, argument) in MODES.iter().chain(MODES_HERE) {
        let mode = |bits: u64| {
            let mut arguments = [0; 6];
            arguments[*argument as usize] = bits;
            call(&strict(), *number, &arguments)
        };
        assert_eq!(mode(0o755), ALLOW, "{number}");
        assert_eq!(mode(0o1777), ALLOW, "{number}");
        for bits in [0o4755, 0o2755, 0o6000, 0o104_755] {
            assert_eq!(mode(bits), refused(libc::EPERM), "{number} {bits:o}");
        }
    }
    let open = |flags: i32, mode: u64| {
        call(&strict(), libc::SYS_openat, &[0, 0, flags as u64, mode]) == ALLOW
    };
    assert!(open(libc::O_RDONLY, 0o7777));
    assert!(open(libc::O_CREAT, 0o644));
    assert!(!open(libc::O_CREAT, 0o4644));
    assert!(!open(libc::O_TMPFILE, 0o2644));
    assert!(open(libc::O_DIRECTORY, 0o4000));
}

#[test]
fn on_the_machines_own_tree_what_landlock_does_not_watch_is_refused() {
    // R6
    let shared = rules(Sockets::Pairs, Surroundings::Shared);
    for number in CHANGES_UNWATCHED.iter().chain(CHANGES_UNWATCHED_HERE) {
        assert_eq!(call(&shared, *number, &[]), refused(libc::EPERM), "{number}");
    }
    assert_eq!(call(&strict(), libc::SYS_fchmod, &[3, 0o644]), ALLOW);
    let times = |path: u64| call(&shared, libc::SYS_utimensat, &[3, path]);
    assert_eq!(times(0), ALLOW);
    assert_eq!(times(0x7fff_0000), refused(libc::EPERM));
    assert_eq!(times(1 << 40), refused(libc::EPERM));
}

#[test]
fn on_the_machines_own_tree_only_oneself_can_be_set() {
    // R6
    let shared = rules(Sockets::Pairs, Surroundings::Shared);
    for (number, argument) in SELF_ONLY {
        let of = |pid: u64| {
            let mut arguments = [0; 6];
            arguments[*argument as usize] = pid;
            call(&shared, *number, &arguments)
        };
        assert_eq!(of(0), ALLOW, "{number}");
        assert_eq!(of(1234), refused(libc::EPERM), "{number}");
        assert_eq!(call(&strict(), *number, &[1234, 1234]), ALLOW, "{number}");
    }
}

#[test]
fn on_the_machines_own_tree_a_whole_user_cannot_be_set() {
    // R6
    let shared = rules(Sockets::Pairs, Surroundings::Shared);
    let priority = |which: u64, who: u64| call(&shared, libc::SYS_setpriority, &[which, who, 5]);
    assert_eq!([priority(0, 0), priority(1, 0)], [ALLOW; 2]);
    assert_eq!([priority(2, 0), priority(0, 77), priority(2, 77)], [refused(libc::EPERM); 3]);
    let disk = |which: u64, who: u64| call(&shared, libc::SYS_ioprio_set, &[which, who, 0]);
    assert_eq!([disk(1, 0), disk(2, 0)], [ALLOW; 2]);
    assert_eq!([disk(3, 0), disk(1, 77)], [refused(libc::EPERM); 2]);
}

#[test]
fn only_two_personalities_can_be_taken() {
    // R6
    let take = |personality: u64| call(&strict(), libc::SYS_personality, &[personality]);
    assert_eq!([take(0), take(0xffff_ffff)], [ALLOW; 2]);
    assert_eq!(take(0x40000), refused(libc::EPERM));
}

#[test]
fn a_filter_is_short_enough_for_the_kernel() {
    // R6
    let longest = rules(Sockets::Internet, Surroundings::Shared).len();
    assert!(longest < 4096, "{longest}");
}

#[test]
fn no_file_is_leased_so_that_others_wait_and_other_controls_pass() {
    // R6
    let program = strict();
    let lease = libc::F_SETLEASE as u64;
    for request in [lease, lease | 1 << 32] {
        assert_eq!(call(&program, libc::SYS_fcntl, &[0, request, 0]), refused(libc::EPERM));
    }
    for request in [libc::F_GETFL, libc::F_SETFL, libc::F_DUPFD_CLOEXEC, libc::F_SETLK] {
        assert_eq!(call(&program, libc::SYS_fcntl, &[0, request as u64, 0]), ALLOW);
    }
}
