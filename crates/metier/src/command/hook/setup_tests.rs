use super::*;

#[test]
fn settings_that_change_meanwhile_are_read_again_a_few_times() {
    // U5
    for changes in 0..MAX_TRIES + 2 {
        let mut tries = 0;
        let done = persistently(HookAgent::ClaudeCode, || {
            tries += 1;
            Ok((tries > changes).then(Vec::new))
        });
        assert_eq!(done.is_ok(), changes < MAX_TRIES, "{changes}");
        assert_eq!(tries, (changes + 1).min(MAX_TRIES));
        if let Err(error) = done {
            assert!(error.message().contains("keeps changing"), "{}", error.message());
        }
    }
}
