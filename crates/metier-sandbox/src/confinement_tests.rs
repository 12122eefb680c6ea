use super::*;

fn sample() -> Confinement {
    Confinement {
        read: vec![PathBuf::from("/skills/pdf")],
        write: vec![PathBuf::from("/project")],
        environment: environment::build(&["TOKEN"], &[("TOKEN".into(), "s3cret".into())]),
        ..Confinement::default()
    }
}

#[test]
fn a_dry_run_prints_the_walls_and_no_value_of_a_variable() {
    // R5, R6
    let text = sample().to_string();
    assert_eq!(
        text,
        "walls        require\n\
         read         the system's programs and libraries\n             /skills/pdf\n\
         write        a private directory of 512 MiB\n             /project\n\
         network      off\n\
         environment  LANG LC_ALL NO_COLOR PAGER PATH PYTHONDONTWRITEBYTECODE TERM TOKEN\n\
         time         60000 ms, 60 s of CPU a process\n\
         memory       2 GiB, 256 processes\n\
         files        256 MiB each, 1024 open\n\
         output       1 MiB and 256 KiB of errors"
    );
}

#[test]
fn the_walls_as_json_name_variables_without_values() {
    // R5, R6
    let json = serde_json::to_value(sample()).unwrap();
    assert_eq!(json["network"], "off");
    assert_eq!(json["level"], "require");
    assert_eq!(json["environment"][7], "TOKEN");
    assert!(!json.to_string().contains("s3cret"));
}

#[test]
fn the_default_is_the_strictest() {
    // R6
    let default = Confinement::default();
    assert_eq!(default.level, Level::Require);
    assert_eq!(default.network, Network::Off);
    assert!(default.read.is_empty() && default.write.is_empty());
}

#[test]
fn the_system_reads_hold_no_place_where_secrets_live() {
    // R6
    let all = SYSTEM_READS.iter().chain(NETWORK_READS);
    let secret = ["/etc", "/etc/shadow", "/etc/ssl", "/etc/ssh", "/home", "/run", "/var", "/proc"];
    assert_eq!(all.filter(|path| secret.contains(path)).count(), 0);
}

#[test]
fn name_lookup_is_readable_only_with_a_network() {
    // R6
    let off = Confinement::default();
    let full = Confinement { network: Network::Full, ..Confinement::default() };
    assert!(!off.system_reads().any(|path| path == "/etc/resolv.conf"));
    assert!(full.system_reads().any(|path| path == "/etc/resolv.conf"));
}

#[test]
fn each_network_and_level_says_what_it_is() {
    // R6
    let hosts = Network::Hosts(vec!["a.example".into(), "b.example".into()]);
    let said = [Network::Off, Network::Loopback, Network::Full, hosts].map(|n| n.to_string());
    assert_eq!(said, ["off", "own loopback only", "everything", "only a.example, b.example"]);
    let said = [Level::Require, Level::Prefer, Level::Off].map(|l| l.to_string());
    assert_eq!(said, ["require", "prefer", "off"]);
    assert_eq!([size(0), size(5), size(4096)], ["0 bytes", "5 bytes", "4 KiB"]);
}
