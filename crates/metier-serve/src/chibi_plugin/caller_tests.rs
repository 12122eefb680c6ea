use super::Caller;

fn caller() -> Caller {
    Caller {
        machine: "0123456789abcdef".to_owned(),
        boot: "aaaa-bbbb-cccc".to_owned(),
        space: 4_026_531_836,
        pid: 77,
        started: 123_456,
    }
}

#[test]
fn a_session_is_named_after_its_caller_and_back() {
    // U4
    let session = caller().session();
    assert_eq!(session, "chibi-01234567-aaaabbbb-4026531836-77-123456");
    let back = Caller::of_session(&session).unwrap();
    assert_eq!((back.pid, back.started, back.session()), (77, 123_456, session));
    for other in
        ["default", "chibi-", "chibi-a-b-1-2", "chibi-a-b-1-2-3-4", "chibi-a-b-x-2-3", "mcp-1-2"]
    {
        assert_eq!(Caller::of_session(other), None, "{other}");
    }
    let unknown = Caller { machine: String::new(), ..caller() };
    assert!(unknown.session().starts_with("chibi-0-"));
}

#[test]
fn only_who_is_certainly_gone_counts_as_gone() {
    // U4
    let check = |who: Caller, alive: Option<u64>, gone: bool| {
        let who = Caller::of_session(&who.session()).unwrap();
        assert_eq!(who.is_gone(&caller(), |_| alive), gone, "{who:?} {alive:?}");
    };
    check(caller(), Some(123_456), false);
    check(caller(), None, true);
    // The number came again.
    check(caller(), Some(999_999), true);
    // Another container, another machine: nobody here can know.
    check(Caller { space: 1, ..caller() }, None, false);
    check(Caller { machine: "fedcba98".to_owned(), ..caller() }, None, false);
    // The machine was started again.
    check(Caller { boot: "dddd".to_owned(), ..caller() }, Some(123_456), true);
    let nameless = Caller { machine: String::new(), boot: "dddd".to_owned(), ..caller() };
    let here = Caller { machine: String::new(), ..caller() };
    assert!(!nameless.is_gone(&here, |_| None));
}
