use super::{ProjectAccess, ScriptLaw, ScriptLevel, ScriptLimits, ScriptNetwork};
use crate::policy::PolicyErrorKind;
use crate::{Policy, PolicyFile, PolicyLayer, Profile};

fn law(files: &[(PolicyLayer, &str)]) -> ScriptLaw {
    let files = files.iter().map(|(layer, text)| {
        let text = format!("[scripts]\n{text}");
        (*layer, PolicyFile::read(&text, "policy.toml").unwrap())
    });
    Policy::merge(files).scripts().clone()
}

use PolicyLayer::{Enterprise, Personal, Project};

#[test]
fn without_a_word_walls_are_preferred_and_nothing_passes() {
    // R5, R6
    let law = law(&[]);
    assert_eq!(law, ScriptLaw::default());
    assert_eq!(law.level, ScriptLevel::Prefer);
    assert_eq!(law.network, ScriptNetwork::Declared);
    assert_eq!(law.project, ProjectAccess::None);
    assert!(!law.passes("HOME") && !law.passes("") && !law.only_active);
}

#[test]
fn a_lower_layer_only_tightens() {
    // R5, R6, S4
    let level = |files: &[(PolicyLayer, &str)]| law(files).level;
    assert_eq!(level(&[(Personal, "level = 'off'")]), ScriptLevel::Off);
    assert_eq!(level(&[(Project, "level = 'off'")]), ScriptLevel::Prefer);
    assert_eq!(level(&[(Project, "level = 'require'")]), ScriptLevel::Require);
    assert_eq!(
        level(&[(Enterprise, "level = 'require'"), (Personal, "level = 'off'")]),
        ScriptLevel::Require
    );
    let network = |files: &[(PolicyLayer, &str)]| law(files).network;
    assert_eq!(network(&[(Project, "network = 'any'")]), ScriptNetwork::Declared);
    assert_eq!(network(&[(Personal, "network = 'any'")]), ScriptNetwork::Any);
    assert_eq!(
        network(&[(Personal, "network = 'any'"), (Project, "network = 'off'")]),
        ScriptNetwork::Off
    );
    let project = |files: &[(PolicyLayer, &str)]| law(files).project;
    assert_eq!(project(&[(Project, "project = 'write'")]), ProjectAccess::None);
    assert_eq!(project(&[(Personal, "project = 'write'")]), ProjectAccess::Write);
    assert!(law(&[(Project, "only-active = true"), (Personal, "")]).only_active);
}

#[test]
fn a_variable_passes_when_every_list_names_it_and_a_strong_layer_has_one() {
    // R5
    let check = |files: &[(PolicyLayer, &str)], variable: &str, expect: bool| {
        assert_eq!(law(files).passes(variable), expect, "{files:?} {variable}");
    };
    check(&[(Personal, "env = ['KALSHI_*', 'LANG']")], "KALSHI_BASE_URL", true);
    check(&[(Personal, "env = ['KALSHI_*', 'LANG']")], "AWS_SECRET", false);
    check(&[(Project, "env = ['*']")], "AWS_SECRET", false);
    check(&[(Personal, "env = ['A*']"), (Project, "env = ['AB']")], "AB", true);
    check(&[(Personal, "env = ['A*']"), (Project, "env = ['AB']")], "AC", false);
    check(&[(Enterprise, "env = []"), (Personal, "env = ['*']")], "AC", false);
}

#[test]
fn of_limits_the_smallest_counts() {
    // R4
    let law = law(&[
        (Enterprise, "timeout = 90\nmemory-mib = 512"),
        (Personal, "timeout = 120\nprocesses = 20"),
        (Project, "timeout = 30\noutput-kib = 64"),
    ]);
    let expect = ScriptLimits {
        timeout: Some(30),
        memory_mib: Some(512),
        processes: Some(20),
        output_kib: Some(64),
    };
    assert_eq!(law.limits, expect);
}

#[test]
fn the_strict_profile_requires_every_wall_and_switches_the_network_off() {
    // R6
    let strict = Policy::profile(Profile::Strict);
    assert_eq!(strict.scripts().level, ScriptLevel::Require);
    assert_eq!(strict.scripts().network, ScriptNetwork::Off);
    // A file may say otherwise about what it names.
    let file = PolicyFile::read("profile = 'strict'\n[scripts]\nnetwork = 'any'", "p").unwrap();
    let law = Policy::merge([(Personal, file)]);
    assert_eq!(law.scripts().network, ScriptNetwork::Any);
    assert_eq!(law.scripts().level, ScriptLevel::Require);
}

#[test]
fn a_table_with_a_mistake_is_an_error() {
    // R6, S4
    for text in [
        "[scripts]\nlevel = 'maybe'",
        "[scripts]\nnetwok = 'off'",
        "[scripts]\ntimeout = 0",
        "[scripts]\ntimeout = -5",
        "[scripts]\ntimeout = '60'",
        "[scripts]\nenv = ['A=B']",
        "[scripts]\nenv = ['']",
        "[scripts]\nenv = [1]",
        "[scripts]\nonly-active = 'yes'",
        "scripts = 1",
    ] {
        let error = PolicyFile::read(text, "policy.toml").unwrap_err();
        assert!(
            matches!(
                error.kind,
                PolicyErrorKind::UnknownValue { .. }
                    | PolicyErrorKind::UnknownKey { .. }
                    | PolicyErrorKind::WrongType { .. }
            ),
            "{text}"
        );
        let broken = Policy::broken(error);
        assert_eq!(broken.scripts().network, ScriptNetwork::Off);
        assert!(broken.error().is_some());
    }
}

#[test]
fn packages_are_fetched_as_the_strictest_says_and_a_project_cannot_open_it() {
    // S4, R6
    use crate::ScriptDependencies::{Declared, Fetch, Never};
    let fetched = |files: &[(PolicyLayer, &str)]| law(files).dependencies;
    assert_eq!(fetched(&[]), Declared);
    assert_eq!(fetched(&[(Personal, "dependencies = 'fetch'")]), Fetch);
    assert_eq!(fetched(&[(Project, "dependencies = 'fetch'")]), Declared);
    let both = [(Personal, "dependencies = 'fetch'"), (Project, "dependencies = 'never'")];
    assert_eq!(fetched(&both), Never);
}
