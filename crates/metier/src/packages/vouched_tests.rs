use metier_format::SkillName;
use metier_package::index::{Contents, Kind, Listed};
use metier_package::{Locked, Pinned, Signature};

use super::listing;

fn installed(source: &str) -> Pinned {
    let locked = Locked {
        source: source.to_owned(),
        path: String::new(),
        requested: None,
        commit: None,
        signature: Signature::None,
    };
    let name = SkillName::parse("pdf").unwrap();
    Pinned { name, locked, tree: String::new(), files: Vec::new() }
}

#[test]
fn an_installed_skill_is_known_by_its_file_or_by_its_name_at_the_same_site() {
    // P3, P6
    let listed = |name: &str, reference: &str, digest: Option<&str>| Listed {
        name: name.to_owned(),
        description: String::new(),
        reference: reference.to_owned(),
        digest: digest.map(str::to_owned),
        kind: Kind::Archive,
    };
    let check = |one: Listed, source: &str, expect: bool| {
        let contents = Contents { skills: vec![one], ..Contents::default() };
        assert_eq!(listing(&contents, &installed(source)).is_some(), expect, "{source}");
    };
    let at = "https://a.example/pdf-1.zip";
    check(listed("pdf", at, Some("00")), at, true);
    check(listed("pdf", "https://a.example:443/pdf-2.zip", Some("00")), at, true);
    check(listed("pdf", "archive+https://a.example/dl", Some("00")), at, true);
    check(listed("pdf", "https://b.example/pdf-1.zip", Some("00")), at, false);
    check(listed("pdf", "https://a.example:8443/pdf-1.zip", Some("00")), at, false);
    check(listed("other", at, Some("00")), at, false);
    check(listed("pdf", at, None), at, false);
    check(listed("pdf", at, Some("00")), "/work/pdf", false);
}
