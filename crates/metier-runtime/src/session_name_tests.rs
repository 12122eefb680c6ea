use super::*;

#[test]
fn a_session_is_called_what_a_file_can_be_called() {
    // S6, F4
    let longest = "x".repeat(MAX_SESSION_NAME_BYTES);
    for name in ["default", "a", "-", "_", "A.b-c_9", "a..b", "-.", &longest] {
        let parsed = SessionName::parse(name).unwrap();
        assert_eq!((parsed.as_str(), String::from(parsed.clone()).as_str()), (name, name));
        assert_eq!(parsed.to_string(), name);
    }
    let longer = "x".repeat(MAX_SESSION_NAME_BYTES + 1);
    for text in ["", ".", "..", ".a", "a/b", "a b", "a\n", "\u{e9}", "a\0", "../x", &longer] {
        assert_eq!(SessionName::parse(text), Err(SessionNameError), "{text:?}");
    }
    assert!(SessionNameError.to_string().contains("at most 128"));
}
