use metier_store::{Layer, MemoryStore};

use super::*;
use crate::Dialect;
use crate::unopened::Unopened;

const SKILL: &str = "---\nname: one\ndescription: Does it.\n---\n\nBody.\n";
const ADDRESS: &str = "skill://one/SKILL.md";

/// Somebody who subscribed before the skill came.
fn subscriber(session: Option<&str>) -> Arc<Subscriber> {
    let store = MemoryStore::new(Layer::Personal).file("one/SKILL.md", SKILL.as_bytes().to_vec());
    let service = Service::new(Unopened::of(store), Dialect::Plain);
    let known = Arc::new(Subscriptions::default());
    known.add(ADDRESS, None).unwrap();
    let session = session.map(str::to_owned);
    Arc::new(Subscriber { service, who: Who::default(), known, session })
}

fn look(subscriber: &Arc<Subscriber>) -> Option<Vec<String>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(Arc::clone(subscriber).look())
}

#[test]
fn what_nobody_would_hear_is_not_looked_for_and_told_to_who_comes_back() {
    // U2, F4
    let told = Some(vec![ADDRESS.to_owned()]);
    let here = subscriber(None);
    assert_eq!(look(&here), told, "a pipe is always heard");
    let away = subscriber(Some("session"));
    assert_eq!((look(&away), look(&away)), (Some(vec![]), Some(vec![])));
    let stream = away.service.streams().open(&"session".into());
    assert_eq!(look(&away), told, "nothing was lost meanwhile");
    assert_eq!(look(&away), Some(vec![]), "and nothing is told twice");
    drop(stream);
    away.known.remove(ADDRESS);
    assert_eq!(look(&away), Some(vec![]));
    let _stream = away.service.streams().open(&"session".into());
    assert_eq!(look(&away), None, "who has none left is not looked for");
}
