use super::{mime_type, template};

#[test]
fn a_file_has_the_type_its_name_says() {
    // U2
    let check =
        |path: &str, binary: bool, expect: &str| assert_eq!(mime_type(path, binary), expect);
    check("SKILL.md", false, "text/markdown");
    check("a/B.PNG", true, "image/png");
    check("scripts/run.py", false, "text/x-python");
    check("data.json", false, "application/json");
    check("Makefile", false, "text/plain");
    check("blob", true, "application/octet-stream");
    check("odd.", false, "text/plain");
    check("x.unknown", true, "application/octet-stream");
}

#[test]
fn the_template_spells_addresses_as_they_are() {
    // U2
    assert_eq!(template().uri_template, "skill://{name}/{+path}");
}
