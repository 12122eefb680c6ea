use std::time::Duration;

use metier_store::index::{CatalogIndex, IndexSettings};
use metier_store::{Layer, MemoryStore};

use super::{FileStamp, INTERVAL, IndexStamps, Instant, Sight, Subscriptions, accepted, is_ours};
use crate::limits::MAX_SUBSCRIPTIONS;
use crate::who::Who;

#[test]
fn only_addresses_that_can_be_somebodys_are_subscribed_to() {
    // U2
    for ours in ["skill://a/SKILL.md", "skill://a/references/b.md", "skill://index.json"] {
        assert!(is_ours(ours), "{ours}");
    }
    for other in
        ["", "test://watched", "file:///etc/passwd", "skill://", "skill://a", "skill://a/%"]
    {
        assert!(!is_ours(other), "{other}");
    }
    let many: Vec<String> = (0..99).map(|n| format!("skill://a/{n}")).collect();
    let twice = ["skill://a/1".to_owned(), "skill://a/1".to_owned(), "test://x".to_owned()];
    assert_eq!(accepted(&many).len(), MAX_SUBSCRIPTIONS);
    assert_eq!(accepted(&twice), ["skill://a/1"]);
}

#[test]
fn so_many_and_no_more_and_what_is_taken_away_is_looked_at_no_more() {
    // U2
    let store = std::sync::Arc::new(MemoryStore::new(Layer::Personal));
    let index = CatalogIndex::new(store.clone(), IndexSettings::default(), Duration::ZERO);
    let catalog = index.latest();
    let subscribed = Subscriptions::default();
    for number in 0..MAX_SUBSCRIPTIONS {
        let begins = subscribed.add(&format!("skill://a/{number}"), None).unwrap();
        assert_eq!(begins, number == 0, "one looks for all");
    }
    assert!(subscribed.add("skill://a/0", None).is_ok(), "again is nothing new");
    assert!(subscribed.add("skill://a/more", None).is_err());
    let (who, shared) = (Who::default(), IndexStamps::default());
    let sight = Sight { who: &who, catalog: &catalog, store: &*store, shared: &shared };
    assert_eq!(subscribed.changed(sight), Some(Vec::new()));
    for number in 0..MAX_SUBSCRIPTIONS {
        subscribed.remove(&format!("skill://a/{number}"));
    }
    subscribed.remove("skill://a/0");
    assert_eq!(subscribed.changed(sight), None, "nobody has to look");
    assert!(subscribed.add("skill://a/0", None).unwrap(), "until there is one again");
}

#[test]
fn the_index_is_looked_at_once_in_an_interval_for_all_who_have_the_same() {
    // U2, F4
    let stamps = IndexStamps::default();
    let (nobody, other) = (Who::default(), Who::known("other"));
    let looks = std::cell::Cell::new(0);
    let look = |who: &Who| {
        stamps.get(who, || {
            looks.set(looks.get() + 1);
            FileStamp::of_bytes(&[looks.get()])
        })
    };
    let first = look(&nobody);
    assert_eq!((look(&nobody), look(&nobody), looks.get()), (first, first, 1));
    assert_ne!(look(&other), first, "whoever has other skills has another index");
    assert_eq!(looks.get(), 2);
    let past = Instant::now().checked_sub(INTERVAL);
    stamps.0.lock().unwrap().get_mut(&nobody).unwrap().0 = past.unwrap();
    assert_ne!(look(&nobody), first, "and then it is looked at again");
    assert_eq!(looks.get(), 3);
}
