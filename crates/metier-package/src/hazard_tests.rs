use std::collections::BTreeSet;

use super::*;

fn all() -> Vec<Hazard> {
    let text = || "x".to_owned();
    vec![
        Hazard::Traversal,
        Hazard::Absolute,
        Hazard::Empty,
        Hazard::Unportable(':'),
        Hazard::Control('\n'),
        Hazard::Hidden('\u{200b}'),
        Hazard::NotText,
        Hazard::Reserved(text()),
        Hazard::TrailingDot,
        Hazard::TooLong(1),
        Hazard::TooDeep(1),
        Hazard::GitDirectory(text()),
        Hazard::OptionLike,
        Hazard::Duplicate,
        Hazard::CaseCollision(text()),
        Hazard::FormCollision(text()),
        Hazard::FileAndDirectory(text()),
        Hazard::LinkLeaves(text()),
        Hazard::LinkToNoFile(text()),
        Hazard::HardLink,
        Hazard::Special("fifo"),
        Hazard::SetUser,
        Hazard::Submodule,
        Hazard::BareRepository(text()),
        Hazard::TooMany(1),
        Hazard::FileTooLarge { size: 2, limit: 1 },
        Hazard::TooLarge(1),
        Hazard::Bomb(1),
        Hazard::Malformed(text()),
        Hazard::Encrypted,
        Hazard::Overlap,
        Hazard::HeadersDisagree,
        Hazard::Trailing,
        Hazard::Unsupported(text()),
        Hazard::RefusedByGit(text()),
        Hazard::Manifest(text()),
        Hazard::SameName(text()),
        Hazard::Name { name: text(), why: text() },
    ]
}

#[test]
fn every_hazard_has_a_code_of_its_own_and_a_sentence() {
    // P2
    let codes: BTreeSet<&str> = all().iter().map(Hazard::code).collect();
    assert_eq!(codes.len(), all().len());
    for hazard in all() {
        let said = hazard.to_string();
        assert!(!said.is_empty() && !said.ends_with('.'), "{said}");
        assert!(hazard.code().starts_with("PK") && hazard.code().len() == 5);
    }
}

#[test]
fn a_path_is_shown_so_that_it_can_do_nothing() {
    // P2
    for (path, expect) in [
        (&b"a/b"[..], "a/b"),
        (b"a\x1b[2Jb", "a\\u{1b}[2Jb"),
        (b"a\xe2\x80\xaeb", "a\\u{202e}b"),
        (b"\xff", "\u{fffd}"),
    ] {
        assert_eq!(shown(path), expect);
    }
    assert!(shown(&[b'x'; 5000]).chars().count() <= 121);
    let at = Hazard::Traversal.at(b"../x");
    assert_eq!(at.to_string(), "`../x`: the path goes up with `..`");
}
