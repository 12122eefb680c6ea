use super::{read, write};

#[test]
fn an_address_is_read_back_as_it_was_written() {
    // U2
    let check = |name: &str, path: &str, uri: &str| {
        assert_eq!(write(name, path), uri);
        assert_eq!(read(uri), Some((name.to_owned(), path.to_owned())), "{uri}");
    };
    check("pdf", "SKILL.md", "skill://pdf/SKILL.md");
    check("pdf", "", "skill://pdf");
    check("pdf", "references/a b.md", "skill://pdf/references/a%20b.md");
    check("pdf", "ä/ü#?%.md", "skill://pdf/%C3%A4/%C3%BC%23%3F%25.md");
}

#[test]
fn what_is_no_address_of_ours_means_nothing() {
    // U2
    for uri in [
        "",
        "skill://",
        "skill:///x",
        "file:///etc/passwd",
        "skill://a/%",
        "skill://a/%zz",
        "skill://a/%ff",
    ] {
        assert_eq!(read(uri), None, "{uri}");
    }
}
