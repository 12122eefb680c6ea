use super::{SessionNameError, Who};
use crate::limits::MAX_SESSION_NAME;

#[test]
fn a_session_is_called_what_a_file_can_be_called_and_who_errs_is_told_what_can_be() {
    // U2, U3, S6
    for name in ["default", "s-1", "a.b_c", "A9", &"x".repeat(MAX_SESSION_NAME)] {
        assert_eq!(SessionNameError::check(name), Ok(()));
    }
    assert!(SessionNameError::ALLOWED.contains(&format!("1 to {MAX_SESSION_NAME} letters")));
    for name in ["", ".", "..", ".x", "../x", "a/b", "a b", "é", "a\0", &"x".repeat(129)] {
        let error = SessionNameError::check(name).unwrap_err().to_string();
        assert!(error.contains("cannot name a session; a name has 1 to 128 letters"), "{error}");
        assert!(error.len() < 300 && !error.contains('\0'), "{error}");
    }
}

#[test]
fn sections_add_up_and_a_known_client_has_sessions_of_its_own() {
    // U2
    let sections = |who: &Who| who.sections().map(str::to_owned).collect::<Vec<_>>();
    let nobody = Who::default();
    assert!(sections(&nobody).is_empty());
    assert_eq!(nobody.session("s1"), "s1");
    let known = Who::known("team");
    assert_eq!((sections(&known), known.session("s1")), (vec!["team".into()], "team.s1".into()));
    let both = Who { said: Some("editor".into()), ..known.clone() };
    assert_eq!(sections(&both), ["team", "editor"]);
    assert_eq!(both.session("s1"), "team.s1", "what it says of itself names nothing");
    let same = Who { said: Some("team".into()), ..known };
    assert_eq!(sections(&same), ["team"]);
    let said = Who { said: Some("editor".into()), ..Who::default() };
    assert_eq!((sections(&said), said.session("s1")), (vec!["editor".into()], "s1".into()));
}
