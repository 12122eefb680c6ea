use proptest::prelude::*;

use super::{IMPACT_STEPS, Packed, impact};

#[test]
fn an_impact_grows_with_occurrences_and_shrinks_with_length() {
    // D8
    let share = |counts, lengths| impact(&counts, &lengths) >> 4;
    assert!(share([0, 0, 0, 1], [0, 0, 0, 700]) < share([0, 0, 0, 2], [0, 0, 0, 700]));
    assert!(share([0, 0, 0, 1], [0, 0, 0, 9000]) < share([0, 0, 0, 1], [0, 0, 0, 70]));
    assert!(share([0, 0, 0, 1], [0, 0, 0, 700]) < share([0, 0, 1, 0], [0, 0, 35, 0]));
    assert!(share([0, 0, 1, 0], [0, 0, 35, 0]) < share([1, 0, 0, 0], [3, 0, 0, 0]));
}

#[test]
fn an_impact_is_never_nothing_and_never_more_than_all() {
    // D8
    let least = impact(&[0, 0, 0, 1], &[0, 0, 0, u32::MAX]);
    assert_eq!((least >> 4, least & 0xf), (1, 0b1000));
    let most = impact(&[u16::MAX; 4], &[1; 4]);
    assert!(most >> 4 <= IMPACT_STEPS);
    assert_eq!(most & 0xf, 0b1111);
}

proptest! {
    #[test]
    fn packed_words_compare_as_words(one in "[a-c数é]{0,20}", two in "[a-c数é]{0,20}") {
        // D8
        let (a, b) = (Packed::new(&one), Packed::new(&two));
        prop_assert_eq!(a.cmp(&b), one.cmp(&two));
        prop_assert_eq!(a.text(), one);
    }
}
