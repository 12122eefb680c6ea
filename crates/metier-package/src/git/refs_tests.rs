use super::*;

const ONE: &str = "1111111111111111111111111111111111111111";
const TWO: &str = "2222222222222222222222222222222222222222";
const TAG: &str = "3333333333333333333333333333333333333333";

fn listing() -> Vec<u8> {
    let lines = [
        (ONE, "HEAD"),
        (ONE, "refs/heads/main"),
        (TWO, "refs/heads/v1"),
        (TAG, "refs/tags/v1"),
        (ONE, "refs/tags/v1^{}"),
        (TWO, "refs/tags/light"),
        ("no id", "refs/tags/odd"),
    ];
    lines.map(|(id, name)| format!("{id}\t{name}\n")).concat().into_bytes()
}

#[test]
fn a_name_is_the_tag_before_the_branch_and_the_commit_behind_the_tag() {
    // P1
    let point = |object: &str, commit: &str| {
        Some(Pointed { object: object.to_owned(), commit: commit.to_owned() })
    };
    let cases = [
        (None, point(ONE, ONE)),
        (Some("main"), point(ONE, ONE)),
        (Some("v1"), point(TAG, ONE)),
        (Some("light"), point(TWO, TWO)),
        (Some("refs/heads/v1"), point(TWO, TWO)),
        (Some("refs/tags/v1"), point(TAG, ONE)),
        (Some("odd"), None),
        (Some("nothing"), None),
    ];
    for (requested, expect) in cases {
        assert_eq!(choose(&listing(), requested), expect, "{requested:?}");
    }
    assert_eq!(choose(b"\xff\xfe", None), None);
}

#[test]
fn the_start_of_an_id_is_enough_when_only_one_starts_so() {
    // P1
    let found = |start: &str| abbreviated(&listing(), start).map(|pointed| pointed.commit);
    assert_eq!(found("1111111"), Some(ONE.to_owned()));
    assert_eq!(found("4444444"), None);
    assert_eq!(found(""), None);
    for (name, expect) in
        [("0123456", true), ("012345", false), ("main", false), ("ABCDEF0", false)]
    {
        assert_eq!(is_abbreviation(name), expect, "{name}");
    }
}
