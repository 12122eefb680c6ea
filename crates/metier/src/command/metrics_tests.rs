use std::collections::BTreeMap;

use super::{MEASURES, Measured, SessionLine, label, prometheus};

#[test]
fn every_measure_has_help_a_type_and_a_line_for_each_session() {
    // J4
    let line = |value: u64| SessionLine {
        counters: MEASURES.iter().map(|measure| (measure.name, value)).collect(),
        tokens_per_skill: BTreeMap::from([("pdf".to_owned(), 7)]),
    };
    let sessions = BTreeMap::from([("a".to_owned(), line(1)), ("b".to_owned(), line(2))]);
    let text = prometheus(&Measured { sessions, total: BTreeMap::new() });
    for measure in &MEASURES {
        let name = format!("metier_{}_total", measure.name);
        assert!(text.contains(&format!("# TYPE {name} counter\n{name}{{session=\"a\"}} 1\n")));
        assert!(text.contains(&format!("{name}{{session=\"b\"}} 2\n")));
    }
    assert!(text.contains("metier_skill_tokens_total{session=\"b\",skill=\"pdf\"} 7\n"));
    assert!(text.ends_with('\n'));
}

#[test]
fn a_label_cannot_end_its_quotes() {
    // J4
    assert_eq!(label("a\"} 1\nb\\"), "a\\\"} 1 b\\\\");
}
