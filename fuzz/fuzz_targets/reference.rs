//! Whatever somebody types: nothing that is accepted is an option or leaves the repository, and its one
//! spelling is read back as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use metier_package::reference::{Bases, Origin, Reference};

fuzz_target!(|text: &str| {
    let bases = Bases { home: Some("/home/me".into()), ..Bases::new("/work") };
    let Ok(reference) = Reference::parse(text, &bases) else { return };
    let spelling = reference.to_string();
    let again = Reference::parse(&spelling, &bases).expect("the one spelling is a reference");
    assert_eq!(again.to_string(), spelling);
    assert_eq!((&again.origin, &again.path), (&reference.origin, &reference.path));
    if let Origin::Git(url) = &reference.origin {
        assert!(!url.starts_with('-') && !url.contains(char::is_whitespace));
        assert!(!url.split(['/', ':']).any(|part| part == ".." || part.starts_with('-')));
    }
    assert!(!reference.path.split('/').any(|part| part == ".." || part.starts_with('-')));
    assert!(!reference.requested.is_some_and(|name| name.starts_with('-')));
});
