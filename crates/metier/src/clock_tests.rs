use metier_runtime::{Clock as _, Moment};

use super::{SystemClock, shown};

#[test]
fn a_moment_reads_as_a_day_and_a_time() {
    // J1
    let check = |moment: u64, expect: &str| assert_eq!(shown(Moment(moment)), expect);
    check(0, "1970-01-01 00:00:00");
    check(951_782_400_000, "2000-02-29 00:00:00");
    check(951_868_799_999, "2000-02-29 23:59:59");
    check(1_709_210_096_000, "2024-02-29 12:34:56");
    check(4_107_542_400_000, "2100-03-01 00:00:00");
    check(253_402_300_799_000, "9999-12-31 23:59:59");
}

#[test]
fn no_moment_is_too_large_to_be_shown() {
    // J1
    assert!(shown(Moment(u64::MAX)).contains('-'));
}

#[test]
fn the_clock_goes_forward() {
    // J1
    let (first, second) = (SystemClock.now(), SystemClock.now());
    assert!(first <= second);
    assert!(first.0 > 1_600_000_000_000, "{first:?}");
}
