use super::{Marks, caller, start_in, started};

#[test]
fn the_start_of_a_process_is_read_whatever_its_program_is_called() {
    // U4
    let fields: Vec<String> = (3..=52).map(|field| field.to_string()).collect();
    for name in ["chibi", "a) b", "(x) (y) ", ")"] {
        let stat = format!("77 ({name}) {}\n", fields.join(" "));
        assert_eq!(start_in(&stat), Some(22), "{name}");
    }
    for broken in ["", "77 (x", "77 (x) S 1"] {
        assert_eq!(start_in(broken), None, "{broken}");
    }
}

#[test]
fn the_caller_is_the_same_for_as_long_as_it_lives() {
    // U4
    let first = caller().unwrap();
    assert_eq!(first, caller().unwrap());
    assert_eq!(started(first.pid), Some(first.started));
    assert_eq!(started(u32::MAX), None);
}

#[test]
fn marks_of_the_living_stay_and_those_of_the_dead_are_named() {
    // U4
    let folder = tempfile::tempdir().unwrap();
    let marks = Marks::below(folder.path());
    let here = caller().unwrap();
    assert_eq!(marks.stale(&here), Vec::<String>::new());
    let dead = metier_serve::chibi_plugin::caller::Caller { started: 1, ..here.clone() };
    for session in [here.session(), dead.session(), "notes.txt".to_owned()] {
        marks.leave(&session).unwrap();
        marks.leave(&session).unwrap();
    }
    assert_eq!(marks.stale(&here), [dead.session()]);
    marks.remove(&dead.session());
    assert_eq!(marks.stale(&here), Vec::<String>::new());
}
