use metier_format::parse;

use serde_json::json;

use metier_store::discover::ScanLimits;
use metier_store::vouch::Vouched;
use metier_store::{Catalog, FileStore, Layer, Precedence, Root, Selection, Store as _};
use metier_testing::World;

use super::{FileAnswer, Listing, allowed_tools, base64};

fn tools_of(frontmatter: &str) -> Option<Vec<String>> {
    let text = format!("---\nname: pdf\ndescription: Fills forms.\n{frontmatter}---\nBody\n");
    allowed_tools(&parse(text.as_bytes(), Some("pdf")).manifest.unwrap())
}

#[test]
fn tools_are_what_the_frontmatter_allows_in_any_of_its_forms() {
    // F2, S3
    let check = |frontmatter: &str, expect: Option<&[&str]>| {
        let expect = expect.map(|tools| tools.iter().map(ToString::to_string).collect());
        assert_eq!(tools_of(frontmatter), expect, "{frontmatter}");
    };
    check("", None);
    check("allowed-tools: Read Bash(git add *)\n", Some(&["Read", "Bash(git add *)"]));
    check("allowed-tools: Read, Write\n", Some(&["Read", "Write"]));
    check("allowed-tools: [Read, 'Bash(git:*)']\n", Some(&["Read", "Bash(git:*)"]));
    check("allowed-tools:\n  - Read\n  - Grep\n", Some(&["Read", "Grep"]));
    check("allowed-tools: Bash(git\n", Some(&[]));
}

#[test]
fn base64_has_the_letters_and_padding_everybody_reads() {
    // R1
    let check = |bytes: &[u8], expect: &str| assert_eq!(base64(bytes), expect);
    check(b"", "");
    check(b"f", "Zg==");
    check(b"fo", "Zm8=");
    check(b"foo", "Zm9v");
    check(b"foobar", "Zm9vYmFy");
    check(&[0xff, 0xfe, 0xfd, 0x00], "//79AA==");
    check(&[0xfb, 0xf0], "+/A=");
}
fn resource(bytes: &[u8]) -> metier_store::store::Resource {
    let binary = std::str::from_utf8(bytes).is_err();
    metier_store::store::Resource { path: "a".to_owned(), bytes: bytes.to_vec(), binary }
}

#[test]
fn a_file_in_parts_is_the_file() {
    // R1
    for bytes in ["hello".as_bytes(), "äöü€😀 text".as_bytes(), b"\xff\x00\xfe", b""] {
        let resource = resource(bytes);
        for limit in [1, 2, 3, 4, 7, 1000] {
            let (mut offset, mut text, mut parts) = (0, String::new(), 0);
            loop {
                let part = FileAnswer::part(&resource, offset, limit);
                assert_eq!(part.size, bytes.len());
                text.push_str(part.text.unwrap_or_default());
                parts += 1;
                assert!(parts < 100, "it comes to an end");
                match part.next {
                    Some(next) => offset = next,
                    None => break,
                }
            }
            if !resource.binary {
                assert_eq!(text.as_bytes(), bytes, "in parts of {limit}");
            }
        }
    }
}

#[test]
fn a_whole_file_says_nothing_of_parts() {
    // R1, U1
    let text = resource(b"# A\n");
    let value = serde_json::to_value(FileAnswer::whole(&text)).unwrap();
    assert_eq!(
        value,
        json!({"path": "a", "size": 4, "binary": false, "encoding": "utf-8", "text": "# A\n"})
    );
    let binary = resource(&[0xff, 0xfe]);
    let value = serde_json::to_value(FileAnswer::whole(&binary)).unwrap();
    assert_eq!((&value["encoding"], &value["base64"]), (&json!("base64"), &json!("//4=")));
    let beyond = serde_json::to_value(FileAnswer::part(&text, 99, 5)).unwrap();
    assert_eq!((&beyond["text"], beyond.get("next")), (&json!(""), None));
}

#[test]
fn a_brief_listing_has_the_skills_of_the_whole_one() {
    // U1, N1
    let world = World::new();
    world.skill("skills", "pdf", "Fills forms. Use it.");
    world.skill("skills/deep", "sheets", "Sums. Use it.");
    world.write("skills/broken/SKILL.md", "no frontmatter");
    let store = FileStore::new(vec![Root::given(Layer::Personal, world.path().join("skills"))]);
    let found = store.discover(&ScanLimits::default());
    let catalog = Catalog::build(found, &Precedence::DEFAULT, &Selection::default());
    for all in [false, true] {
        let whole = Listing::whole(&catalog, all, |_| Vouched::default());
        let brief = Listing::brief(&catalog, all);
        assert_eq!(json!(brief.skills), json!(whole.skills));
        assert_eq!(json!(brief.skipped), json!(whole.skipped));
        assert_eq!(brief.skills.len(), 2);
        assert_eq!((whole.digest, brief.digest), (catalog.digest(), String::new()));
    }
}
