use super::*;
use crate::backend::{BackendKind, choose};
use crate::confinement::Level;
use crate::outcome::RunError;

fn support() -> Support {
    Support {
        landlock: 7,
        seccomp: true,
        namespaces_problem: Some("refused".into()),
        bubblewrap: Some("/usr/bin/bwrap".into()),
        ..Support::nothing()
    }
}

fn ground() -> Ground {
    Ground {
        read: vec!["/usr".into(), "/skills/pdf".into()],
        write: vec!["/project".into()],
        devices: vec!["/dev/null".into()],
        links: vec![
            ("/bin".into(), "/usr/bin".into()),
            ("/usr/share/x".into(), "/usr/lib/x".into()),
        ],
    }
}

fn line(confinement: &Confinement) -> String {
    let words = words(confinement, &ground());
    words.iter().map(|w| w.path().display().to_string()).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_may_be_seen_is_bound_and_nothing_else() {
    // R6
    let text = line(&Confinement::default());
    assert!(text.starts_with("--unshare-user-try --unshare-ipc --unshare-pid"), "{text}");
    let expect = "--unshare-net --perms 0700 --size 536870912 --tmpfs /tmp \
                  --dev-bind /dev/null /dev/null --bind /project /project \
                  --ro-bind /skills/pdf /skills/pdf --ro-bind /usr /usr --proc /proc";
    assert!(text.contains(expect), "{text}");
    assert!(text.contains("--symlink /tmp /dev/shm --symlink /usr/bin /bin"), "{text}");
    // Visible through its directory already.
    assert!(!text.contains("/usr/share/x"), "{text}");
    for option in ["--die-with-parent", "--as-pid-1"] {
        assert!(text.contains(option));
    }
}

#[test]
fn the_network_is_shared_only_when_it_is_open() {
    // R6
    let with = |network| line(&Confinement { network, ..Confinement::default() });
    assert!(!with(Network::Full).contains("--unshare-net"));
    assert!(with(Network::Loopback).contains("--unshare-net"));
    let bare = line(&Confinement { scratch: None, ..Confinement::default() });
    assert!(!bare.contains("--tmpfs") && !bare.contains("/dev/shm"));
}

#[test]
fn it_is_taken_where_namespaces_cannot_be_made_directly_and_before_landlock() {
    // R6
    let strict = Confinement::default();
    let choice = choose(&strict, &support(), None).unwrap();
    assert_eq!(choice.kind, BackendKind::LinuxBubblewrap);
    assert_eq!(
        choice.enforced.to_string(),
        "backend: linux-bubblewrap, filesystem: bubblewrap+landlock-7, \
         network: bubblewrap+seccomp, syscalls: seccomp, \
         processes: bubblewrap+rlimit-nproc-256, memory: rlimit-data+sampled-tree, \
         disk: tmpfs-536870912+sampled-entries, tree: bubblewrap-pid-namespace"
    );
    let shape = choice.shape(&strict, &support(), &ground());
    assert!(matches!(shape.tree, Tree::Bubblewrap(_)) && shape.drop_capabilities);
    assert_eq!(shape.processes, ProcessCap::OnTop);
}

#[test]
fn it_is_never_taken_unasked_where_namespaces_work() {
    // R6
    for level in [Level::Require, Level::Prefer] {
        let wish = Confinement { level, ..Confinement::default() };
        let both = Support { namespaces_problem: None, pid_max: true, ..support() };
        let choice = choose(&wish, &both, None).unwrap();
        assert_eq!(choice.kind, BackendKind::LinuxNamespaces);
        let named = choose(&wish, &both, Some(BackendKind::LinuxBubblewrap)).unwrap();
        assert_eq!(named.kind, BackendKind::LinuxBubblewrap);
    }
}

#[test]
fn what_it_cannot_do_is_said() {
    // R6
    let strict = Confinement::default();
    let check = |support: Support, expect: &str| {
        let refused = choose(&strict, &support, Some(BackendKind::LinuxBubblewrap));
        let Err(error @ RunError::CannotEnforce { .. }) = refused else { panic!("{refused:?}") };
        assert!(error.to_string().contains(expect), "{error}");
    };
    check(Support { bubblewrap: None, ..support() }, "`bwrap` is not installed");
    check(Support { superuser: true, ..support() }, "the superuser's processes");
    check(Support { seccomp: false, ..support() }, "syscalls: seccomp does not work here");
    let open = Support { landlock: 0, ..support() };
    assert_eq!(LinuxBubblewrap.walls(&strict, &open).filesystem, Ok("bubblewrap".to_owned()));
}
