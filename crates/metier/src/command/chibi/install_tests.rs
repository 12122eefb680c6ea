#![expect(clippy::disallowed_methods, reason = "tests plant what is in the way")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{InstallError, Installed, copy_in, install_plugin, installed, remove_plugin};

#[test]
fn the_plugin_is_a_copy_and_what_was_there_is_kept() {
    // U4
    let plugins = tempfile::tempdir().unwrap();
    let directory = plugins.path().join("agent-skills");
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join("agent-skills"), "#!/bin/sh\n").unwrap();
    for _ in 0..2 {
        let copy = install_plugin(plugins.path()).unwrap();
        let found = fs::symlink_metadata(&copy).unwrap();
        assert!(found.is_file() && found.permissions().mode() & 0o111 == 0o111);
        assert_eq!(found.len(), fs::metadata(std::env::current_exe().unwrap()).unwrap().len());
    }
    assert_eq!(fs::read_to_string(directory.join("agent-skills.before")).unwrap(), "#!/bin/sh\n");
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 2, "nothing half done stays");
}

#[test]
fn a_plugin_that_is_one_file_is_not_replaced() {
    // U4
    let plugins = tempfile::tempdir().unwrap();
    fs::write(plugins.path().join("agent-skills"), "mine").unwrap();
    let error = install_plugin(plugins.path()).unwrap_err();
    assert!(matches!(error, InstallError::Occupied(_)), "{error}");
    fs::write(plugins.path().join("file"), "").unwrap();
    let error = install_plugin(&plugins.path().join("file")).unwrap_err();
    assert!(matches!(error, InstallError::Disk { .. }), "{error}");
}

#[test]
fn removing_puts_back_what_was_there_and_touches_nothing_of_others() {
    // U4, P7
    let plugins = tempfile::tempdir().unwrap();
    let plugins = plugins.path();
    assert_eq!((installed(plugins), remove_plugin(plugins).unwrap()), (Installed::No, None));
    fs::create_dir(plugins.join("agent-skills")).unwrap();
    fs::write(copy_in(plugins), "#!/bin/sh\n").unwrap();
    assert_eq!((installed(plugins), remove_plugin(plugins).unwrap()), (Installed::No, None));
    install_plugin(plugins).unwrap();
    assert_eq!(installed(plugins), Installed::Current);
    assert_eq!(remove_plugin(plugins).unwrap(), Some(copy_in(plugins)));
    assert_eq!(fs::read_to_string(copy_in(plugins)).unwrap(), "#!/bin/sh\n");
    fs::remove_file(copy_in(plugins)).unwrap();
    install_plugin(plugins).unwrap();
    // Another metier.
    let mut bytes = fs::read(copy_in(plugins)).unwrap();
    bytes.push(0);
    fs::write(copy_in(plugins), bytes).unwrap();
    assert_eq!(installed(plugins), Installed::Stale);
    install_plugin(plugins).unwrap();
    assert_eq!(installed(plugins), Installed::Current);
    fs::create_dir(plugins.join("agent-skills/skills")).unwrap();
    remove_plugin(plugins).unwrap();
    assert!(plugins.join("agent-skills/skills").is_dir(), "somebody's skills stay");
    install_plugin(plugins).unwrap();
    fs::remove_dir(plugins.join("agent-skills/skills")).unwrap();
    remove_plugin(plugins).unwrap();
    assert_eq!(fs::read_dir(plugins).unwrap().count(), 0);
}
