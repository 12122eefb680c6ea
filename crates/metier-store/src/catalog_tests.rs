use proptest::prelude::*;

use super::*;
use crate::fixture::{Fixture, found};
use crate::selection::Enabled;

fn key(name: &str) -> NameKey {
    NameKey::of(name)
}

/// Everything a catalog says, with directories in place of root ids, so that catalogs over
/// differently ordered roots can be compared.
fn view(catalog: &Catalog) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in &catalog.entries {
        let Entry { found, trust, visibility } = entry;
        let at = catalog.directory(found);
        lines.push(format!("{} {at:?} {trust:?} {visibility:?}", found.name));
    }
    for Shadowed { winner, loser, rule } in &catalog.shadowed {
        let (by, at) = (catalog.place(winner), catalog.directory(loser));
        lines.push(format!("{} {at:?} {rule:?} {by:?}", loser.name));
    }
    for Hidden { found, reason } in &catalog.hidden {
        lines.push(format!("{} {:?} {reason:?}", found.name, catalog.directory(found)));
    }
    lines
}

/// Two candidates called `pdf` and who wins: `a` or `b`.
fn duel(a: impl FnOnce(Fixture) -> Fixture, b: impl FnOnce(Fixture) -> Fixture) -> Catalog {
    b(a(Fixture::new())).catalog()
}

fn winner(catalog: &Catalog) -> PathBuf {
    catalog.directory(&catalog.entries[0].found)
}

#[test]
fn the_first_layer_wins_and_the_loser_is_kept_with_the_rule() {
    // D1, D3
    let catalog = duel(
        |f| f.root(Layer::Project, "/work/.agents/skills").skill("pdf"),
        |f| f.root(Layer::Personal, "/home/skills").skill("pdf"),
    );
    assert_eq!(winner(&catalog), PathBuf::from("/home/skills/pdf"));
    let [shadowed] = &catalog.shadowed[..] else { panic!("one loser: {catalog:?}") };
    assert_eq!(shadowed.rule, Rule::Layer);
    assert_eq!(catalog.directory(&shadowed.loser), PathBuf::from("/work/.agents/skills/pdf"));
    assert_eq!(catalog.place(&shadowed.winner), winner(&catalog));
}

#[test]
fn the_order_of_layers_can_be_changed() {
    // D1
    let fixture = Fixture::new()
        .root(Layer::Project, "/work/skills")
        .skill("pdf")
        .root(Layer::Personal, "/home/skills")
        .skill("pdf");
    let catalog =
        Catalog::build(fixture.discovery, &Precedence::PROJECT_FIRST, &Selection::default());
    assert_eq!(winner(&catalog), PathBuf::from("/work/skills/pdf"));
}

#[test]
fn within_a_layer_priority_then_client_then_path_decide() {
    // D3
    let at = |path: &'static str, order: u16, priority: i64| {
        move |f: Fixture| {
            f.root(Layer::Personal, path)
                .with_root(|root| root.client_order = order)
                .skill("pdf")
                .facts(|facts| facts.priority = priority)
        }
    };
    let check = |a, b, expect: (&str, Rule)| {
        let catalog = duel(a, b);
        assert_eq!(winner(&catalog), PathBuf::from(expect.0).join("pdf"));
        assert_eq!(catalog.shadowed[0].rule, expect.1);
    };
    check(at("/a", 1, 0), at("/b", 2, 1), ("/b", Rule::Priority));
    check(at("/a", 1, 0), at("/b", 2, -1), ("/a", Rule::Priority));
    check(at("/b", 1, 0), at("/a", 2, 0), ("/b", Rule::ClientOrder));
    check(at("/b", 1, 0), at("/a", 1, 0), ("/a", Rule::Path));
}

#[test]
fn within_a_root_the_path_decides() {
    // D3
    let catalog = Fixture::new()
        .root(Layer::Personal, "/home/skills")
        .skill_at("z/pdf", "pdf", "One.")
        .skill_at("a/pdf", "pdf", "Another.")
        .skill_at("", "pdf", "The root itself.")
        .catalog();
    assert_eq!(winner(&catalog), PathBuf::from("/home/skills"));
    let losers: Vec<_> = catalog.shadowed.iter().map(|s| catalog.directory(&s.loser)).collect();
    assert_eq!(losers, ["/home/skills/a/pdf", "/home/skills/z/pdf"].map(PathBuf::from));
}

#[test]
fn no_priority_of_a_plugin_beats_enterprise() {
    // D3
    let catalog = duel(
        |f| f.root(Layer::Plugin, "/plugin").skill("pdf").facts(|facts| facts.priority = i64::MAX),
        |f| {
            f.root(Layer::Enterprise, "/etc/skills")
                .skill("pdf")
                .facts(|facts| facts.priority = i64::MIN)
        },
    );
    assert_eq!(winner(&catalog), PathBuf::from("/etc/skills/pdf"));
    assert_eq!(catalog.shadowed[0].rule, Rule::Layer);
}

#[test]
fn an_untrusted_project_never_replaces_a_trusted_skill() {
    // D3, D4
    let fixture = Fixture::new()
        .root(Layer::Project, "/work/skills")
        .with_root(|root| root.trusted = false)
        .skill("pdf")
        .skill("only-here")
        .root(Layer::Bundled, "bundled")
        .skill("pdf");
    let build = |enabled: Enabled| {
        let selection = Selection { enabled, ..Selection::default() };
        Catalog::build(fixture.discovery.clone(), &Precedence::PROJECT_FIRST, &selection)
    };
    let careful = build(Enabled::Unset);
    let pdf = careful.get(&key("pdf")).unwrap();
    assert_eq!((pdf.trust, pdf.visibility), (Trust::Approved, Visibility::Model));
    assert_eq!(careful.shadowed[0].rule, Rule::Trust);
    let alone = careful.get(&key("only-here")).unwrap();
    assert_eq!((alone.trust, alone.visibility), (Trust::Untrusted, Visibility::Untrusted));
    assert!(careful.visible().all(|entry| entry.name().as_str() == "pdf"));

    let daring = build(Enabled::AllUntrusted);
    let pdf = daring.get(&key("pdf")).unwrap();
    assert_eq!((pdf.trust, pdf.visibility), (Trust::Untrusted, Visibility::Model));
    assert_eq!(daring.shadowed[0].rule, Rule::Layer);
    assert_eq!(daring.visible().count(), 2);
}

#[test]
fn trust_is_named_only_where_the_layer_does_not_decide() {
    // D3
    let untrusted = |f: Fixture, path| {
        f.root(Layer::Project, path).with_root(|root| root.trusted = false).skill("pdf")
    };
    let below = duel(
        |f| untrusted(f, "/work/skills"),
        |f| f.root(Layer::Personal, "/home/skills").skill("pdf"),
    );
    assert_eq!(below.shadowed[0].rule, Rule::Layer);
    let beside =
        duel(|f| untrusted(f, "/a"), |f| f.root(Layer::Project, "/work/skills").skill("pdf"));
    assert_eq!(winner(&beside), PathBuf::from("/work/skills/pdf"));
    assert_eq!(beside.shadowed[0].rule, Rule::Trust);
}

#[test]
fn one_directory_reached_twice_is_one_skill() {
    // D3
    let catalog = duel(
        |f| f.root(Layer::Project, "/work/link").skill("pdf").with(|s| s.identity = (1, 2)),
        |f| f.root(Layer::Personal, "/home/skills").skill("pdf").with(|s| s.identity = (1, 2)),
    );
    assert_eq!(catalog.entries.len(), 1);
    assert_eq!(catalog.shadowed[0].rule, Rule::SameDirectory);
}

#[test]
fn a_name_is_found_however_it_is_typed() {
    // D3
    let catalog = Fixture::new()
        .root(Layer::Personal, "/home/skills")
        .skill("Zebra")
        .skill("apple_pie")
        .skill("pdf")
        .catalog();
    let names: Vec<_> = catalog.entries.iter().map(|entry| entry.name().as_str()).collect();
    assert_eq!(names, ["Zebra", "apple_pie", "pdf"], "sorted by bytes");
    for (typed, expect) in [
        ("zebra", Some("Zebra")),
        ("Apple-Pie", Some("apple_pie")),
        ("apple pie", Some("apple_pie")),
        ("PDF", Some("pdf")),
        ("pd", None),
        ("../pdf", None),
        ("", None),
    ] {
        let entry = catalog.get(&key(typed));
        assert_eq!(entry.map(|e| e.name().as_str()), expect, "{typed}");
    }
}

#[test]
fn two_spellings_of_one_name_are_one_skill() {
    // D3
    let catalog = Fixture::new()
        .root(Layer::Personal, "/home/skills")
        .skill("code_review")
        .root(Layer::Project, "/work/skills")
        .skill("Code-Review")
        .catalog();
    assert_eq!(catalog.entries.len(), 1);
    assert_eq!(catalog.entries[0].name().as_str(), "code_review");
    assert_eq!(catalog.shadowed.len(), 1);
}

#[test]
fn the_loser_of_a_name_that_is_switched_off_is_still_known() {
    // D3, D4
    let selection = Selection { enabled: Enabled::None, ..Selection::default() };
    let catalog = Fixture::new()
        .root(Layer::Personal, "/home/skills")
        .skill("pdf")
        .root(Layer::Project, "/work/skills")
        .skill("pdf")
        .select(&selection);
    assert!(catalog.entries.is_empty());
    assert_eq!(catalog.hidden.len(), 1, "one inactive skill, not two");
    assert_eq!(catalog.shadowed.len(), 1);
}

#[test]
fn an_unknown_root_is_the_least_trusted_place() {
    // D3
    let mut fixture = Fixture::new().root(Layer::Bundled, "bundled").skill("pdf");
    fixture.discovery.found.push(found(RootId(9), "pdf", "pdf", "From nowhere."));
    let catalog = fixture.catalog();
    assert_eq!(catalog.entries[0].trust, Trust::Approved);
    assert_eq!(catalog.shadowed[0].rule, Rule::Trust);
}

#[test]
fn the_digest_is_that_of_the_skills_not_of_the_home_they_are_in() {
    // D3
    let at = |home: &str| {
        Fixture::new()
            .root(Layer::Personal, &format!("{home}/skills"))
            .skill("pdf")
            .root(Layer::Project, &format!("{home}/work"))
            .skill("pdf")
            .skill("docx")
    };
    let digest = at("/home").catalog().digest();
    assert_eq!(digest.len(), 64);
    assert!(digest.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)));
    assert_eq!(digest, at("/elsewhere").catalog().digest());
}

#[test]
fn the_digest_changes_with_everything_that_was_decided() {
    // D3
    let base = || Fixture::new().root(Layer::Personal, "/s").skill("pdf").skill("docx");
    let off = Selection { disabled: vec![key("pdf")], ..Selection::default() };
    let none = Selection { enabled: Enabled::None, ..Selection::default() };
    let catalogs = [
        base().catalog(),
        base().with(|s| s.digest[0] ^= 1).catalog(),
        base().with(|s| s.path = std::path::Path::new("elsewhere").into()).catalog(),
        base().with_root(|root| root.layer = Layer::Enterprise).catalog(),
        base().with_root(|root| root.client_order = 3).catalog(),
        base().facts(|facts| facts.disable_model_invocation = true).catalog(),
        base().skill("xlsx").catalog(),
        base().skill_at("other/pdf", "pdf", "What pdf does.").catalog(),
        base().select(&off),
        base().select(&none),
        Catalog::default(),
    ];
    let digests: std::collections::BTreeSet<_> = catalogs.iter().map(Catalog::digest).collect();
    assert_eq!(digests.len(), catalogs.len());
}

#[test]
fn a_change_is_told_by_name() {
    // D3
    let old = Fixture::new()
        .root(Layer::Personal, "/home/skills")
        .skill("same")
        .skill("edited")
        .skill("moved")
        .skill("gone")
        .catalog();
    let new = Fixture::new()
        .root(Layer::Personal, "/home/skills")
        .skill("same")
        .skill_at("edited", "edited", "Something else.")
        .skill_at("other/moved", "moved", "What moved does.")
        .skill("New")
        .catalog();
    let change = old.diff(&new);
    let json = serde_json::to_value(&change).unwrap();
    let expect = serde_json::json!({
        "added": ["New"], "removed": ["gone"], "changed": ["edited", "moved"]
    });
    assert_eq!(json, expect);
    assert!(!change.is_empty());
    assert!(old.diff(&old).is_empty());
    assert_eq!(new.diff(&old).added[0].as_str(), "gone");
}

#[test]
fn every_word_and_rule_can_be_said() {
    // D3
    let rules = [
        Rule::Layer,
        Rule::Priority,
        Rule::ClientOrder,
        Rule::Path,
        Rule::Trust,
        Rule::SameDirectory,
        Rule::AgentOrder,
    ];
    for rule in rules {
        assert_eq!(serde_json::to_value(rule).unwrap(), rule.as_str());
        assert!(rule.sentence().contains(' '));
    }
    for trust in [Trust::Untrusted, Trust::Present, Trust::Approved] {
        assert_eq!(serde_json::to_value(trust).unwrap(), trust.as_str());
    }
    for visibility in [Visibility::Model, Visibility::UserOnly, Visibility::Untrusted] {
        assert_eq!(serde_json::to_value(visibility).unwrap(), visibility.as_str());
    }
}

fn layers() -> impl Strategy<Value = Layer> {
    prop::sample::select(Layer::ALL.to_vec())
}

/// Discoveries with many collisions, some between candidates that only their paths tell apart.
fn discoveries() -> impl Strategy<Value = Discovery> {
    let root = (layers(), 0..3u16, any::<bool>());
    let skill = (0..6usize, 0..5u16, 0..4usize, -1..2i64, any::<bool>());
    let roots = prop::collection::vec(root, 1..6);
    (roots, prop::collection::vec(skill, 0..24)).prop_map(|(roots, skills)| {
        let mut discovery = Discovery::default();
        for (index, (layer, client_order, trusted)) in roots.into_iter().enumerate() {
            let root = Root::given(layer, format!("/root-{index}"));
            discovery.roots.push(Root { client_order, trusted, ..root });
        }
        for (index, (name, root, group, priority, user_only)) in skills.into_iter().enumerate() {
            let name = ["pdf", "PDF", "docx", "Zed", "a_b", "a-b"][name];
            let root = RootId(root % u16::try_from(discovery.roots.len()).unwrap());
            let mut found = found(root, &format!("{group}/{index}"), name, "Something.");
            let facts = Facts { priority, disable_model_invocation: user_only, ..Facts::default() };
            found.facts = Some(Box::new(facts));
            discovery.found.push(found);
        }
        discovery
    })
}

/// The same discovery with its roots in another order.
fn reorder_roots(discovery: &Discovery, order: &[usize]) -> Discovery {
    let mut new = discovery.clone();
    new.roots = order.iter().map(|&old| discovery.roots[old].clone()).collect();
    for found in &mut new.found {
        let at = order.iter().position(|&old| old == usize::from(found.root.0)).unwrap();
        found.root = RootId(u16::try_from(at).unwrap());
    }
    new
}

fn build(discovery: Discovery) -> Catalog {
    Catalog::build(discovery, &Precedence::DEFAULT, &Selection::default())
}

proptest! {
    #[test]
    fn the_order_of_finding_does_not_matter(
        (discovery, shuffled) in discoveries().prop_flat_map(|discovery| {
            let found = Just(discovery.found.clone()).prop_shuffle();
            (Just(discovery), found)
        }),
    ) {
        // D3
        let other = Discovery { found: shuffled, ..discovery.clone() };
        let (one, two) = (build(discovery), build(other));
        prop_assert_eq!(format!("{one:?}"), format!("{two:?}"));
        prop_assert_eq!(one.digest(), two.digest());
    }

    #[test]
    fn the_order_of_roots_does_not_matter(
        (discovery, order) in discoveries().prop_flat_map(|discovery| {
            let order: Vec<usize> = (0..discovery.roots.len()).collect();
            (Just(discovery), Just(order).prop_shuffle())
        }),
    ) {
        // D3
        let other = reorder_roots(&discovery, &order);
        let (one, two) = (build(discovery), build(other));
        prop_assert_eq!(view(&one), view(&two));
        prop_assert_eq!(one.digest(), two.digest());
        prop_assert!(one.diff(&two).is_empty());
    }

    #[test]
    fn nothing_in_a_lower_layer_changes_the_winner(
        discovery in discoveries(),
        priority in any::<i64>(),
    ) {
        // D3
        let before = build(discovery.clone());
        for entry in &before.entries {
            let rank = before.precedence.rank(before.layer(&entry.found));
            let lower = Layer::ALL.into_iter().filter(|l| before.precedence.rank(*l) > rank);
            // What is untrusted stands back behind everything, whatever its layer.
            for layer in lower.filter(|_| entry.visibility != Visibility::Untrusted) {
                let mut more = discovery.clone();
                let id = RootId(u16::try_from(more.roots.len()).unwrap());
                more.roots.push(Root { trusted: true, ..Root::given(layer, "/!") });
                let name = entry.name().as_str();
                let mut intruder = found(id, "x", name, "Something.");
                intruder.facts = Some(Box::new(Facts { priority, ..Facts::default() }));
                more.found.push(intruder);
                let after = build(more);
                prop_assert_eq!(after.get(&entry.name().key()), Some(entry));
            }
        }
    }

    #[test]
    fn who_has_only_some_skills_finds_those_and_hears_of_no_other(
        discovery in discoveries(), some in prop::collection::btree_set("[a-c]", 0..3)
    ) {
        // D4, U2
        let all = build(discovery);
        let keeps = |key: &NameKey| some.iter().any(|name| key.as_str().starts_with(name.as_str()));
        let few = all.narrowed(keeps);
        for entry in &all.entries {
            let key = entry.name().key();
            prop_assert_eq!(few.get(&key), Some(entry).filter(|_| keeps(&key)));
        }
        let known = few.entries.iter().map(|entry| &entry.found.name);
        let lost = few.shadowed.iter().map(|shadowed| &shadowed.loser.name);
        let hidden = few.hidden.iter().map(|hidden| &hidden.found.name);
        prop_assert!(known.chain(lost).chain(hidden).all(|name| keeps(&name.key())));
        prop_assert_eq!(all.narrowed(|_| true).entries, all.entries);
        prop_assert!(few.notes.is_empty() && few.unmatched().is_empty());
    }

    #[test]
    fn every_candidate_ends_up_in_exactly_one_list(discovery in discoveries()) {
        // D3
        let count = discovery.found.len();
        let catalog = build(discovery);
        let kept = catalog.entries.len() + catalog.shadowed.len() + catalog.hidden.len();
        prop_assert_eq!(kept, count);
        for entry in &catalog.entries {
            prop_assert_eq!(catalog.get(&entry.name().key()), Some(entry));
        }
    }
}
