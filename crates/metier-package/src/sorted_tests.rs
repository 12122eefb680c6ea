use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn first_word(entry: &str) -> Option<&str> {
    entry.strip_prefix("t ")?.split_once('\n').map(|(key, _)| key)
}

proptest! {
    #[test]
    fn what_is_there_is_found_and_nothing_else(
        all in proptest::collection::btree_map("[a-dé ]{1,4}", proptest::collection::vec("[st é]{0,3}", 0..4), 0..20),
        other in "[a-dé ]{1,4}",
    ) {
        // P4, N1
        let entry = |(key, lines): (&String, &Vec<String>)| {
            let lines: String = lines.iter().map(|line| format!("s {line}\n")).collect();
            format!("t {key}\n{lines}")
        };
        let whole: BTreeMap<&String, String> = all.iter().map(|one| (one.0, entry(one))).collect();
        let text: String = whole.values().map(String::as_str).collect();
        for (key, entry) in &whole {
            prop_assert_eq!(find(&text, "\nt ", key, first_word), Some(entry.as_str()));
        }
        prop_assert_eq!(
            find(&text, "\nt ", &other, first_word),
            whole.get(&other).map(String::as_str)
        );
    }

    #[test]
    fn any_text_is_searched_without_a_panic_and_to_an_end(text in "[at\né ]{0,60}", key in "[at]{1,2}") {
        // P4
        let found = find(&text, "\nt ", &key, first_word);
        prop_assert!(found.is_none_or(|entry| first_word(entry) == Some(&key)));
    }
}
