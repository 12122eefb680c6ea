use super::checked;
use crate::limits::MAX_SESSION_NAME;

#[test]
fn a_session_is_called_what_a_file_can_be_called() {
    // U3, S6
    for name in ["default", "s-1", "a.b_c", "A9", &"x".repeat(MAX_SESSION_NAME)] {
        assert_eq!(checked(name), Ok(name));
    }
    for name in ["", ".", "..", ".x", "../x", "a/b", "a b", "é", "a\0", &"x".repeat(129)] {
        assert_eq!(checked(name).unwrap_err().code, "bad_request", "{name:?}");
    }
}
