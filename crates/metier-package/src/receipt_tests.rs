use super::*;
use crate::fixture::Ground;

#[test]
fn receipts_have_the_shape_agent_base_reads() {
    // P3
    let ground = Ground::new();
    let pinned = Pinned::of(&ground.staged("pdf", 1)).unwrap();
    let receipt =
        Receipt::of(&pinned, (&ground.home, &Place::Personal), "2031-05-06T07:08:09", true);
    let mut receipts = Receipts::default();
    receipts.set(receipt);
    let value = serde_json::to_value(&receipts).unwrap();
    let one = &value["pdf"];
    let keys: Vec<&str> = one.as_object().unwrap().keys().map(String::as_str).collect();
    let seed = [
        "name",
        "name_canonical",
        "git_url",
        "commit_sha",
        "branch",
        "tag",
        "installed_path",
        "trusted",
        "installed_at",
    ];
    assert_eq!(keys[..9], seed);
    assert_eq!(one["git_url"], "https://git.example/skills");
    assert_eq!((&one["branch"], &one["tag"]), (&"main".into(), &serde_json::Value::Null));
    assert_eq!(one["trusted"], true);
}

#[test]
fn a_version_is_a_tag_and_a_commit_is_neither() {
    // P3
    let ground = Ground::new();
    let check = |requested: Option<&str>, branch: Option<&str>, tag: Option<&str>| {
        let mut pinned = Pinned::of(&ground.staged("pdf", 1)).unwrap();
        pinned.locked.requested = requested.map(str::to_owned);
        let receipt = Receipt::of(&pinned, (&ground.home, &Place::Personal), "", false);
        assert_eq!((receipt.branch.as_deref(), receipt.tag.as_deref()), (branch, tag));
    };
    check(None, None, None);
    check(Some("main"), Some("main"), None);
    check(Some("v1.2.0"), None, Some("v1.2.0"));
    check(Some("1.2"), None, Some("1.2"));
    check(Some("0000000000000000000000000000000000000001"), None, None);
}

#[test]
fn what_nobody_knows_stays() {
    // P3
    let text = r#"{"pdf":{"name":"pdf","name_canonical":"pdf","git_url":"x","installed_path":"y",
        "installed_at":"then","mine":[1]}}"#;
    let mut receipts: Receipts = serde_json::from_str(text).unwrap();
    let ground = Ground::new();
    let pinned = Pinned::of(&ground.staged("pdf", 1)).unwrap();
    receipts.set(Receipt::of(&pinned, (&ground.home, &Place::Personal), "now", true));
    let one = receipts.get("pdf").unwrap();
    assert_eq!((one.installed_at.as_str(), &one.extra["mine"]), ("now", &serde_json::json!([1])));
}
