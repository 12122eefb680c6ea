use super::*;

#[track_caller]
fn check(key: &str, expect: Option<(Field, Spelling)>) {
    let found = lookup(key).map(|found| (found.field, found.spelling));
    assert_eq!(found, expect, "{key:?}");
}

#[test]
fn the_table_and_the_lookup_agree() {
    // F2
    assert_eq!(TABLE.len(), COUNT);
    for (index, spec) in TABLE.iter().enumerate() {
        assert_eq!(spec.field as usize, index);
        assert_eq!(spec.field.name(), spec.name);
        check(spec.name, Some((spec.field, Spelling::Canonical)));
        for native in spec.natives {
            check(native, Some((spec.field, Spelling::Native)));
        }
        assert!(spec.name.len() <= Folded::CAPACITY);
        assert!(!spec.standard || spec.readers.is_empty(), "{}", spec.name);
    }
    let standard: Vec<&str> = TABLE.iter().filter(|s| s.standard).map(|s| s.name).collect();
    assert_eq!(
        standard,
        ["name", "description", "license", "compatibility", "metadata", "allowed-tools"]
    );
}

#[test]
fn every_spelling_of_a_word_finds_it() {
    // F2, ruling 8
    let tools = |name| Some((Field::AllowedTools, Spelling::Variant(name)));
    for key in ["allowed_tools", "allowedTools", "AllowedTools", "Allowed-Tools", "ALLOWED_TOOLS"] {
        check(key, tools("allowed-tools"));
    }
    check("Allowed Tools", tools("allowed-tools"));
    check("Name", Some((Field::Name, Spelling::Variant("name"))));
    check("DESCRIPTION", Some((Field::Description, Spelling::Variant("description"))));
    check("disable_model_invocation", {
        Some((Field::DisableModelInvocation, Spelling::Variant("disable-model-invocation")))
    });
    check("whenToUse", Some((Field::WhenToUse, Spelling::Variant("when_to_use"))));
    check("when-to-use", Some((Field::WhenToUse, Spelling::Variant("when_to_use"))));
}

#[test]
fn names_of_other_agents_are_known_as_they_are() {
    // F2, ruling 8
    let min = |spelling| Some((Field::MinHostVersion, spelling));
    check("min_agent_base_version", min(Spelling::Native));
    check("min-host-version", min(Spelling::Canonical));
    check("minAgentBaseVersion", min(Spelling::Variant("min_agent_base_version")));
    check("minHostVersion", min(Spelling::Variant("min-host-version")));
    check("scripts_ignore", Some((Field::ScriptsIgnore, Spelling::Native)));
    check("scriptsIgnore", Some((Field::ScriptsIgnore, Spelling::Variant("scripts-ignore"))));
}

#[test]
fn other_words_are_not_known() {
    // F2
    for key in ["", "-", "names", "requires", "allowedtools", "näme", "name:", "x.name", "--name"]
    {
        check(key, None);
    }
    check(&"a".repeat(100), None);
    check(&"A_".repeat(40), None);
}

#[test]
fn the_best_spelling_is_the_greatest() {
    // ruling 8
    assert!(Spelling::Canonical.rank() > Spelling::Native.rank());
    assert!(Spelling::Native.rank() > Spelling::Variant("name").rank());
}

#[test]
fn every_kind_has_a_noun() {
    // F3
    for spec in TABLE {
        assert!(!spec.kind.noun().is_empty());
    }
}

#[test]
fn a_slip_finds_the_name_that_was_meant() {
    // F3
    for (key, expect) in [
        ("descripton", Some("description")),
        ("Desciption", Some("description")),
        ("allowed-tool", Some("allowed-tools")),
        ("allowedtools", Some("allowed-tools")),
        ("alowed_tools", Some("allowed-tools")),
        ("nmae", None),
        ("nam", Some("name")),
        ("licence", Some("license")),
        ("requires", None),
        ("type", None),
        ("", None),
        ("ключ", None),
    ] {
        assert_eq!(closest(key), expect, "{key:?}");
    }
}

#[test]
fn distance_counts_changed_letters() {
    // F3
    for (a, b, expect) in [("", "", 0), ("a", "", 1), ("", "ab", 2), ("kitten", "sitting", 3)] {
        assert_eq!(distance(a, b), expect);
        assert_eq!(distance(b, a), expect);
    }
}
