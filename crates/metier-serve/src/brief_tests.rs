use metier_store::discover::ScanLimits;
use metier_store::{Catalog, Layer, MemoryStore, Precedence, Selection, Store as _};

use super::{SHORT, brief};

fn catalog(count: usize, description: &str) -> Catalog {
    let mut store = MemoryStore::new(Layer::Personal);
    for number in 0..count {
        let name = format!("skill-{number:04}");
        let text = format!("---\nname: {name}\ndescription: {description}\n---\nBody\n");
        store = store.file(&format!("{name}/SKILL.md"), text.into_bytes());
    }
    let discovery = store.discover(&ScanLimits::default());
    Catalog::build(discovery, &Precedence::DEFAULT, &Selection::default())
}

#[test]
fn what_fits_is_whole_and_what_does_not_is_counted() {
    // U2, D6
    assert_eq!(brief(&catalog(0, "d"), 100, "x"), "");
    let few = brief(&catalog(3, "Does it."), 1000, "x");
    assert_eq!(few.lines().count(), 3);
    assert!(few.contains("Does it.") && !few.contains("more skills"), "{few}");
    for room in [200, 1000, 2000] {
        let many = brief(&catalog(500, &"word ".repeat(100)), room, "`find`");
        assert!(many.chars().count() <= room, "{room}: {}", many.chars().count());
        let listed = many.lines().filter(|line| line.starts_with("- ")).count();
        let more = format!("{} more skills: see `find`", 500 - listed);
        assert!(many.ends_with(&more), "{many}");
        assert!(many.lines().all(|line| line.chars().count() <= SHORT), "{many}");
    }
}
