use super::Who;

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
    let said = Who { known: None, said: Some("editor".into()) };
    assert_eq!((sections(&said), said.session("s1")), (vec!["editor".into()], "s1".into()));
}
