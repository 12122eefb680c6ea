use proptest::prelude::*;

use super::*;

fn version(text: &str) -> Version {
    Version::parse(text).unwrap_or_else(|| panic!("`{text}` is a version"))
}

#[test]
fn versions_are_read_as_people_write_them() {
    // D4
    for text in ["1", "1.2", "1.2.3", "v1.2.3", " 1.2.3 ", "1.2.3-rc.1", "1.2.3+abc", "0.0.0-a-b"] {
        assert!(Version::parse(text).is_some(), "{text}");
    }
    let garbage = ["", " ", "latest", ">=1.2", "1.", ".1", "1..2", "1.2.x", "1.2-", "1.2-a..b"];
    for text in garbage.into_iter().chain(["-1", "+1", "1.+2", "1+", "99999999999999999999", "1,2"])
    {
        assert_eq!(Version::parse(text), None, "{text}");
    }
}

#[test]
fn a_host_is_below_a_minimum_by_value_not_by_letters() {
    // D4
    let check = |host: &str, minimum: &str, below: bool| {
        assert_eq!(version(host).is_below(&version(minimum)), below, "{host} < {minimum}");
    };
    check("1.9.0", "1.10.0", true);
    check("1.10.0", "1.9.0", false);
    check("1.2", "1.2.0", false);
    check("1.2", "1.2.1", true);
    check("2", "1.9.9", false);
    check("1.0.0-rc.1", "1.0.0", true);
    check("1.0.0", "1.0.0-rc.1", false);
    check("1.0.0-rc.2", "1.0.0-rc.10", true);
    check("1.0.0-1", "1.0.0-alpha", true);
    check("1.0.0-alpha", "1.0.0-alpha.1", true);
    check("1.0.0+later", "1.0.0+earlier", false);
}

#[test]
fn a_maximum_means_all_of_what_it_names() {
    // D4
    let check = |host: &str, maximum: &str, above: bool| {
        assert_eq!(version(host).is_above(&version(maximum)), above, "{host} > {maximum}");
    };
    check("1.2.9", "1.2", false);
    check("1.3.0", "1.2", true);
    check("1.2.9", "1.2.0", true);
    check("1.2.0", "1.2.0", false);
    check("1", "1.0.0", false);
    check("2.0.0-rc.1", "2", false);
    check("1.9", "2-rc.1", false);
    check("2", "2-rc.1", true);
}

/// Versions close enough together to meet.
fn versions() -> impl Strategy<Value = String> {
    "[0-3](\\.[0-3]){0,3}(-(rc|beta|[0-3])(\\.[0-3])?)?"
}

proptest! {
    #[test]
    fn the_order_of_versions_is_one(a in versions(), b in versions(), c in versions()) {
        // D4
        let (a, b, c) = (version(&a), version(&b), version(&c));
        prop_assert!(!a.is_below(&a) && !a.is_above(&a));
        prop_assert!(!(a.is_below(&b) && b.is_below(&a)));
        if a.is_below(&b) && b.is_below(&c) {
            prop_assert!(a.is_below(&c));
        }
        if a.is_above(&b) {
            prop_assert!(b.is_below(&a), "above with fewer numbers is above with all");
        }
    }

    #[test]
    fn no_text_breaks_the_reader(text in "\\PC{0,30}") {
        // D4
        if let Some(version) = Version::parse(&text) {
            prop_assert!(!version.is_below(&version));
        }
    }
}
