use super::*;
use crate::fixture::{Ground, by};

#[test]
fn what_is_written_down_comes_back_with_what_nobody_knows() {
    // P7
    let ground = Ground::new();
    let links = Links {
        agents: [("goose".to_owned(), Choice { by: by(), how: How::Copy })].into(),
        made: vec![Made {
            folder: "/u/.goose".to_owned(),
            name: "pdf".to_owned(),
            thing: Thing::Link("/x".to_owned()),
        }],
        extra: [("later".to_owned(), Value::from(7))].into_iter().collect(),
        ..Links::default()
    };
    assert!(links.text().unwrap().contains("\"link\": \"/x\""), "{}", links.text().unwrap());
    ground.write("home/links.json", links.text().unwrap());
    assert_eq!(Links::read(&ground.home, &Place::Personal).unwrap(), links);
    assert_eq!(links.find("/u/.goose", "pdf").unwrap().name, "pdf");
    assert_eq!(links.find("/u/.goose", "notes"), None);
    assert_eq!(Links::default().text().unwrap(), "");
}

#[test]
fn a_file_that_is_not_as_it_was_written_is_an_error() {
    // P7
    let ground = Ground::new();
    for (file, text) in [(FILE, "{\"made\": 3}"), (NOTE, "{")] {
        ground.write(&format!("home/{file}"), text);
    }
    let read = Links::read(&ground.home, &Place::Personal).unwrap_err();
    assert!(matches!(read, RecordError::Damaged { .. }), "{read}");
    let noted = note(&ground.home).unwrap_err();
    assert!(matches!(noted, RecordError::Damaged { .. }), "{noted}");
}

#[test]
fn a_record_leads_nowhere_but_into_its_folders() {
    // P7
    let ground = Ground::new();
    let links = |name: &str| {
        let made = serde_json::json!({"folder": "/u/.goose", "name": name, "link": "/x"});
        serde_json::json!({ "made": [made] })
    };
    for name in ["", ".", "..", "../mine", "a/b", "/etc/passwd", "a\0b"] {
        ground.write("home/links.json", links(name).to_string());
        let error = Links::read(&ground.home, &Place::Personal).unwrap_err();
        assert!(matches!(error, RecordError::Damaged { .. }), "{name}: {error}");
        let replaced = serde_json::json!([{"folder": "/u", "name": name, "tree": "t"}]);
        for (after, replaced) in [(links(name), serde_json::json!([])), (links("a"), replaced)] {
            let note_text = serde_json::json!({
                "act": "link", "place": Place::Personal, "before": {}, "after": after,
                "replaced": replaced,
            });
            ground.write("home/pending-links.json", note_text.to_string());
            let error = note(&ground.home).unwrap_err();
            assert!(matches!(error, RecordError::Damaged { .. }), "{name}: {error}");
        }
    }
    ground.write("home/links.json", links("..pdf").to_string());
    assert_eq!(Links::read(&ground.home, &Place::Personal).unwrap().made.len(), 1);
}
