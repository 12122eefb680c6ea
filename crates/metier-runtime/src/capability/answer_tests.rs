use metier_format::parse;

use super::{allowed_tools, base64};

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
