use metier_runtime::Clock as _;

use super::age;
use crate::clock::SystemClock;

#[test]
fn how_old_a_list_is_is_said_in_words() {
    // P6
    let now = SystemClock.now().0;
    let check = |minutes: u64, expect: &str| assert_eq!(age(now - minutes * 60_000), expect);
    assert_eq!(age(0), "never asked");
    check(0, "asked just now");
    check(5, "asked 5 min ago");
    check(125, "asked 2 h ago");
    check(3 * 1440, "asked 3 days ago");
}
