use metier_format::NameKey;
use proptest::prelude::*;

use super::*;
use crate::Catalog;
use crate::catalog::{HiddenReason, Visibility};
use crate::fixture::Fixture;
use crate::layer::Layer;

fn keys(names: &[&str]) -> Vec<NameKey> {
    names.iter().map(|name| NameKey::of(name)).collect()
}

fn personal() -> Fixture {
    Fixture::new().root(Layer::Personal, "/home/skills")
}

fn names(catalog: &Catalog) -> Vec<&str> {
    catalog.entries.iter().map(|entry| entry.name().as_str()).collect()
}

fn hidden(catalog: &Catalog) -> Vec<(&str, &str)> {
    let pair = |h: &'_ crate::catalog::Hidden| h.reason.as_str();
    catalog.hidden.iter().map(|h| (h.found.name.as_str(), pair(h))).collect()
}

#[test]
fn the_enabled_set_is_a_list_or_a_word() {
    // D4
    let check = |text: &str, expect: Enabled| assert_eq!(Enabled::parse(text), expect, "{text:?}");
    check("all", Enabled::All);
    check(" ALL ", Enabled::All);
    check("All-Untrusted", Enabled::AllUntrusted);
    check("all_untrusted", Enabled::AllUntrusted);
    check("none", Enabled::None);
    check("", Enabled::None);
    check("  ", Enabled::None);
    check(" , ,", Enabled::None);
    check("pdf", Enabled::Only(keys(&["pdf"])));
    check(
        "Kalshi-Markets, Hello_Extended",
        Enabled::Only(keys(&["kalshi-markets", "hello-extended"])),
    );
    check("all,pdf", Enabled::Only(keys(&["all", "pdf"])));
}

#[test]
fn unset_and_all_show_everything_but_untrusted_projects() {
    // D4
    let fixture = Fixture::new()
        .root(Layer::Personal, "/home/skills")
        .skill("mine")
        .root(Layer::Project, "/work/.agents/skills")
        .with_root(|root| root.trusted = false)
        .skill("theirs")
        .root(Layer::Bundled, "bundled")
        .skill("ours");
    for (enabled, seen) in [
        (Enabled::Unset, vec!["mine", "ours"]),
        (Enabled::All, vec!["mine", "ours"]),
        (Enabled::AllUntrusted, vec!["mine", "ours", "theirs"]),
        (Enabled::None, vec![]),
        (Enabled::Only(keys(&["Theirs", "MINE"])), vec!["mine"]),
    ] {
        let selection = Selection { enabled: enabled.clone(), ..Selection::default() };
        let catalog = fixture.clone().select(&selection);
        let visible: Vec<_> = catalog.visible().map(|entry| entry.name().as_str()).collect();
        assert_eq!(visible, seen, "{enabled:?}");
        let all = catalog.entries.len() + catalog.hidden.len();
        assert_eq!(all, 3, "nothing disappears: {enabled:?}");
    }
}

#[test]
fn names_that_match_nothing_are_reported() {
    // D4
    let fixture = personal()
        .skill("pdf")
        .skill("docx")
        .scope(|scope| scope.agents = Some(vec!["codex".into()]))
        .broken("xlsx/SKILL.md", Code::InvalidYaml, "not YAML");
    let selection = Selection {
        enabled: Enabled::parse("PDF,docx,xlsx,pfd"),
        disabled: keys(&["gone", "docx"]),
        agent: Some("goose".into()),
        ..Selection::default()
    };
    let catalog = fixture.select(&selection);
    assert_eq!(catalog.unmatched(), keys(&["gone", "pfd"]));
    assert!(personal().skill("pdf").catalog().unmatched().is_empty());
}

#[test]
fn a_disabled_skill_stays_off_even_when_enabled_by_name() {
    // D4
    let selection = Selection {
        enabled: Enabled::parse("pdf,docx"),
        disabled: keys(&["PDF"]),
        ..Selection::default()
    };
    let catalog = personal().skill("pdf").skill("docx").skill("xlsx").select(&selection);
    assert_eq!(names(&catalog), ["docx"]);
    assert_eq!(hidden(&catalog), [("pdf", "disabled"), ("xlsx", "not-enabled")]);
}

#[test]
fn a_scope_is_held_against_what_the_host_said() {
    // D4
    let list = |items: &[&str]| Some(items.iter().map(|&item| item.to_owned()).collect());
    let check = |scope: FoundScope, selection: Selection, expect: &[(&str, &str)]| {
        let catalog = personal().skill("s").scope(|s| *s = scope.clone()).select(&selection);
        assert_eq!(hidden(&catalog), expect, "{scope:?} {selection:?}");
    };
    let agents = |items| FoundScope { agents: list(items), ..FoundScope::default() };
    let tenants = |items| FoundScope { tenants: list(items), ..FoundScope::default() };
    let environments = |items| FoundScope { environments: list(items), ..FoundScope::default() };
    let agent = |a: &str| Selection { agent: Some(a.into()), ..Selection::default() };
    let tenant = |a: &str| Selection { tenant: Some(a.into()), ..Selection::default() };
    let environment = |a: &str| Selection { environment: Some(a.into()), ..Selection::default() };

    check(agents(&["codex", "Claude_Code"]), agent("claude-code"), &[]);
    check(agents(&["codex"]), agent("claude-code"), &[("s", "agent")]);
    check(agents(&["*"]), agent("claude-code"), &[]);
    check(agents(&[]), agent("claude-code"), &[("s", "agent")]);
    check(agents(&["codex"]), tenant("t1"), &[]);
    check(agents(&["codex"]), Selection::default(), &[]);
    check(tenants(&["t1"]), tenant("t1"), &[]);
    check(tenants(&["t1"]), tenant("T1"), &[("s", "tenant")]);
    check(environments(&["Production"]), environment("production"), &[]);
    check(environments(&["staging"]), environment("production"), &[("s", "environment")]);
}

#[test]
fn a_skill_for_another_agent_does_not_hide_the_one_for_this() {
    // D3, D4
    let catalog = Fixture::new()
        .root(Layer::Enterprise, "/etc/skills")
        .skill("pdf")
        .scope(|scope| scope.agents = Some(vec!["codex".into()]))
        .root(Layer::Personal, "/home/skills")
        .skill("pdf")
        .select(&Selection { agent: Some("goose".into()), ..Selection::default() });
    assert_eq!(names(&catalog), ["pdf"]);
    assert_eq!(catalog.layer(&catalog.entries[0].found), Layer::Personal);
    assert!(catalog.shadowed.is_empty());
    assert_eq!(hidden(&catalog), [("pdf", "agent")]);
}

#[test]
fn a_version_range_is_held_against_the_host() {
    // D4
    let check = |minimum: Option<&str>, maximum: Option<&str>, host: Option<&str>, expect: &str| {
        let host_version = host.map(str::to_owned);
        let catalog = personal()
            .skill("s")
            .facts(|facts| {
                facts.min_host_version = minimum.map(Into::into);
                facts.max_host_version = maximum.map(Into::into);
            })
            .select(&Selection { host_version, ..Selection::default() });
        let reason = catalog.hidden.first().map_or("", |h| h.reason.as_str());
        assert_eq!(reason, expect, "{minimum:?} {maximum:?} {host:?}");
    };
    check(Some("1.2"), None, Some("1.2.0"), "");
    check(Some("1.10"), None, Some("1.9"), "host-too-old");
    check(None, Some("1.2"), Some("1.2.7"), "");
    check(None, Some("1.2"), Some("1.3"), "host-too-new");
    check(Some("9"), Some("1"), None, "");
}

#[test]
fn a_version_that_is_none_hides_nothing_and_is_said() {
    // D4
    let with = |minimum: &str, host: &str| {
        personal()
            .skill("s")
            .facts(|facts| facts.min_host_version = Some(minimum.into()))
            .select(&Selection { host_version: Some(host.into()), ..Selection::default() })
    };
    let check = |minimum: &str, host: &str, expect: &[&str]| {
        let catalog = with(minimum, host);
        assert_eq!(names(&catalog), ["s"], "{minimum} {host}");
        let said: Vec<_> = catalog.notes.iter().map(|n| n.diagnostic.message.as_str()).collect();
        assert_eq!(said, expect, "{minimum} {host}");
        assert!(catalog.notes.iter().all(|note| note.diagnostic.code == Code::FieldValue));
    };
    check("1.2", "1.3", &[]);
    check(
        "latest",
        "1.3",
        &["`min-host-version` is `latest`, which is not a version, and was not checked"],
    );
    check(
        "1\u{202e}",
        "1",
        &["`min-host-version` is `1\\u{202e}`, which is not a version, and was not checked"],
    );
    check(
        "1.2",
        "dev",
        &["`min-host-version` was not checked, because the host's version `dev` is not one"],
    );
}

#[test]
fn a_skill_the_model_may_not_call_stays_with_the_user() {
    // D4
    let catalog =
        personal().skill("deploy").facts(|facts| facts.disable_model_invocation = true).catalog();
    assert_eq!(catalog.entries[0].visibility, Visibility::UserOnly);
    assert_eq!(catalog.visible().count(), 0);
}

#[test]
fn every_reason_can_be_said() {
    // D3, D4
    let check = |reason: HiddenReason, expect: &str| assert_eq!(reason.sentence(), expect);
    check(HiddenReason::Agent("goose".into()), "is not offered to the agent `goose`");
    check(HiddenReason::Tenant("t\u{7}".into()), "is not offered to the tenant `t\\u{7}`");
    check(HiddenReason::Environment("ci".into()), "is not offered in the environment `ci`");
    check(
        HiddenReason::HostTooOld { host: "1".into(), minimum: "2".into() },
        "needs a host of version `2` or later, and this one is `1`",
    );
    check(
        HiddenReason::HostTooNew { host: "3".into(), maximum: "2".into() },
        "needs a host of version `2` or earlier, and this one is `3`",
    );
    check(HiddenReason::Disabled, "is disabled");
    check(HiddenReason::NotEnabled, "is not among the enabled skills");
}

#[test]
fn conditions_are_checked_in_one_order_so_that_one_reason_is_given() {
    // D4
    let scope = |scope: &mut FoundScope| {
        scope.agents = Some(vec!["codex".into()]);
        scope.tenants = Some(vec!["t1".into()]);
        scope.environments = Some(vec!["ci".into()]);
    };
    let fixture =
        || personal().skill("s").scope(scope).facts(|f| f.min_host_version = Some("9".into()));
    let mut selection = Selection {
        agent: Some("goose".into()),
        tenant: Some("t2".into()),
        environment: Some("production".into()),
        host_version: Some("1".into()),
        ..Selection::default()
    };
    let reason = |selection: &Selection| hidden(&fixture().select(selection))[0].1.to_owned();
    assert_eq!(reason(&selection), "agent");
    selection.agent = None;
    assert_eq!(reason(&selection), "tenant");
    selection.tenant = None;
    assert_eq!(reason(&selection), "environment");
    selection.environment = None;
    assert_eq!(reason(&selection), "host-too-old");
    selection.host_version = Some("9.1".into());
    assert!(hidden(&fixture().select(&selection)).is_empty());
}

proptest! {
    #[test]
    fn any_setting_is_read_and_names_only_what_it_says(text in "\\PC{0,40}") {
        // D4
        let commas = text.split(',').filter(|part| !part.trim().is_empty()).count();
        match Enabled::parse(&text) {
            Enabled::Only(names) => prop_assert_eq!(names.len(), commas),
            Enabled::Unset => prop_assert!(false, "a setting is never unset"),
            Enabled::All | Enabled::AllUntrusted => prop_assert_eq!(commas, 1),
            Enabled::None => prop_assert!(commas <= 1),
        }
    }

    #[test]
    fn a_wider_setting_never_shows_less(
        trusted in any::<bool>(),
        listed in prop::collection::vec(0..4usize, 0..4),
    ) {
        // D4
        let names = ["a", "b", "c", "d"];
        let fixture = names.iter().fold(
            Fixture::new().root(Layer::Project, "/work").with_root(|root| root.trusted = trusted),
            |fixture, name| fixture.skill(name),
        );
        let seen = |enabled: Enabled| {
            let catalog = fixture.clone().select(&Selection { enabled, ..Selection::default() });
            catalog.visible().count()
        };
        let only = Enabled::Only(listed.iter().map(|index| NameKey::of(names[*index])).collect());
        let counts = [
            seen(Enabled::None),
            seen(only),
            seen(Enabled::Unset),
            seen(Enabled::All),
            seen(Enabled::AllUntrusted),
        ];
        prop_assert!(counts.is_sorted(), "{counts:?}");
        prop_assert_eq!(counts[4], 4);
    }
}

#[test]
fn a_setting_names_skills_or_all_or_none() {
    // D4, U2
    let check = |text: &str, name: &str, expect: bool| {
        assert_eq!(Enabled::parse(text).names(&NameKey::of(name)), expect, "{text} {name}");
    };
    check("all", "a", true);
    check("all-untrusted", "a", true);
    check("none", "a", false);
    check("", "a", false);
    check("a, B_c", "b-c", true);
    check("a, B_c", "d", false);
    assert!(Enabled::Unset.names(&NameKey::of("a")));
}
