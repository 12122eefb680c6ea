#![expect(clippy::disallowed_methods, reason = "tests look at what the kernel made")]

use super::*;

const MOUNTS: &str = "\
24 1 0:22 / /sys rw - sysfs sysfs rw
30 24 0:26 / /sys/fs/cgroup/unified rw,nosuid - cgroup2 cgroup2 rw,nsdelegate
31 24 0:27 /docker/x /elsewhere rw - cgroup2 cgroup2 rw
";

#[test]
fn the_group_of_a_process_is_found_below_where_groups_are_mounted() {
    // R4
    let check = |own: &str, mounts: &str, expect: Option<&str>| {
        assert_eq!(place(own, mounts), expect.map(PathBuf::from), "{own}");
    };
    check("0::/\n", MOUNTS, Some("/sys/fs/cgroup/unified/"));
    check("4:memory:/a\n0::/user.slice/b\n", MOUNTS, Some("/sys/fs/cgroup/unified/user.slice/b"));
    check("4:memory:/a\n", MOUNTS, None);
    // Outside what this process is shown of the groups.
    check("0::/../x\n", MOUNTS, None);
    check("0::/\n", "24 1 0:22 / /sys rw - sysfs sysfs rw\n", None);
    // Only a part of the groups is mounted: the own one may not be in it.
    check("0::/\n", "31 24 0:27 /docker /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", None);
    check("0::/\n", "no mount line at all", None);
    check("", "", None);
}

#[test]
fn only_kills_for_memory_count() {
    // R4
    let check = |text: &str, expect: u64| assert_eq!(kills(text), expect, "{text}");
    check("low 0\nhigh 0\nmax 31\noom 2\noom_kill 3\noom_group_kill 1\n", 3);
    check("max 31\noom 2\noom_kill 0\n", 0);
    check("oom_group_kill 7\n", 0);
    check("oom_kill many\n", 0);
    check("", 0);
}

#[test]
fn a_group_is_there_while_it_is_needed_and_gone_after() {
    // R4
    let Some(found) = find() else {
        println!("not exercised: no control group can be made here");
        return;
    };
    let path = found.parent.join(format!("metier-{}-test", std::process::id()));
    let limits = (found.memory.then_some(64 << 20), found.processes.then_some(7));
    let plan = GroupPlan { path: path.clone().into(), memory: limits.0, processes: limits.1 };
    let group = Group::make(&plan).map_err(|broken| broken.step).unwrap();
    assert!(path.is_dir() && !group.ran_out_of_memory());
    if found.memory {
        assert_eq!(std::fs::read_to_string(path.join("memory.max")).unwrap().trim(), "67108864");
    }
    if found.processes {
        assert_eq!(std::fs::read_to_string(path.join("pids.max")).unwrap().trim(), "7");
    }
    // A second one of that name is refused rather than shared.
    let again = Group::make(&plan).err().unwrap();
    assert_eq!(again.step, "the control group");
    assert!(path.is_dir());
    group.kill();
    drop(group);
    assert!(!path.exists());
    end(&path);
}

#[test]
fn a_group_whose_limits_cannot_be_set_is_not_made() {
    // R4
    // A plain directory has no `memory.oom.group` that the kernel watches, but takes any file; one
    // whose parent is missing takes nothing.
    let plan = |path: &str| GroupPlan { path: path.into(), memory: Some(1), processes: None };
    assert_eq!(Group::make(&plan("/no/such/place/x")).err().unwrap().step, "the control group");
    assert_eq!(offers(Path::new("/no/such/place")), None);
    let plain = tempfile::tempdir().unwrap();
    assert_eq!(offers(plain.path()), None);
}
