use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::*;

/// A wire that answers from a list, and remembers what it carried.
#[derive(Clone, Default)]
struct Script {
    answers: Rc<RefCell<VecDeque<Result<Reply, ServerError>>>>,
    carried: Rc<RefCell<Vec<String>>>,
    forgotten: bool,
}

impl Wire for Script {
    fn ask(&mut self, questions: &[Question<'_>], take: TakeReply<'_>) {
        for question in questions {
            let params = question.body["params"].as_object().unwrap();
            let about = params.get("_meta").map_or("", |_| " about");
            self.carried.borrow_mut().push(format!("{}{about}", question.method));
            let answer = self.answers.borrow_mut().pop_front();
            let answer = answer.unwrap_or(Err(ServerError::TimedOut));
            self.forgotten = answer == Err(ServerError::Refuses("forgotten".to_owned()));
            let failed = answer.is_err();
            if take(answer).is_break() || failed {
                return;
            }
        }
    }

    fn was_forgotten(&mut self) -> bool {
        std::mem::take(&mut self.forgotten)
    }

    fn tell(&mut self, notice: &Value) -> Result<(), ServerError> {
        self.carried.borrow_mut().push(notice["method"].as_str().unwrap().to_owned());
        Ok(())
    }

    fn speak(&mut self, version: &str) {
        self.carried.borrow_mut().push(format!("speak {version}"));
    }

    /// Each answer took twenty seconds.
    fn waited(&self) -> Duration {
        let asked = self.carried.borrow().iter().filter(|said| said.contains('/')).count();
        Duration::from_secs(20 * u64::try_from(asked).unwrap())
    }
}

const SECOND: Duration = Duration::from_secs(1);

fn skills() -> Value {
    json!({"extensions": {EXTENSION: {}}})
}

fn modern() -> Result<Reply, ServerError> {
    Ok(Reply::Result(json!({"supportedVersions": [MODERN], "capabilities": skills()})))
}

fn before(version: &str) -> Result<Reply, ServerError> {
    Ok(Reply::Result(json!({"protocolVersion": version, "capabilities": skills()})))
}

fn no(code: i64, supported: &[&str]) -> Result<Reply, ServerError> {
    let supported = supported.iter().map(|version| (*version).to_owned()).collect();
    Ok(Reply::Error { code, message: "no".to_owned(), supported })
}

/// What is carried until the conversation has begun, and how that ends.
fn begun(answers: Vec<Result<Reply, ServerError>>) -> (Vec<String>, Option<ServerError>) {
    let script = Script { answers: Rc::new(RefCell::new(answers.into())), ..Script::default() };
    let opened = Session::open(Box::new(script.clone()), SECOND);
    let carried = script.carried.borrow().clone();
    (carried, opened.err())
}

#[test]
fn a_conversation_begins_in_the_newest_version_both_speak() {
    // U2
    let new = ["speak 2026-07-28", "server/discover about"];
    assert_eq!(begun(vec![modern()]), (new.iter().map(|s| (*s).to_owned()).collect(), None));
    let old = |version: &str| {
        let more =
            ["speak ", "initialize", &format!("speak {version}"), "notifications/initialized"]
                .map(str::to_owned);
        new.iter().map(|s| (*s).to_owned()).chain(more).collect::<Vec<_>>()
    };
    for refusal in [
        no(-32601, &[]),
        no(-32600, &[]),
        no(-32022, &["2025-11-25"]),
        Err(ServerError::TimedOut),
        Err(ServerError::Refuses("status 400".into())),
        Err(ServerError::Nonsense("html".into())),
        Ok(Reply::Result(json!({"supportedVersions": ["2031-01-01"]}))),
        Ok(Reply::Result(json!({}))),
    ] {
        for version in BEFORE {
            let (carried, failed) = begun(vec![refusal.clone(), before(version)]);
            assert_eq!((carried, failed), (old(version), None), "{refusal:?}");
        }
    }
    // A server that names the version it has just refused is asked once more.
    let (carried, failed) = begun(vec![no(-32022, &[MODERN]), modern()]);
    assert_eq!((carried.len(), failed), (3, None));
    let (carried, failed) = begun(vec![no(-32022, &[MODERN]), no(-32022, &[MODERN])]);
    assert_eq!((carried.len(), failed), (5, Some(ServerError::TimedOut)), "and no more often");
}

#[test]
fn a_server_that_cannot_be_talked_with_says_why() {
    // U2
    let check = |answers: Vec<Result<Reply, ServerError>>, expect: &str| {
        let (_, failed) = begun(answers);
        let said = failed.map(|error| error.to_string()).unwrap_or_default();
        assert!(said.contains(expect), "`{expect}` expected, got `{said}`");
    };
    let without = |capabilities: Value| {
        Ok(Reply::Result(json!({"supportedVersions": [MODERN], "capabilities": capabilities})))
    };
    check(vec![without(json!({"tools": {}}))], "does not offer skills");
    check(vec![without(json!({"extensions": {EXTENSION: true}}))], "does not offer skills");
    check(vec![no(-32020, &[])], "it refuses: no");
    check(vec![no(-32601, &[]), no(-32602, &[])], "it refuses: no");
    check(vec![no(-32601, &[]), before("1999-01-01")], "speaks version `1999-01-01`");
    check(vec![no(-32601, &[]), Ok(Reply::Result(json!({})))], "speaks version ``");
    check(vec![Err(ServerError::Unreachable("gone".into()))], "cannot be reached: gone");
    check(vec![Err(ServerError::Authentication("401".into()))], "without signing in: 401");
    check(vec![Err(ServerError::Interrupted)], "interrupted");
    let session = Session::open_as_before(Box::new(Script::default()), SECOND);
    assert_eq!(session.err(), Some(ServerError::TimedOut));
}

#[test]
fn a_no_is_told_apart_from_nothing_there() {
    // U2
    let session = |answer: Result<Reply, ServerError>| {
        let answers = Rc::new(RefCell::new(VecDeque::from([modern(), answer])));
        Session::open(Box::new(Script { answers, ..Script::default() }), SECOND).unwrap()
    };
    let refuses = Err(ServerError::Refuses("no".to_owned()));
    assert_eq!(session(no(-32602, &[])).list(Some("x")), refuses);
    assert_eq!(session(no(-32601, &[])).list(None), Err(ServerError::NoSkills));
    let unknown = Err(ServerError::Unknown("no".to_owned()));
    assert_eq!(session(no(-32602, &[])).get("u"), unknown);
    let why = session(no(-32002, &[])).read("u", 1);
    assert_eq!(why, Err(ServerError::Unknown("no".to_owned())), "why is the server's to say");
    assert_eq!(session(no(-32603, &[])).get("u"), refuses);
}

#[test]
fn what_was_forgotten_is_begun_again_where_it_ended() {
    // U2
    let file = |uri: &str| {
        Ok(Reply::Result(json!({"contents": [{"uri": uri, "text": format!("<{uri}>")}]})))
    };
    let forgotten = || Err(ServerError::Refuses("forgotten".to_owned()));
    let read = |answers: Vec<Result<Reply, ServerError>>| {
        let answers = [no(-32601, &[]), before("2025-11-25")].into_iter().chain(answers);
        let answers = Rc::new(RefCell::new(answers.collect()));
        let script = Script { answers, ..Script::default() };
        let mut session = Session::open(Box::new(script), SECOND).unwrap();
        let mut got = Vec::new();
        session.read_many(&[("a", 1), ("b", 1), ("c", 1)], &mut |file| {
            got.push(match file {
                Ok(bytes) => String::from_utf8(bytes).unwrap(),
                Err(error) => error.to_string(),
            });
            ControlFlow::Continue(())
        });
        got
    };
    let again = || before("2025-11-25");
    let all = ["<a>", "<b>", "<c>"];
    assert_eq!(read(vec![file("a"), file("b"), file("c")]), all);
    assert_eq!(read(vec![file("a"), forgotten(), again(), file("b"), file("c")]), all);
    let twice = vec![forgotten(), again(), file("a"), forgotten(), again(), file("b")];
    assert_eq!(read(twice), ["<a>", "it refuses: forgotten"]);
    let gone = vec![file("a"), forgotten(), Err(ServerError::TimedOut)];
    assert_eq!(read(gone), ["<a>", "it took too long to answer"]);
    let refused = vec![file("a"), no(-32002, &[]), file("c")];
    assert_eq!(read(refused), ["<a>", "it knows nothing of that name"], "nothing behind a failure");
    assert_eq!(
        read(vec![file("b")]),
        ["it answers in a way that cannot be understood: it gives another file"]
    );
}

#[test]
fn a_file_is_the_one_that_was_asked_for() {
    // U2
    let check = |result: Value, expect: Result<&[u8], &str>| match (content(&result, "u"), expect) {
        (Ok(bytes), Ok(expect)) => assert_eq!(bytes, expect, "{result}"),
        (Err(error), Err(why)) => assert!(error.to_string().contains(why), "{error}"),
        (got, expect) => panic!("{expect:?} expected, got {got:?} for {result}"),
    };
    check(json!({"contents": [{"uri": "u", "text": "x\u{fc}"}]}), Ok("x\u{fc}".as_bytes()));
    check(json!({"contents": [{"uri": "u", "blob": "AP8="}]}), Ok(b"\0\xff"));
    check(json!({"contents": [{"uri": "u", "text": ""}], "resultType": "complete"}), Ok(b""));
    check(json!({"contents": [{"uri": "v", "text": "x"}]}), Err("another file"));
    check(json!({"contents": []}), Err("no file, or several"));
    check(json!({}), Err("no file, or several"));
    let two = json!({"uri": "u", "text": "x"});
    check(json!({"contents": [two, two]}), Err("no file, or several"));
    check(json!({"contents": [{"uri": "u"}]}), Err("neither text nor bytes"));
    check(json!({"contents": [{"uri": "u", "text": 7}]}), Err("neither text nor bytes"));
    check(json!({"contents": [{"uri": "u", "text": "", "blob": ""}]}), Err("neither text nor"));
    // One file has one spelling: the usual alphabet, padded, nothing between and nothing left over.
    for bad in ["!", "A", "AA", "AAA", "A===", "AA==AA==", "Zm9=", "AB==", "Zm9v\n", "Z m9", "-_-_"]
    {
        check(json!({"contents": [{"uri": "u", "blob": bad}]}), Err("not in Base64"));
    }
    check(json!({"contents": [two], "resultType": "input_required"}), Err("asks something back"));
}

#[test]
fn a_list_that_takes_too_long_is_not_waited_for_to_its_end() {
    // U2, P6
    let page = || Ok(Reply::Result(json!({"skills": [], "nextCursor": "x"})));
    let answers = vec![modern(), page(), page(), page()];
    let script = Script { answers: Rc::new(RefCell::new(answers.into())), ..Script::default() };
    let mut session = Session::open(Box::new(script), SECOND).unwrap();
    assert!(session.list(None).is_ok() && session.list(Some("x")).is_ok());
    let why = "it takes more than 60 s to list its skills".to_owned();
    assert_eq!(session.list(Some("x")), Err(ServerError::Nonsense(why)));
}
