use super::Place;
use crate::who::Who;

#[test]
fn a_bad_name_is_a_bad_request_that_says_what_is_allowed() {
    // U3, S6
    let team = Who::known("team");
    for (who, name) in [(&Who::default(), "../x".to_owned()), (&team, "x".repeat(128))] {
        let problem = Place::of(who, &name).unwrap_err();
        assert_eq!(problem.code, "bad_request");
        assert!(problem.message.contains("no `.` in front"), "{}", problem.message);
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
