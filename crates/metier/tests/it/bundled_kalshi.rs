//! `kalshi-markets`: its ten scripts, each run for real by uv, against an exchange on this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::OnceLock;

use metier_testing::{Exchange, Mood, Run, World, project_root, tools};
use serde_json::{Value, json};

use super::{METIER, metier};

/// Each script with what makes it answer, and where in its answer to look for what.
const SCRIPTS: &[(&str, &[&str], &str, &str)] = &[
    ("status", &[], "/trading_active", "true"),
    ("markets", &[], "/markets/1/ticker", "KXFED-26DEC-T3.50"),
    ("market", &["KXFED-26DEC-T3.75"], "/market/yes_bid_dollars", "0.5600"),
    ("orderbook", &["KXFED-26DEC-T3.75"], "/orderbook_fp/yes_dollars/2/0", "0.5600"),
    ("trades", &[], "/trades/0/trade_id", "trade-0"),
    ("search", &["bitcoin"], "/events/0/event_ticker", "KXBTC-26NOV15"),
    ("events", &[], "/events/1/title", "Fed decision in December?"),
    ("event", &["KXFED-26DEC"], "/event/sub_title", "Dec 2026"),
    ("series", &["KXFED"], "/series/frequency", "monthly"),
    ("series_list", &[], "/total", "4"),
];

/// One run of one script.
struct Case {
    script: &'static str,
    arguments: Vec<String>,
    mood: Mood,
    env: Vec<(&'static str, String)>,
}

fn case(script: &'static str, arguments: &[&str], mood: Mood) -> Case {
    let arguments = arguments.iter().map(ToString::to_string).collect();
    Case { script, arguments, mood, env: Vec::new() }
}

impl Case {
    fn with(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.env.push((key, value.into()));
        self
    }

    fn json(mut self) -> Self {
        self.arguments.push("--json".to_owned());
        self
    }

    fn run(&self) -> Run {
        run(&World::new(), self, &exchange().url(self.mood))
    }

    fn name(&self) -> String {
        format!("{} {} ({:?})", self.script, self.arguments.join(" "), self.mood)
    }
}

/// The exchange of all tests here.
fn exchange() -> &'static Exchange {
    static EXCHANGE: OnceLock<Exchange> = OnceLock::new();
    EXCHANGE.get_or_init(Exchange::start)
}

fn script(name: &str) -> PathBuf {
    project_root().join("skills/kalshi-markets/scripts").join(format!("{name}.py"))
}

/// Runs the script in the world, against the exchange at `url`.
fn run(world: &World, case: &Case, url: &str) -> Run {
    let mut command = world.command(tools::uv().to_str().unwrap());
    command.args(["run", "--quiet", "--script"]).arg(script(case.script)).args(&case.arguments);
    command.envs(tools::uv_environment()).env("KALSHI_BASE_URL", url);
    command.env("KALSHI_CACHE_DIR", world.path().join("cache"));
    command.envs(case.env.iter().map(|(key, value)| (key, value)));
    let output = command.output().unwrap();
    Run {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}

/// Runs every case, a few at a time, and gives each with what came of it, in order.
fn all(cases: Vec<Case>) -> Vec<(Case, Run)> {
    let lanes = 4;
    let mut runs: Vec<Option<Run>> = cases.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        let chunk = cases.len().div_ceil(lanes).max(1);
        for (cases, runs) in cases.chunks(chunk).zip(runs.chunks_mut(chunk)) {
            scope.spawn(move || {
                for (case, run) in cases.iter().zip(runs) {
                    *run = Some(case.run());
                }
            });
        }
    });
    cases.into_iter().zip(runs.into_iter().map(Option::unwrap)).collect()
}

/// The answer of a run that went well: one JSON object and nothing else.
#[track_caller]
fn answer(name: &str, run: &Run) -> Value {
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}: {}", run.stdout);
    run.json()
}

#[track_caller]
fn text_at(answer: &Value, pointer: &str) -> String {
    assert!(answer.pointer(pointer).is_some(), "nothing at {pointer}: {answer}");
    match answer.pointer(pointer).unwrap() {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

#[test]
fn every_script_says_how_it_is_used() {
    // B1
    let options: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("status", &[][..]),
        (
            "markets",
            &[
                "--limit",
                "--status",
                "--event-ticker",
                "--series-ticker",
                "--tickers",
                "only|exclude",
            ],
        ),
        ("market", &[" TICKER"]),
        ("orderbook", &[" TICKER", "--depth"]),
        ("trades", &["--limit", "--ticker", "--min-ts", "--max-ts", "--cursor"]),
        ("search", &["[KEYWORD]", "--limit", "--rebuild-cache"]),
        (
            "events",
            &["--limit", "open|closed|settled", "--series-ticker", "--with-markets", "--cursor"],
        ),
        ("event", &[" EVENT_TICKER", "--with-markets"]),
        ("series", &[" SERIES_TICKER"]),
        ("series_list", &["--category", "--tags", "--limit"]),
    ]);
    let cases = SCRIPTS.iter().map(|(name, ..)| case(name, &["--help"], Mood::Hanging)).collect();
    for (case, run) in all(cases) {
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", case.name());
        let words = ["Usage: ", "--json", "--help", "Example"];
        for word in options[case.script].iter().chain(&words) {
            assert!(run.stdout.contains(word), "{} lacks {word}:\n{}", case.name(), run.stdout);
        }
    }
}

#[test]
fn every_script_answers_in_json() {
    // B1
    let cases = SCRIPTS.iter().map(|(name, args, ..)| case(name, args, Mood::Well).json());
    for ((case, run), (_, _, pointer, expect)) in all(cases.collect()).iter().zip(SCRIPTS) {
        let answer = answer(&case.name(), run);
        assert_eq!(text_at(&answer, pointer), *expect, "{}", case.name());
        assert_eq!(run.stdout.lines().count(), 1, "{}", case.name());
    }
}

#[test]
fn every_script_answers_people() {
    // B1
    let mut shown = String::new();
    let cases = SCRIPTS.iter().map(|(name, args, ..)| case(name, args, Mood::Well));
    let more = [
        case("event", &["KXFED-26DEC", "--with-markets"], Mood::Well),
        case("events", &["--limit", "2", "--with-markets"], Mood::Well),
        case("series_list", &["--limit", "2"], Mood::Well),
        case("markets", &["--event-ticker", "KXNONE"], Mood::Well),
        case("search", &["unheard of"], Mood::Well),
        case("search", &["--rebuild-cache"], Mood::Well),
    ];
    for (case, run) in all(cases.chain(more).collect()) {
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", case.name());
        shown += &format!("$ {} {}\n{}\n", case.script, case.arguments.join(" "), run.stdout);
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn answers_from_before_prices_were_strings_read_the_same() {
    // B1
    let scripts = [("markets", ""), ("market", "KXFED-26DEC-T3.75"), ("trades", "")];
    for (name, ticker) in scripts.into_iter().chain([("orderbook", "KXFED-26DEC-T3.75")]) {
        let arguments: Vec<&str> = Some(ticker).filter(|t| !t.is_empty()).into_iter().collect();
        let cases = [Mood::Well, Mood::Old].map(|mood| case(name, &arguments, mood)).into();
        let shown: Vec<String> = all(cases).into_iter().map(|(_, run)| run.stdout).collect();
        assert!(shown[0].contains("56¢"), "{}", shown[0]);
        assert_eq!(shown[0], shown[1]);
    }
}

#[test]
fn an_exchange_that_is_closed_is_an_answer() {
    // B1
    let runs =
        all(vec![case("status", &[], Mood::Closed), case("status", &[], Mood::Closed).json()]);
    assert_eq!(runs[0].1.code, 0);
    assert!(runs[0].1.stdout.contains("trading:  closed\nresumes:  2026-11-16"));
    assert_eq!(answer("closed", &runs[1].1)["trading_active"], json!(false));
}

#[test]
fn pages_follow_each_other_without_gap_or_repetition() {
    // B1
    for (name, list, id, limit, total) in [
        ("markets", "markets", "ticker", "10", 26),
        ("trades", "trades", "trade_id", "25", 40),
        ("events", "events", "event_ticker", "200", 449),
    ] {
        let mut seen = BTreeSet::new();
        let mut cursor = String::new();
        loop {
            let mut arguments = vec!["--limit", limit];
            if !cursor.is_empty() {
                arguments.extend(["--cursor", &cursor]);
            }
            let page = answer(name, &case(name, &arguments, Mood::Well).json().run());
            for item in page[list].as_array().unwrap() {
                assert!(seen.insert(item[id].as_str().unwrap().to_owned()), "{item} twice");
            }
            cursor = page["cursor"].as_str().unwrap().to_owned();
            if cursor.is_empty() {
                break;
            }
        }
        assert_eq!(seen.len(), total, "{name}");
    }
}

#[test]
fn filters_reach_the_exchange() {
    // B1
    let table: &[(&'static str, &[&str], &str, usize)] = &[
        ("markets", &["--status", "settled", "--limit", "50"], "markets", 1),
        ("markets", &["--event-ticker", "KXFED-26DEC"], "markets", 3),
        ("markets", &["--series-ticker", "KXFED"], "markets", 4),
        ("markets", &["--tickers", "KXFED-26DEC-T3.50,KXFED-26DEC-T4.00"], "markets", 2),
        ("markets", &["--mve-filter", "only"], "markets", 1),
        ("markets", &["--mve-filter", "exclude", "--limit", "100"], "markets", 25),
        ("trades", &["--ticker", "KXFED-26DEC-T3.75", "--limit", "100"], "trades", 20),
        ("trades", &["--min-ts", "1794736500", "--max-ts", "1794736620"], "trades", 3),
        ("events", &["--status", "settled"], "events", 1),
        ("events", &["--series-ticker", "KXFED"], "events", 2),
        ("series_list", &["--category", "Economics"], "series", 2),
        ("series_list", &["--tags", "BTC,Fed"], "series", 2),
        ("series_list", &["--limit", "3"], "series", 3),
        ("orderbook", &["KXFED-26DEC-T3.75", "--depth", "1"], "orderbook_fp/no_dollars", 1),
        ("orderbook", &["KXFED-26DEC-T3.75", "--depth", "0"], "orderbook_fp/no_dollars", 3),
        ("event", &["KXFED-26DEC", "--with-markets"], "event/markets", 3),
        ("events", &["--series-ticker", "KXBTC", "--with-markets"], "events/0/markets", 1),
    ];
    let cases = table.iter().map(|(name, args, ..)| case(name, args, Mood::Well).json()).collect();
    for ((case, run), (_, _, list, count)) in all(cases).iter().zip(table) {
        let answer = answer(&case.name(), run);
        let items = answer.pointer(&format!("/{list}")).and_then(Value::as_array);
        assert_eq!(items.map(Vec::len), Some(*count), "{}: {answer}", case.name());
    }
}

#[test]
fn markets_nobody_asked_for_are_left_out() {
    // B1, B3
    let answer = answer("event", &case("event", &["KXFED-26DEC"], Mood::Well).json().run());
    assert_eq!(answer.as_object().unwrap().keys().collect::<Vec<_>>(), ["event"]);
    assert!(answer["event"].get("markets").is_none());
}

/// What each failing exchange is called, and what the error says.
const FAILURES: &[(Mood, &str, &str)] = &[
    (Mood::Silent, "timeout", "No complete answer within 0.5 s"),
    (Mood::Dripping, "timeout", "No complete answer within 0.5 s"),
    (Mood::Hanging, "network", "Cannot reach http://127.0.0.1"),
    (Mood::Limited, "rate_limited", "Too many requests"),
    (Mood::LimitedForever, "rate_limited", "Too many requests"),
    (Mood::Broken, "server_error", "(HTTP 500)"),
    (Mood::Refusing, "refused", "(HTTP 400): invalid [31m parameter"),
    (Mood::Redirecting, "refused", "(HTTP 302): Found"),
    (Mood::Html, "not_json", "The answer is not JSON"),
    (Mood::List, "unexpected", "The answer is JSON, but not an object"),
    (Mood::NotANumber, "not_json", "The answer is not JSON"),
    (Mood::Deep, "not_json", "The answer is not JSON"),
    (Mood::Huge, "too_large", "The answer is larger than 16 MiB"),
];

#[test]
fn whatever_an_exchange_does_the_answer_is_an_error_with_a_kind() {
    // B1
    // Each mood meets two scripts, so that all ten meet some; what they do then is the same code.
    let mut cases = Vec::new();
    for (index, (mood, ..)) in FAILURES.iter().enumerate() {
        let (name, args, ..) = SCRIPTS[index % SCRIPTS.len()];
        let (other, more, ..) = SCRIPTS[(index + 5) % SCRIPTS.len()];
        let seconds = if matches!(mood, Mood::Silent | Mood::Dripping) { "0.5" } else { "20" };
        cases.push(case(name, args, *mood).json().with("KALSHI_TIMEOUT", seconds));
        cases.push(case(other, more, *mood).with("KALSHI_TIMEOUT", seconds));
    }
    let runs = all(cases);
    for (pair, (_, kind, message)) in runs.chunks(2).zip(FAILURES) {
        let (machine, person) = (&pair[0], &pair[1]);
        let error = machine.1.json();
        assert_eq!((machine.1.code, machine.1.stderr.as_str()), (1, ""), "{}", machine.0.name());
        assert_eq!(error["kind"], *kind, "{}: {error}", machine.0.name());
        assert!(error["error"].as_str().unwrap().contains(message), "{error}");
        assert_eq!((person.1.code, person.1.stdout.as_str()), (1, ""), "{}", person.0.name());
        assert_eq!(person.1.stderr.lines().count(), 1, "{}", person.1.stderr);
        assert!(person.1.stderr.starts_with("error: "), "{}", person.1.stderr);
        assert!(person.1.stderr.contains(message), "{}", person.1.stderr);
    }
}

#[test]
fn an_exchange_with_too_many_requests_says_when_to_come_back() {
    // B1
    let runs =
        all([Mood::Limited, Mood::LimitedForever].map(|m| case("status", &[], m).json()).into());
    for ((_, run), (seconds, hint)) in
        runs.iter().zip([(7, "wait 7 s and try again"), (5, "wait 5 s and try again")])
    {
        let error = run.json();
        assert_eq!(error["status"], 429);
        assert_eq!((&error["retry_after"], &error["hint"]), (&json!(seconds), &json!(hint)));
    }
}

#[test]
fn what_is_not_there_is_named() {
    // B1
    let table = [
        ("market", "KXNONE-1", "/markets/KXNONE-1"),
        ("orderbook", "KXNONE-1", "/markets/KXNONE-1/orderbook"),
        ("event", "KXNONE", "/events/KXNONE"),
        ("series", "KXNONE", "/series/KXNONE"),
    ];
    let cases = table.map(|(name, ticker, _)| case(name, &[ticker], Mood::Well).json()).into();
    for ((case, run), (_, _, path)) in all(cases).iter().zip(table) {
        let error = run.json();
        assert_eq!((run.code, &error["kind"]), (1, &json!("not_found")), "{}", case.name());
        assert!(error["error"].as_str().unwrap().ends_with(path), "{error}");
        assert!(error["hint"].as_str().unwrap().contains("search.py"), "{error}");
    }
}

#[test]
fn wrong_arguments_are_an_error_like_any_other() {
    // B1
    let table: &[(&'static str, &[&str], &str)] = &[
        ("markets", &["--limit", "0"], "1<=x<=1000"),
        ("markets", &["--mve-filter", "some"], "only"),
        ("market", &[], "Missing argument 'TICKER'"),
        ("market", &["../../etc"], "is not a ticker"),
        ("market", &["KX?a=b"], "is not a ticker"),
        ("trades", &["--min-ts", "9", "--max-ts", "8"], "--min-ts is later than --max-ts"),
        ("events", &["--status", "unopened"], "open"),
        ("search", &[], "give a word to search for"),
        ("status", &["--unknown"], "No such option"),
        ("series", &["A", "B"], "unexpected extra argument"),
    ];
    let cases = table.iter().map(|(name, args, _)| case(name, args, Mood::Hanging).json());
    let person = case("market", &["../../etc"], Mood::Hanging);
    let runs = all(cases.chain([person]).collect());
    for ((case, run), (_, _, message)) in runs.iter().zip(table) {
        let error = run.json();
        assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{}", case.name());
        assert_eq!(error["kind"], "usage", "{}: {error}", case.name());
        assert!(error["error"].as_str().unwrap().contains(message), "{}: {error}", case.name());
    }
    let (_, run) = &runs[table.len()];
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.contains("is not a ticker (see --help)\n"), "{}", run.stderr);
}

#[test]
fn settings_that_make_no_sense_are_named() {
    // B1
    let runs = all(vec![
        case("status", &[], Mood::Well).json().with("KALSHI_BASE_URL", "ftp://example.org"),
        case("status", &[], Mood::Well).json().with("KALSHI_BASE_URL", "http://127.0.0.1:1/v2"),
        case("status", &[], Mood::Well).json().with("KALSHI_TIMEOUT", "soon"),
        case("status", &[], Mood::Well).json().with("KALSHI_TIMEOUT", "-1"),
    ]);
    let expect = [
        ("usage", "KALSHI_BASE_URL is not an http address"),
        ("network", "Cannot reach http://127.0.0.1:1/v2"),
        ("usage", "KALSHI_TIMEOUT is not a number"),
        ("usage", "KALSHI_TIMEOUT is not a number"),
    ];
    for ((_, run), (kind, message)) in runs.iter().zip(expect) {
        let error = run.json();
        assert_eq!((run.code, &error["kind"]), (1, &json!(kind)), "{error}");
        assert!(error["error"].as_str().unwrap().starts_with(message), "{error}");
    }
}

#[test]
fn answers_of_the_wrong_kind_never_end_in_a_traceback() {
    // B1
    let mut cases = Vec::new();
    for (index, (name, args, ..)) in SCRIPTS.iter().enumerate() {
        cases.push(case(name, args, Mood::Wrong));
        if index % 3 == 1 {
            cases.push(case(name, args, Mood::Empty).json());
        }
    }
    for (case, run) in all(cases) {
        assert!([0, 1].contains(&run.code), "{} ended with {}", case.name(), run.code);
        assert!(!run.stderr.contains("Traceback"), "{}:\n{}", case.name(), run.stderr);
        if case.mood == Mood::Empty {
            assert!(run.json().is_object());
        }
    }
}

#[test]
fn texts_of_strangers_do_not_reach_the_terminal_alive() {
    // B1
    let mut cases = vec![case("market", &["KXFED-26DEC-T3.75"], Mood::Hostile).json()];
    for name in ["markets", "events", "series_list"] {
        cases.push(case(name, &[], Mood::Hostile));
    }
    cases.push(case("search", &["bitcoin"], Mood::Hostile));
    let runs = all(cases);
    assert!(
        text_at(&answer("market", &runs[0].1), "/market/title").contains("\u{1b}]0;owned\u{7}")
    );
    for (case, run) in &runs[1..] {
        assert_eq!(run.code, 0, "{}", case.name());
        let alive = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!run.stdout.contains(alive), "{}: {:?}", case.name(), run.stdout);
        assert!(run.stdout.lines().all(|line| line.chars().count() < 250), "{}", case.name());
    }
}

#[test]
fn search_reads_every_page_and_says_when_it_could_not() {
    // B1
    let runs = all(vec![
        case("search", &["BITCOIN nov"], Mood::Well).json(),
        case("search", &["question", "--limit", "3"], Mood::Well).json(),
        case("search", &["fed"], Mood::Failing).json(),
        case("search", &["fed"], Mood::Circling).json(),
    ]);
    let answers: Vec<Value> = runs.iter().map(|(case, run)| answer(&case.name(), run)).collect();
    let found = |index: usize, name: &str| answers[index][name].clone();
    assert_eq!((found(0, "total"), found(0, "searched")), (json!(1), json!(448)));
    assert_eq!(found(0, "complete"), json!(true));
    assert_eq!((found(1, "total"), found(1, "events")[2].is_object()), (json!(445), true));
    assert_eq!(found(1, "events").as_array().unwrap().len(), 3);
    assert_eq!((found(2, "searched"), found(2, "complete")), (json!(400), json!(false)));
    assert!(text_at(&answers[2], "/note").contains("HTTP 500"));
    assert_eq!(text_at(&answers[2], "/events/0/event_ticker"), "KXFED-26DEC");
    assert_eq!(found(3, "complete"), json!(false));
}

#[test]
fn search_remembers_for_a_while() {
    // B1
    let world = World::new();
    let own = Exchange::start();
    let url = own.url(Mood::Well);
    let search = |arguments: &[&str]| {
        let case = case("search", arguments, Mood::Well).json();
        answer(&case.name(), &run(&world, &case, &url))
    };
    let total = |arguments: &[&str]| search(arguments)["total"].clone();
    assert_eq!(total(&["planted"]), 0);

    let directory = world.path().join("cache");
    let files: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|f| f.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let mut kept: Value = serde_json::from_slice(&std::fs::read(&files[0]).unwrap()).unwrap();
    kept["events"][0]["title"] = json!("Was it planted?");
    std::fs::write(&files[0], kept.to_string()).unwrap();
    assert_eq!(total(&["planted"]), 1, "what is kept is used");

    drop(own);
    kept["at"] = json!(1_000_000.0);
    std::fs::write(&files[0], kept.to_string()).unwrap();
    let stale = search(&["planted"]);
    assert_eq!(stale["total"], 1, "without an exchange, what is old is better than nothing");
    assert!(text_at(&stale, "/note").contains("minutes ago: Cannot reach"), "{stale}");

    let afresh = case("search", &["planted", "--rebuild-cache"], Mood::Well).json();
    assert_eq!(run(&world, &afresh, &url).json()["kind"], "network");
}

#[test]
fn search_answers_without_a_place_to_remember() {
    // B1
    let world = World::new();
    let broken = world.write("broken/cache", "not a directory");
    let temporary = world.path().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let theirs = world.path().join("theirs");
    std::fs::create_dir(&theirs).unwrap();
    let owner = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(&theirs).unwrap());
    let link = temporary.join(format!("kalshi-markets-{owner}"));
    std::os::unix::fs::symlink(&theirs, &link).unwrap();
    let search = case("search", &["bitcoin"], Mood::Well).json();
    let linked = case("search", &["bitcoin"], Mood::Well).json().with("KALSHI_CACHE_DIR", "");
    for (case, run) in all(vec![
        search.with("KALSHI_CACHE_DIR", broken.to_str().unwrap()),
        linked.with("TMPDIR", temporary.to_str().unwrap()),
    ]) {
        assert_eq!(answer(&case.name(), &run)["total"], 1);
    }
    assert_eq!(std::fs::read_dir(&theirs).unwrap().count(), 0, "a planted link is not followed");
}

#[test]
fn a_damaged_memory_is_forgotten() {
    // B1
    let world = World::new();
    let url = exchange().url(Mood::Well);
    let search = case("search", &["bitcoin"], Mood::Well).json();
    answer("first", &run(&world, &search, &url));
    let directory = world.path().join("cache");
    let file = std::fs::read_dir(&directory).unwrap().next().unwrap().unwrap().path();
    for damage in ["", "[]", "{\"events\": 3, \"at\": 1}", "{\"events\": [{}], \"at\": 9e99}"] {
        std::fs::write(&file, damage).unwrap();
        assert_eq!(answer(damage, &run(&world, &search, &url))["total"], 1, "{damage}");
    }
}

#[test]
fn the_scripts_share_no_file_but_fail_by_the_same_code() {
    // B1
    let texts: Vec<String> =
        SCRIPTS.iter().map(|(name, ..)| std::fs::read_to_string(script(name)).unwrap()).collect();
    let between = |text: &str, start: &str, end: &str| {
        let (_, rest) = text.split_once(start).unwrap();
        rest.split_once(end).unwrap().0.to_owned()
    };
    let shared: BTreeSet<String> = texts
        .iter()
        .map(|text| {
            between(text, "# --- The same in every script", "# --- End of what is the same")
        })
        .collect();
    assert_eq!(shared.len(), 1);
    let blocks: BTreeSet<String> =
        texts.iter().map(|text| between(text, "# /// script\n", "# ///\n")).collect();
    assert_eq!(blocks.len(), 1);
    let block = blocks.first().unwrap();
    assert!(block.contains("click") && block.contains("httpx") && !block.contains("pandas"));
    let files = std::fs::read_dir(script("status").parent().unwrap()).unwrap();
    assert_eq!(files.count(), SCRIPTS.len());
}

#[test]
fn the_skill_names_its_scripts_and_what_they_may_touch() {
    // B1
    let world = World::new();
    let shown = metier(&world, &["show", "kalshi-markets", "--json"]).json();
    let text =
        std::fs::read_to_string(project_root().join("skills/kalshi-markets/SKILL.md")).unwrap();
    for (name, ..) in SCRIPTS {
        let named = text.contains(&format!("`{name}")) || text.contains(&format!(", `{name}"));
        assert!(named, "{name} is not in SKILL.md");
        assert!(shown.to_string().contains(&format!("scripts/{name}.py")), "{name}");
    }
    let permissions = world
        .run(METIER, &["props", project_root().join("skills/kalshi-markets").to_str().unwrap()]);
    // Nothing can hold a child to a list of hosts, so a list would keep the scripts from running.
    let network = permissions.json()["extra"]["permissions"]["network"].to_string();
    assert!(network.contains("true"), "{network}");
}
