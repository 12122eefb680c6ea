use proptest::prelude::*;

use super::Rows;

/// The textbook table, whole and unbounded, to compare with.
fn plain(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut table = vec![vec![0usize; right.len() + 1]; left.len() + 1];
    for i in 0..=left.len() {
        for j in 0..=right.len() {
            table[i][j] = match (i, j) {
                (0, j) => j,
                (i, 0) => i,
                _ => {
                    let replace = table[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
                    let mut best = replace.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]
                    {
                        best = best.min(table[i - 2][j - 2] + 1);
                    }
                    best
                }
            };
        }
    }
    table[left.len()][right.len()]
}

#[test]
fn edits_are_counted_as_a_person_would() {
    // D8
    let check = |left: &str, right: &str, expect: usize| {
        assert_eq!(Rows::new(left).distance(right, 99), Some(expect), "{left} {right}");
        assert_eq!(Rows::new(right).distance(left, 99), Some(expect), "{right} {left}");
    };
    check("", "", 0);
    check("", "abc", 3);
    check("pdf", "pdf", 0);
    check("pdf", "pfd", 1);
    check("pdf", "pd", 1);
    check("review", "reveiw", 1);
    check("kitten", "sitting", 3);
    check("ca", "abc", 3);
    check("größe", "grösse", 2);
    check("数据表", "数表据", 1);
}

#[test]
fn a_distance_above_the_bound_is_none() {
    // D8
    assert_eq!(Rows::new("kitten").distance("sitting", 3), Some(3));
    assert_eq!(Rows::new("kitten").distance("sitting", 2), None);
    assert_eq!(Rows::new("a").distance("abcdefgh", 3), None);
}

proptest! {
    #[test]
    fn rows_agree_with_the_whole_table(
        left in "[abc]{0,8}", right in "[abc]{0,8}", max in 0usize..6,
    ) {
        // D8
        let expect = Some(plain(&left, &right)).filter(|edits| *edits <= max);
        prop_assert_eq!(Rows::new(&left).distance(&right, max), expect);
    }

    #[test]
    fn shared_rows_give_what_fresh_rows_give(
        fixed in "[abc]{0,6}", one in "[abc]{0,6}", two in "[abc]{0,6}",
    ) {
        // D8
        let shared = one.chars().zip(two.chars()).take_while(|(a, b)| a == b).count();
        let mut rows = Rows::new(&fixed);
        one.chars().for_each(|c| { rows.push(c); });
        prop_assert_eq!(rows.last(), plain(&fixed, &one));
        rows.truncate(shared);
        prop_assert_eq!(rows.last(), plain(&fixed, &one.chars().take(shared).collect::<String>()));
        two.chars().skip(shared).for_each(|c| { rows.push(c); });
        prop_assert_eq!(rows.last(), plain(&fixed, &two));
    }

    #[test]
    fn no_longer_word_is_nearer_than_the_promise(
        fixed in "[abc]{0,6}", start in "[abc]{1,4}", rest in "[abc]{0,4}",
    ) {
        // D8
        let mut rows = Rows::new(&fixed);
        let promise = start.chars().fold(0, |_, c| rows.push(c));
        let longer = start + &rest;
        prop_assert!(plain(&fixed, &longer) >= promise);
    }
}
