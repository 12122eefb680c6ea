use super::{Place, checked};
use crate::limits::MAX_SESSION_NAME;
use crate::who::Who;

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

#[test]
fn an_agents_own_session_is_for_those_who_have_proved_themselves() {
    // U3, U5
    let anybody = Who { anybody: true, ..Who::default() };
    for name in ["claude-code.A1", "codex.x", "chibi-1-2-3-4-5"] {
        assert_eq!(Place::of(&anybody, name).unwrap_err().code, "not_yours", "{name}");
        assert_eq!(Place::of(&Who::default(), name).unwrap().session, name);
        // A client of its own has only sessions of its own.
        let team = Who::known("team");
        assert_eq!(Place::of(&team, name).unwrap().session, format!("team.{name}"));
    }
    // One that is called like an agent has no sessions here at all.
    let twin = Who::known("claude-code");
    assert_eq!(Place::of(&twin, "abc").unwrap_err().code, "not_yours");
    assert_eq!(Place::of(&anybody, "Claude-Code.abc").unwrap_err().code, "not_yours");
    assert_eq!(Place::of(&anybody, "s1").unwrap().session, "s1");
}
