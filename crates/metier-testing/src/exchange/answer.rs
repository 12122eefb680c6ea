//! What the exchange says to one request.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::Mood;
use super::data;

/// What goes back over the wire.
pub(super) enum Answer {
    Text { status: &'static str, headers: String, body: String },
    Nothing,
    Silence,
    Endless { piece: Vec<u8>, pause: Duration },
}

/// A request: its path below the base address and its parameters.
pub(super) struct Request {
    path: Vec<String>,
    parameters: BTreeMap<String, String>,
}

impl Request {
    /// Takes `trade-api/v2/PATH?QUERY` apart.
    pub(super) fn new(target: &str) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = path.strip_prefix("trade-api/v2/").unwrap_or(path);
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        Self {
            path: path.split('/').map(decode).collect(),
            parameters: pairs.map(|(key, value)| (decode(key), decode(value))).collect(),
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }

    /// Where the page starts, as the cursor says.
    fn start(&self) -> usize {
        let digits = self.get("cursor").and_then(|cursor| cursor.strip_prefix("page+/="));
        digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
    }
}

/// Percent-encoding and plus signs undone.
fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match (first, code.and_then(|two| u8::from_str_radix(two, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
                continue;
            }
            (b'+', _) => bytes.push(b' '),
            (byte, _) => bytes.push(*byte),
        }
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The answer in this mood.
pub(super) fn answer(mood: Mood, request: &Request) -> Answer {
    let text = |body: &str| Answer::Text {
        status: "200 OK",
        headers: "Content-Type: application/json\r\n".to_owned(),
        body: body.to_owned(),
    };
    match mood {
        Mood::Silent => Answer::Silence,
        Mood::Hanging => Answer::Nothing,
        Mood::Dripping => {
            Answer::Endless { piece: b" ".to_vec(), pause: Duration::from_millis(20) }
        }
        Mood::Huge => Answer::Endless { piece: vec![b' '; 1 << 20], pause: Duration::ZERO },
        Mood::Limited => status("429 Too Many Requests", "Retry-After: 7\r\n", "slow down"),
        Mood::LimitedForever => status("429 Too Many Requests", "", "slow down"),
        Mood::Broken => status("500 Internal Server Error", "", "out of order"),
        Mood::Refusing => status("400 Bad Request", "", "invalid\u{1b}[31m parameter"),
        Mood::Redirecting => status("302 Found", "Location: http://127.0.0.1:9/\r\n", ""),
        Mood::Failing if request.start() >= 400 => status("500 Internal Server Error", "", "oh"),
        Mood::Html => text("<html>Please log in</html>"),
        Mood::List => text("[1, 2, 3]"),
        Mood::Empty => text("{}"),
        Mood::NotANumber => text("{\"markets\": [{\"volume\": NaN}]}"),
        Mood::Deep => text(&"[".repeat(100_000)),
        _ => exchange(mood, request),
    }
}

fn status(line: &'static str, headers: &str, message: &str) -> Answer {
    let body = json!({"error": {"code": "some_code", "message": message, "details": ""}});
    Answer::Text { status: line, headers: headers.to_owned(), body: body.to_string() }
}

/// The exchange at work.
fn exchange(mood: Mood, request: &Request) -> Answer {
    let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
    let found = match path.as_slice() {
        ["exchange", "status"] => Some(data::status(mood != Mood::Closed)),
        ["markets"] => return page(mood, request, "markets", markets(request), 1000),
        ["markets", "trades"] => return page(mood, request, "trades", trades(request), 1000),
        ["markets", ticker, "orderbook"] => market(ticker).map(|_| orderbook(mood, request)),
        ["markets", ticker] => market(ticker).map(|market| json!({"market": market})),
        ["events"] => return page(mood, request, "events", events(request), 200),
        ["events", ticker] => event(ticker, request),
        ["series"] => Some(json!({"series": series(request)})),
        ["series", ticker] => {
            let one = data::series().into_iter().find(|one| one["ticker"] == **ticker);
            one.map(|one| json!({"series": one}))
        }
        _ => None,
    };
    match found {
        Some(body) => json_text(mood, &body),
        None => status("404 Not Found", "", "not found"),
    }
}

fn json_text(mood: Mood, body: &Value) -> Answer {
    let body = match mood {
        Mood::Old => data::old(body.clone()),
        Mood::Wrong => data::wrong(body.clone()),
        Mood::Hostile => data::hostile(body.clone()),
        _ => body.clone(),
    };
    let headers = "Content-Type: application/json\r\n".to_owned();
    Answer::Text { status: "200 OK", headers, body: body.to_string() }
}

/// One page of `all`, with the cursor of the next.
fn page(mood: Mood, request: &Request, name: &str, all: Vec<Value>, most: usize) -> Answer {
    let limit = request.number("limit").unwrap_or(100);
    if limit == 0 || limit > most {
        return status("400 Bad Request", "", "limit out of range");
    }
    let start = request.start();
    let next = if start + limit < all.len() {
        format!("page+/={}", start + limit)
    } else if mood == Mood::Circling {
        request.get("cursor").unwrap_or("page+/=0").to_owned()
    } else {
        String::new()
    };
    let items: Vec<Value> = all.into_iter().skip(start).take(limit).collect();
    json_text(mood, &json!({name: items, "cursor": next}))
}

fn markets(request: &Request) -> Vec<Value> {
    let tickers: Option<Vec<&str>> = request.get("tickers").map(|list| list.split(',').collect());
    let is = |market: &Value, field: &str, parameter: &str| {
        request.get(parameter).is_none_or(|wanted| market[field] == wanted)
    };
    let combo = request.get("mve_filter");
    data::markets()
        .into_iter()
        .filter(|market| is(market, "event_ticker", "event_ticker"))
        .filter(|market| {
            let series = market["event_ticker"].as_str().and_then(|e| e.split('-').next());
            request.get("series_ticker").is_none_or(|wanted| series == Some(wanted))
        })
        .filter(|market| {
            let open = market["status"] == "active";
            request.get("status").is_none_or(|wanted| (wanted == "open") == open)
        })
        .filter(|market| {
            let ticker = market["ticker"].as_str().unwrap_or_default();
            tickers.as_ref().is_none_or(|wanted| wanted.contains(&ticker))
        })
        .filter(|market| {
            let is_combo = market.get("mve_selected_legs").is_some();
            combo.is_none_or(|filter| (filter == "only") == is_combo)
        })
        .collect()
}

fn market(ticker: &str) -> Option<Value> {
    data::markets().into_iter().find(|market| market["ticker"] == ticker)
}

fn trades(request: &Request) -> Vec<Value> {
    let time = |trade: &Value| trade["ts"].as_u64().unwrap_or(0);
    let bound = |name: &str| request.number(name).map(|ts| ts as u64);
    data::trades()
        .into_iter()
        .filter(|trade| request.get("ticker").is_none_or(|ticker| trade["ticker"] == ticker))
        .filter(|trade| bound("min_ts").is_none_or(|ts| time(trade) >= ts))
        .filter(|trade| bound("max_ts").is_none_or(|ts| time(trade) <= ts))
        .collect()
}

fn orderbook(mood: Mood, request: &Request) -> Value {
    let depth = request.number("depth").filter(|depth| *depth > 0).unwrap_or(usize::MAX);
    data::orderbook(mood == Mood::Old, depth)
}

fn events(request: &Request) -> Vec<Value> {
    let nested = request.get("with_nested_markets") == Some("true");
    data::events()
        .into_iter()
        .filter(|event| {
            request.get("series_ticker").is_none_or(|wanted| event["series_ticker"] == wanted)
        })
        .filter(|event| {
            let settled = event["event_ticker"] == data::SETTLED;
            request.get("status").is_none_or(|wanted| (wanted == "settled") == settled)
        })
        .map(|event| if nested { with_markets(event) } else { event })
        .collect()
}

fn event(ticker: &str, request: &Request) -> Option<Value> {
    let event = data::events().into_iter().find(|event| event["event_ticker"] == ticker)?;
    if request.get("with_nested_markets") == Some("true") {
        return Some(json!({"event": with_markets(event)}));
    }
    let markets = with_markets(event.clone())["markets"].take();
    Some(json!({"event": event, "markets": markets}))
}

fn with_markets(mut event: Value) -> Value {
    let markets =
        data::markets().into_iter().filter(|m| m["event_ticker"] == event["event_ticker"]);
    event["markets"] = markets.collect();
    event
}

fn series(request: &Request) -> Vec<Value> {
    let tags: Option<Vec<&str>> = request.get("tags").map(|tags| tags.split(',').collect());
    data::series()
        .into_iter()
        .filter(|one| request.get("category").is_none_or(|category| one["category"] == category))
        .filter(|one| {
            let has =
                |tag: &&str| one["tags"].as_array().is_some_and(|all| all.contains(&json!(tag)));
            tags.as_ref().is_none_or(|tags| tags.iter().any(has))
        })
        .collect()
}
