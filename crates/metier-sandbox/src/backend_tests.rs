use super::*;
use crate::confinement::Scratch;
use crate::wire::{Access, NetworkPlan, Sockets, Surroundings, TcpRule};

fn everything() -> Support {
    Support {
        landlock: 7,
        seccomp: true,
        namespaces_problem: None,
        pid_max: true,
        superuser: false,
        control_groups: None,
        bubblewrap: None,
    }
}

fn no_namespaces() -> Support {
    Support { namespaces_problem: Some("refused".into()), pid_max: false, ..everything() }
}

fn with(network: Network, level: Level) -> Confinement {
    Confinement { network, level, ..Confinement::default() }
}

fn chosen(confinement: &Confinement, support: &Support) -> (BackendKind, Enforced) {
    let choice = choose(confinement, support, None).unwrap();
    (choice.kind, choice.enforced)
}

fn refused(confinement: &Confinement, support: &Support) -> Vec<String> {
    match choose(confinement, support, None) {
        Err(RunError::CannotEnforce { missing }) => {
            missing.iter().map(Missing::to_string).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn namespaces_are_taken_where_they_work() {
    // R6
    let (kind, enforced) = chosen(&Confinement::default(), &everything());
    assert_eq!(kind, BackendKind::LinuxNamespaces);
    assert_eq!(
        enforced.to_string(),
        "backend: linux-namespaces, filesystem: mount-namespace+landlock-7, \
         network: network-namespace+seccomp, syscalls: seccomp, \
         processes: pid-namespace+rlimit-nproc-256, memory: rlimit-data+sampled-tree, \
         disk: tmpfs-536870912, tree: pid-namespace"
    );
}

#[test]
fn landlock_is_taken_where_namespaces_do_not_work() {
    // R6
    let (kind, enforced) = chosen(&Confinement::default(), &no_namespaces());
    assert_eq!(kind, BackendKind::LinuxLandlock);
    assert_eq!(enforced.filesystem, "landlock-7");
    assert_eq!(enforced.network, "seccomp");
    assert_eq!(enforced.processes, "landlock-scope+rlimit-nproc-256");
    assert_eq!(enforced.tree, "subreaper-sweep");
    assert_eq!(enforced.disk, "sampled-536870912");
}

#[test]
fn a_required_wall_is_never_left_out() {
    // R6
    let strict = Confinement::default();
    let check = |support: Support, expect: &str| {
        let refused = refused(&strict, &support);
        assert!(refused.iter().any(|reason| reason.contains(expect)), "{refused:?}");
    };
    check(Support { seccomp: false, ..everything() }, "syscalls: seccomp does not work here");
    check(Support { landlock: 0, ..no_namespaces() }, "filesystem: this kernel has no Landlock");
    check(Support { landlock: 2, ..no_namespaces() }, "Landlock 2 does not guard truncation");
    check(Support { landlock: 5, ..no_namespaces() }, "signals to other processes need Landlock 6");
    check(Support { superuser: true, ..no_namespaces() }, "the superuser's processes can only");
    let old = Support { superuser: true, pid_max: false, ..everything() };
    check(old, "processes: this kernel cannot bound the superuser's processes");
    let seccomp_only = Support { landlock: 0, seccomp: false, ..no_namespaces() };
    check(seccomp_only, "network: seccomp does not work here");
}

#[test]
fn a_preferred_wall_that_is_missing_is_said() {
    // R6
    let wish = with(Network::Off, Level::Prefer);
    let (kind, enforced) = chosen(&wish, &Support { superuser: true, ..no_namespaces() });
    assert_eq!((kind, enforced.processes.as_str()), (BackendKind::LinuxLandlock, "none"));
    let (kind, enforced) = chosen(&wish, &Support::nothing());
    assert_eq!(enforced.filesystem, "none");
    assert_ne!(kind, BackendKind::LinuxNamespaces);
}

#[test]
fn switched_off_says_off() {
    // R6
    let (kind, enforced) = chosen(&with(Network::Off, Level::Off), &everything());
    assert_eq!(kind, BackendKind::None);
    for wall in [Wall::Filesystem, Wall::Network, Wall::Syscalls, Wall::Processes] {
        assert_eq!(enforced.mechanism(wall), "off");
    }
    assert_eq!(enforced.disk, "sampled");
    let bare = Confinement { scratch: None, ..with(Network::Off, Level::Off) };
    assert_eq!(chosen(&bare, &everything()).1.disk, "no private directory");
}

#[test]
fn a_list_of_hosts_is_refused_whatever_the_level() {
    // R6
    for level in [Level::Require, Level::Prefer, Level::Off] {
        let hosts = with(Network::Hosts(vec!["a.example".into()]), level);
        let refused = refused(&hosts, &everything());
        let expect = "network: no mechanism can hold a child to a list of hosts, only to none, to a \
                      loopback of its own, or to all";
        assert_eq!(refused, [expect]);
    }
}

#[test]
fn each_network_gets_the_plan_that_means_it() {
    // R6
    let check = |network: Network, plan: NetworkPlan, sockets: Sockets, tcp: TcpRule| {
        let confinement = with(network, Level::Require);
        let choice = choose(&confinement, &everything(), None).unwrap();
        let shape = choice.shape(&confinement, &everything(), &Ground::default());
        let Tree::Namespaces(namespaces) = shape.tree else { panic!("a sweep") };
        assert_eq!(namespaces.network, plan);
        assert_eq!(shape.seccomp.unwrap(), Rules { sockets, surroundings: Surroundings::Own });
        assert_eq!(shape.landlock.unwrap().tcp, tcp);
    };
    check(Network::Off, NetworkPlan::Own, Sockets::Pairs, TcpRule::Deny);
    check(Network::Loopback, NetworkPlan::OwnWithLoopback, Sockets::Internet, TcpRule::Free);
    check(Network::Full, NetworkPlan::Shared, Sockets::Internet, TcpRule::Free);
    let loopback = with(Network::Loopback, Level::Require);
    assert!(
        refused(&loopback, &no_namespaces()).iter().any(|r| r.starts_with("network: loopback"))
    );
}

#[test]
fn the_superuser_is_bound_by_process_ids_and_nobody_else_needs_it() {
    // R4
    let confinement = Confinement::default();
    let root = Support { superuser: true, ..everything() };
    let (_, enforced) = chosen(&confinement, &root);
    assert_eq!(enforced.processes, "pid-namespace-556");
    let choice = choose(&confinement, &root, None).unwrap();
    let shape = choice.shape(&confinement, &root, &Ground::default());
    let Tree::Namespaces(namespaces) = shape.tree else { panic!("a sweep") };
    assert_eq!(namespaces.pid_max, Some(556));
}

#[test]
fn granted_paths_reach_the_plan_with_the_right_access() {
    // R6
    let ground = Ground {
        read: vec!["/usr".into()],
        write: vec!["/project".into()],
        devices: vec!["/dev/null".into()],
        links: vec![("/bin".into(), "/usr/bin".into())],
    };
    let confinement = Confinement { scratch: Some(Scratch::default()), ..Confinement::default() };
    for (support, kind) in [
        (everything(), BackendKind::LinuxNamespaces),
        (no_namespaces(), BackendKind::LinuxLandlock),
    ] {
        let choice = choose(&confinement, &support, Some(kind)).unwrap();
        let shape = choice.shape(&confinement, &support, &ground);
        let rules = shape.landlock.unwrap().rules;
        let access = |path: &str| {
            rules
                .iter()
                .find(|rule| rule.path.path() == std::path::Path::new(path))
                .map(|r| r.access)
        };
        assert_eq!(access("/project"), Some(Access::Write));
        assert_eq!(access("/dev/null"), Some(Access::Device));
        assert_eq!(access("/etc"), None);
        assert!(shape.drop_capabilities);
        if let Tree::Namespaces(plan) = shape.tree {
            assert_eq!(access("/"), Some(Access::Read));
            assert!(
                plan.binds
                    .contains(&crate::wire::Bind { path: "/usr".into(), access: Access::Read })
            );
            assert_eq!(plan.links.len(), 1);
        } else {
            assert_eq!((access("/usr"), access("/")), (Some(Access::Read), None));
            assert_eq!(shape.seccomp.unwrap().surroundings, Surroundings::Shared);
        }
    }
}

#[test]
fn one_backend_can_be_asked_for_alone() {
    // R6
    let strict = Confinement::default();
    let choice = choose(&strict, &everything(), Some(BackendKind::LinuxLandlock)).unwrap();
    assert_eq!(choice.kind, BackendKind::LinuxLandlock);
    assert!(choose(&strict, &everything(), Some(BackendKind::None)).is_err());
    let names = BackendKind::ALL.map(BackendKind::name);
    assert_eq!(names, ["linux-namespaces", "linux-bubblewrap", "linux-landlock", "none"]);
    let json = serde_json::to_value(BackendKind::LinuxLandlock).unwrap();
    assert_eq!(json, "linux-landlock");
}

#[test]
fn a_control_group_bounds_what_it_can_and_is_named() {
    // R4, R6
    let groups = |memory, processes, kill| {
        let parent = PathBuf::from("/sys/fs/cgroup/x");
        Some(ControlGroups { parent, memory, processes, kill })
    };
    let named = |support: Support, kind| {
        let enforced = choose(&with(Network::Off, Level::Prefer), &support, Some(kind)).unwrap();
        let enforced = enforced.enforced;
        [enforced.memory, enforced.processes, enforced.tree]
    };
    let (sampled, counted) = ("rlimit-data+sampled-tree", "cgroup-memory+rlimit-data");
    let all = Support { control_groups: groups(true, true, true), ..everything() };
    let root = Support { superuser: true, ..all.clone() };
    let kills = Support { control_groups: groups(false, false, true), ..everything() };
    let (namespaces, landlock) = (BackendKind::LinuxNamespaces, BackendKind::LinuxLandlock);
    let own = ["pid-namespace+cgroup-pids-256", "pid-namespace"];
    assert_eq!(named(all.clone(), namespaces), [counted, own[0], own[1]]);
    let shared = ["landlock-scope+cgroup-pids-256", "cgroup-kill+subreaper-sweep"];
    assert_eq!(named(all, landlock), [counted, shared[0], shared[1]]);
    // The superuser's processes are bounded by a group also where there is no namespace.
    assert_eq!(named(root, landlock), [counted, shared[0], shared[1]]);
    let bare = ["landlock-scope+rlimit-nproc-256", "cgroup-kill+subreaper-sweep"];
    assert_eq!(named(kills, landlock), [sampled, bare[0], bare[1]]);
    let off = with(Network::Off, Level::Off);
    let none = chosen(&off, &Support { control_groups: groups(true, true, true), ..everything() });
    assert_eq!((none.1.memory.as_str(), none.1.tree.as_str()), (counted, shared[1]));
}
