use metier_store::discover::ScanLimits;
use metier_store::{Catalog, Layer, MemoryStore, Precedence, Selection, Store as _};

use super::{has_tool, own, tools};

fn catalog(names: &[&str]) -> Catalog {
    let mut store = MemoryStore::new(Layer::Personal);
    for name in names {
        let text = format!("---\nname: \"{name}\"\ndescription: Does it.\n---\nBody\n");
        store = store.file(&format!("{name}/SKILL.md"), text.into_bytes());
    }
    let discovery = store.discover(&ScanLimits::default());
    Catalog::build(discovery, &Precedence::DEFAULT, &Selection::default())
}

#[test]
fn each_skill_whose_name_every_provider_takes_is_a_tool_of_the_plugin() {
    // U8, U4
    let long = "a".repeat(60);
    let catalog = catalog(&["git-helper", "free", "-a", "a--b", "--", "marketplace", &long]);
    let tools = tools(&catalog);
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).skip(own().len()).collect();
    assert_eq!(names, ["skill_free", "skill_git-helper"]);
    let with: Vec<&str> =
        catalog.visible().filter(|e| has_tool(e)).map(|e| e.name().as_str()).collect();
    assert_eq!(with, ["free", "git-helper"], "and that is known of each");
}
