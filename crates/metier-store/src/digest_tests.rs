use proptest::prelude::*;

use super::{Tree, TreeFile, TreeKind, TreeLink, checksum, hex, is_digest, sha256};

fn file(path: &str, kind: TreeKind, content: &[u8]) -> TreeFile {
    let (size, digest) = (content.len() as u64, sha256(content));
    TreeFile { path: path.as_bytes().into(), kind, size, digest }
}

#[test]
fn digests_of_bytes_are_the_published_ones() {
    // J2
    let check = |bytes: &[u8], expect: &str| assert_eq!(hex(&sha256(bytes)), expect);
    check(b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check(b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(hex(&[0, 9, 10, 255]), "00090aff");
}

#[test]
fn a_digest_is_sixty_four_lowercase_digits() {
    // P2
    assert!(is_digest(&"a1".repeat(32)));
    for no in ["", "a", &"A1".repeat(32), &"g1".repeat(32), &"a1".repeat(33), "../../etc"] {
        assert!(!is_digest(no), "{no}");
    }
}

#[test]
fn the_digest_of_a_tree_is_over_exactly_the_documented_bytes() {
    // P3
    let tree =
        Tree::new(vec![file("b", TreeKind::Executable, b"2"), file("a/c", TreeKind::File, b"1")]);
    let mut bytes = b"metier-tree-1\n".to_vec();
    for (letter, path, content) in [(b'f', "a/c", b"1"), (b'x', "b", b"2")] {
        bytes.push(letter);
        bytes.extend((path.len() as u64).to_le_bytes());
        bytes.extend(path.as_bytes());
        bytes.extend(sha256(content));
    }
    assert_eq!(tree.digest(), sha256(&bytes));
    assert_eq!(Tree::default().digest(), sha256(b"metier-tree-1\n"));
}

#[test]
fn a_path_leads_in_a_tree_where_it_leads_on_disk() {
    // R1, P4
    let links: &[(&str, &str)] = &[
        ("again", "link.md"),
        ("circle", "circle"),
        ("deep/up", "../../SKILL.md"),
        ("dir", "references"),
        ("gone", "nowhere"),
        ("link.md", "./references//a.md"),
        ("out", "/etc/passwd"),
        ("scripts/home", ".."),
    ];
    let plain = ["SKILL.md", "deep/x/b.md", "references/a.md", "scripts/run.sh"];
    let files = plain.iter().map(|path| file(path, TreeKind::File, path.as_bytes()));
    let linked = links.iter().map(|(path, to)| file(path, TreeKind::Link, to.as_bytes()));
    let targets = links.iter().map(|(path, target)| TreeLink {
        path: path.as_bytes().into(),
        target: target.as_bytes().into(),
    });
    let bare = Tree::new(files.chain(linked).collect());
    let tree = bare.clone().with_links(targets.rev().collect());
    assert_eq!((tree.digest(), &tree), (bare.digest(), &bare));
    let check = |path: &str, expect: Option<&str>| {
        let found = tree.resolve(path.as_bytes()).map(|file| file.digest);
        assert_eq!(found, expect.map(|path| sha256(path.as_bytes())), "{path}");
    };
    for path in plain {
        check(path, Some(path));
    }
    check("link.md", Some("references/a.md"));
    check("again", Some("references/a.md"));
    check("dir/a.md", Some("references/a.md"));
    check("scripts/home/dir/a.md", Some("references/a.md"));
    check("scripts/home/scripts/home/SKILL.md", Some("SKILL.md"));
    for none in ["", "deep", "nope", "circle", "gone", "out", "deep/up", "dir", "dir/b.md", "../x"]
    {
        check(none, None);
    }
    assert_eq!(tree.target(b"dir"), Some(&b"references"[..]));
    assert_eq!((tree.target(b"SKILL.md"), bare.target(b"dir")), (None, None));
    assert_eq!(bare.resolve(b"dir/a.md"), None, "what nobody said is not guessed");
}

/// A change to one file that must show in the digest.
#[derive(Clone, Debug)]
enum Change {
    Rename(String),
    Content(Vec<u8>),
    Kind(TreeKind),
    Remove,
    Add(String),
    /// Moves the last byte of the path to the front of the content, or back.
    Boundary,
}

fn change() -> impl Strategy<Value = Change> {
    let kind = prop_oneof![Just(TreeKind::File), Just(TreeKind::Executable), Just(TreeKind::Link)];
    prop_oneof![
        "[a-c/]{1,4}".prop_map(Change::Rename),
        prop::collection::vec(any::<u8>(), 0..4).prop_map(Change::Content),
        kind.prop_map(Change::Kind),
        Just(Change::Remove),
        "[d-f]{1,2}".prop_map(Change::Add),
        Just(Change::Boundary),
    ]
}

type Plain = Vec<(String, TreeKind, Vec<u8>)>;

fn tree(files: &Plain) -> Tree {
    Tree::new(files.iter().map(|(path, kind, content)| file(path, *kind, content)).collect())
}

fn apply(files: &mut Plain, index: usize, change: Change) {
    let (path, kind, content) = &mut files[index];
    match change {
        Change::Rename(name) => *path = name,
        Change::Content(bytes) => *content = bytes,
        Change::Kind(other) => *kind = other,
        Change::Remove => drop(files.remove(index)),
        Change::Add(name) => files.push((name, TreeKind::File, Vec::new())),
        Change::Boundary => {
            if let Some(last) = path.pop() {
                content.insert(0, last as u8);
            }
        }
    }
}

fn sorted(files: &Plain) -> Vec<(String, u8, Vec<u8>)> {
    let mut list: Vec<_> = files
        .iter()
        .map(|(path, kind, content)| (path.clone(), kind.letter(), content.clone()))
        .collect();
    list.sort();
    list
}

proptest! {
    #[test]
    fn any_change_of_path_mode_or_content_changes_the_digest(
        files in prop::collection::btree_map("[a-c]{1,2}", prop::collection::vec(any::<u8>(), 0..4), 1..5),
        index in any::<prop::sample::Index>(),
        change in change(),
    ) {
        // P3, P4
        let before: Plain =
            files.into_iter().map(|(path, content)| (path, TreeKind::File, content)).collect();
        let mut after = before.clone();
        apply(&mut after, index.index(before.len()), change);
        let same = sorted(&before) == sorted(&after);
        prop_assert_eq!(tree(&before).digest() == tree(&after).digest(), same);
    }

    #[test]
    fn the_order_files_are_met_in_does_not_matter(
        files in prop::collection::btree_map("[a-c/]{1,4}", prop::collection::vec(any::<u8>(), 0..4), 0..6),
        seed in any::<u64>(),
    ) {
        // P3, D3
        let files: Plain =
            files.into_iter().map(|(path, content)| (path, TreeKind::File, content)).collect();
        let mut shuffled = files.clone();
        shuffled.sort_by_key(|(path, _, _)| sha256(format!("{seed}{path}").as_bytes()));
        prop_assert_eq!(tree(&files), tree(&shuffled));
        prop_assert_eq!(tree(&files).digest(), tree(&shuffled).digest());
    }
}

#[test]
fn a_checksum_tells_every_damage_of_eight_bytes_that_stand_together() {
    // D7
    let bytes: Vec<u8> = (1..=255).cycle().take(300).collect();
    let mut sums = std::collections::BTreeSet::new();
    for length in [0, 1, 7, 8, 9, 31, 32, 33, 300] {
        assert!(sums.insert(checksum(&bytes[..length])), "{length}");
        assert!(sums.insert(checksum(&vec![0; length][..])) || length == 0, "zeros {length}");
    }
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            assert_ne!(checksum(&damaged), checksum(&bytes), "{at} {bit}");
        }
    }
    let mut swapped = bytes.clone();
    swapped.swap(0, 32);
    assert!(sums.insert(checksum(&swapped)));
}
