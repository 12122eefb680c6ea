use super::*;

#[test]
fn a_layer_is_called_by_its_word() {
    // D1
    for layer in Layer::ALL {
        assert_eq!(Layer::parse(layer.as_str()), Some(layer));
        assert_eq!(serde_json::to_value(layer).unwrap(), layer.as_str());
    }
    assert_eq!(Layer::parse("Personal"), None);
}

#[test]
fn the_order_of_layers_is_one_setting() {
    // D1
    let check = |text: &str, expect: Option<Precedence>| {
        assert_eq!(Precedence::parse(text), expect, "{text}");
    };
    check("default", Some(Precedence::DEFAULT));
    check(" project-first ", Some(Precedence::PROJECT_FIRST));
    check("enterprise,personal,project,plugin,bundled", Some(Precedence::DEFAULT));
    check("enterprise, project, personal, plugin, bundled", Some(Precedence::PROJECT_FIRST));
    check("", None);
    check("personal", None);
    check("personal,personal,project,plugin,bundled", None);
    check("enterprise,personal,project,plugin,bundled,bundled", None);
    check("enterprise,personal,project,plugin,mine", None);
}

#[test]
fn enterprise_stays_first_when_projects_come_before_personal() {
    // D1
    let order = Precedence::PROJECT_FIRST;
    assert!(order.rank(Layer::Enterprise) < order.rank(Layer::Project));
    assert!(order.rank(Layer::Project) < order.rank(Layer::Personal));
    assert_eq!(Precedence::default(), Precedence::DEFAULT);
}

#[test]
fn a_project_named_by_hand_is_not_trusted_until_somebody_says_so() {
    // D1, D4
    for layer in Layer::ALL {
        let root = Root::given(layer, "/skills");
        assert_eq!(root.trusted, layer != Layer::Project, "{layer:?}");
        assert_eq!((root.client_order, root.optional), (0, false));
    }
}
