use metier_store::discover::ScanLimits;
use metier_store::{Catalog, Enabled, Layer, MemoryStore, Precedence, Root, Selection, Store as _};
use serde_json::json;

use super::{ShadowedShape, SkillShape, SkippedShape, UNTRUSTED};

fn root(layer: Layer, path: &str, trusted: bool) -> Root {
    Root { trusted, ..Root::given(layer, path) }
}

fn catalog(store: &MemoryStore, selection: &Selection) -> Catalog {
    Catalog::build(store.discover(&ScanLimits::default()), &Precedence::DEFAULT, selection)
}

fn store(layer: Layer, trusted: bool) -> MemoryStore {
    let text =
        "---\nname: pdf\ndescription: Fills forms.\nversion: 2.0\ntags: [forms]\n---\nBody\n";
    MemoryStore::with_root(root(layer, "/skills", trusted)).file("pdf/SKILL.md", text.as_bytes())
}

#[test]
fn an_entry_has_every_field_of_the_contract() {
    // U1
    let catalog = catalog(&store(Layer::Personal, true), &Selection::default());
    let shape = SkillShape::entry(&catalog, &catalog.entries[0]);
    let mut value = serde_json::to_value(&shape).unwrap();
    let diagnostics = value.as_object_mut().unwrap().remove("diagnostics").unwrap();
    assert!(diagnostics.is_array());
    assert_eq!(
        value,
        json!({
            "name": "pdf",
            "description": "Fills forms.",
            "layer": "personal",
            "path": "/skills/pdf",
            "trust": "present",
            "active": true,
            "tags": ["forms"],
            "version": "2.0",
            "visibility": "model",
        })
    );
}

#[test]
fn active_is_what_may_be_used_now() {
    // D4
    let check = |store: &MemoryStore, enabled: Enabled, expect: (&str, bool, &str)| {
        let selection = Selection { enabled, ..Selection::default() };
        let catalog = catalog(store, &selection);
        let shape = SkillShape::entry(&catalog, &catalog.entries[0]);
        assert_eq!((shape.trust, shape.active, shape.visibility), expect);
        assert_eq!(shape.reason.is_none(), shape.active);
    };
    let untrusted = store(Layer::Project, false);
    check(&store(Layer::Personal, true), Enabled::Unset, ("present", true, "model"));
    check(&store(Layer::Bundled, true), Enabled::Unset, ("approved", true, "model"));
    check(&store(Layer::Project, true), Enabled::Unset, ("present", true, "model"));
    check(&untrusted, Enabled::Unset, ("untrusted", false, "untrusted"));
    check(&untrusted, Enabled::AllUntrusted, ("untrusted", true, "model"));
    let by_hand = "---\nname: pdf\ndescription: By hand.\ndisable-model-invocation: true\n---\nX\n";
    let by_hand = MemoryStore::with_root(root(Layer::Personal, "/skills", true))
        .file("pdf/SKILL.md", by_hand.as_bytes());
    check(&by_hand, Enabled::Unset, ("present", true, "user-only"));
}

#[test]
fn what_is_not_active_says_why() {
    // D4, H5
    let untrusted = catalog(&store(Layer::Project, false), &Selection::default());
    let shape = SkillShape::entry(&untrusted, &untrusted.entries[0]);
    assert_eq!(shape.reason.as_deref(), Some(UNTRUSTED));
    let none = Selection { enabled: Enabled::None, ..Selection::default() };
    let hidden = catalog(&store(Layer::Personal, true), &none);
    let shape = SkillShape::hidden(&hidden, &hidden.hidden[0]);
    assert_eq!((shape.active, shape.visibility), (false, "hidden"));
    assert_eq!(shape.reason.as_deref(), Some("is not among the enabled skills"));
}

#[test]
fn a_loser_names_both_sides_and_the_rule() {
    // D3
    let text = |name: &str| format!("---\nname: {name}\ndescription: One.\n---\nX\n").into_bytes();
    let store = MemoryStore::with_root(root(Layer::Personal, "/skills", true))
        .file("a/pdf/SKILL.md", text("pdf"))
        .file("b/pdf/SKILL.md", text("PDF"));
    let catalog = catalog(&store, &Selection::default());
    let shape = ShadowedShape::of(&catalog, &catalog.shadowed[0]);
    assert_eq!(
        serde_json::to_value(&shape).unwrap(),
        json!({"name": "PDF", "winner": "/skills/a/pdf", "loser": "/skills/b/pdf", "reason": "path"})
    );
}

#[test]
fn a_skipped_file_has_its_path_and_findings_with_places() {
    // F3
    let store = MemoryStore::with_root(root(Layer::Personal, "/skills", true))
        .file("odd/SKILL.md", &b"---\nname: odd\ndescription: [x]\n---\n"[..]);
    let catalog = catalog(&store, &Selection::default());
    let shape = SkippedShape::skipped(&catalog, &catalog.skipped[0]);
    assert_eq!(shape.path, "/skills/odd/SKILL.md");
    let finding = &shape.diagnostics[0];
    assert_eq!((finding.code, finding.severity, finding.line), ("SK112", "error", Some(3)));
    assert!(finding.help.is_some());
}
