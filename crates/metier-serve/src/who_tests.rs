use super::{Who, check_session};

#[test]
fn who_errs_in_a_sessions_name_is_told_what_can_be_one() {
    // U2, U3, S6
    assert_eq!(check_session("s-1"), Ok(()));
    for name in ["", "..", "../x", "a b", "a\0", &"x".repeat(129)] {
        let error = check_session(name).unwrap_err();
        assert!(error.contains("cannot name a session; a session has letters, digits"), "{error}");
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
