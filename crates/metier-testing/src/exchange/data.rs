//! What the exchange trades: four series, their events and markets, trades, an order book, and
//! enough further events to fill three pages.

use serde_json::{Map, Value, json};

/// The one event that is settled.
pub(super) const SETTLED: &str = "KXFED-26OCT";

/// How many events there are besides those with markets.
const FILLERS: usize = 445;

pub(super) fn status(trading: bool) -> Value {
    let resumes = if trading { Value::Null } else { json!("2026-11-16T12:00:00Z") };
    json!({
        "exchange_active": true,
        "trading_active": trading,
        "exchange_estimated_resume_time": resumes,
    })
}

pub(super) fn series() -> Vec<Value> {
    let one = |ticker: &str, title: &str, category: &str, frequency: &str, tags: &[&str]| {
        json!({
            "ticker": ticker,
            "title": title,
            "category": category,
            "frequency": frequency,
            "tags": tags,
            "settlement_sources": [{"name": "The source", "url": "https://example.org/source"}],
            "contract_url": format!("https://example.org/{ticker}.pdf"),
            "fee_type": "quadratic",
            "fee_multiplier": 1,
        })
    };
    vec![
        one("KXFED", "Fed funds rate", "Economics", "monthly", &["Fed", "Rates"]),
        one("KXCPI", "Inflation", "Economics", "monthly", &["Inflation"]),
        one("KXHIGHNY", "Highest temperature in NYC", "Climate and Weather", "daily", &["Daily"]),
        one("KXBTC", "Bitcoin price range", "Crypto", "hourly", &["BTC"]),
    ]
}

pub(super) fn events() -> Vec<Value> {
    let one = |ticker: &str, title: &str, sub_title: &str, category: &str| {
        json!({
            "event_ticker": ticker,
            "series_ticker": ticker.split('-').next(),
            "title": title,
            "sub_title": sub_title,
            "category": category,
            "mutually_exclusive": true,
            "collateral_return_type": "MECNET",
        })
    };
    let mut all = vec![
        one(SETTLED, "Fed decision in October?", "Oct 2026", "Economics"),
        one("KXFED-26DEC", "Fed decision in December?", "Dec 2026", "Economics"),
        one(
            "KXHIGHNY-26NOV15",
            "Highest temperature in NYC today?",
            "Nov 15",
            "Climate and Weather",
        ),
    ];
    for number in 0..FILLERS {
        let title = format!("Will question number {number} be answered?");
        all.push(one(&format!("KXFILL{number}-26"), &title, "", "World"));
    }
    // Last, so that only who reads every page finds it.
    all.push(one("KXBTC-26NOV15", "Bitcoin price on Nov 15?", "At 17:00 EST", "Crypto"));
    all
}

pub(super) fn markets() -> Vec<Value> {
    let mut all = vec![market("KXFED-26OCT-T4.00", "Fed funds rate above 4.00%", 99)];
    for (step, yes) in [(350, 81), (375, 56), (400, 23)] {
        let rate = format!("{}.{:02}", step / 100, step % 100);
        all.push(market(&format!("KXFED-26DEC-T{rate}"), &format!("Above {rate}%"), yes));
    }
    for degree in 50..70 {
        let ticker = format!("KXHIGHNY-26NOV15-B{degree}");
        all.push(market(&ticker, &format!("{degree}° or above"), 70 - (degree - 50) * 3));
    }
    all.push(market("KXBTC-26NOV15-T100000", "$100,000 or above", 47));
    let mut combo = market("KXCOMBO-26NOV15-1", "Both of them", 12);
    combo["mve_selected_legs"] = json!([{"market_ticker": "KXBTC-26NOV15-T100000"}]);
    all.push(combo);
    all
}

fn market(ticker: &str, yes: &str, cents: i64) -> Value {
    let dollars = |cents: i64| format!("0.{:02}00", cents.clamp(0, 99));
    let event = ticker.rsplit_once('-').map_or(ticker, |(event, _)| event);
    let settled = event == SETTLED;
    json!({
        "ticker": ticker,
        "event_ticker": event,
        "market_type": "binary",
        "title": format!("Will it be so: {yes}?"),
        "yes_sub_title": yes,
        "no_sub_title": format!("Not: {yes}"),
        "status": if settled { "finalized" } else { "active" },
        "result": if settled { "yes" } else { "" },
        "open_time": "2026-11-01T15:00:00Z",
        "close_time": "2026-12-09T18:55:00Z",
        "yes_bid_dollars": dollars(cents),
        "yes_ask_dollars": dollars(cents + 2),
        "no_bid_dollars": dollars(98 - cents),
        "no_ask_dollars": dollars(100 - cents),
        "last_price_dollars": dollars(cents + 1),
        "volume_fp": "1234567.00",
        "volume_24h_fp": "8901.00",
        "open_interest_fp": "45678.00",
        "rules_primary": format!("If {yes}, the market resolves to Yes."),
        "rules_secondary": "",
    })
}

/// Trades of two markets, newest first, one a minute.
pub(super) fn trades() -> Vec<Value> {
    let one = |number: u64| {
        let ticker =
            if number.is_multiple_of(2) { "KXFED-26DEC-T3.75" } else { "KXBTC-26NOV15-T100000" };
        json!({
            "trade_id": format!("trade-{number}"),
            "ticker": ticker,
            "yes_price_dollars": "0.5600",
            "no_price_dollars": "0.4400",
            "count_fp": "10.00",
            "taker_side": if number.is_multiple_of(3) { "yes" } else { "no" },
            "created_time": format!("2026-11-15T09:{:02}:30.123Z", 59 - number),
            "ts": 1_794_733_200 + (59 - number) * 60,
        })
    };
    (0..40).map(one).collect()
}

/// A book with three levels a side, the best last as the exchange has it.
pub(super) fn orderbook(old: bool, depth: usize) -> Value {
    let take = |levels: [(u64, u64); 3]| -> Vec<Value> {
        let best = levels.into_iter().skip(3_usize.saturating_sub(depth));
        best.map(|(cents, count)| match old {
            true => json!([cents, count]),
            false => json!([format!("0.{cents:02}00"), format!("{count}.00")]),
        })
        .collect()
    };
    let (yes, no) =
        (take([(10, 5000), (54, 300), (56, 120)]), take([(5, 9000), (40, 70), (42, 35)]));
    match old {
        true => json!({"orderbook": {"yes": yes, "no": no}}),
        false => json!({"orderbook_fp": {"yes_dollars": yes, "no_dollars": no}}),
    }
}

/// Cents and whole contracts instead of strings.
pub(super) fn old(value: Value) -> Value {
    every(value, &|key, value| {
        let number = value.as_str().and_then(|text| text.parse::<f64>().ok());
        match (key.strip_suffix("_dollars"), key.strip_suffix("_fp"), number) {
            (Some(name), _, Some(number)) => {
                (name.to_owned(), json!((number * 100.0).round() as i64))
            }
            (_, Some(name), Some(number)) => (name.to_owned(), json!(number as i64)),
            _ => (key.to_owned(), value),
        }
    })
}

/// Every value but lists and objects is of a kind nobody expects.
pub(super) fn wrong(value: Value) -> Value {
    every(value, &|key, value| {
        let odd = match &value {
            Value::String(_) if !key.ends_with("ticker") => json!([null, {"odd": 1}]),
            Value::Bool(_) => json!("perhaps"),
            Value::Array(list) if list.iter().any(Value::is_string) => json!("not a list"),
            _ => value,
        };
        (key.to_owned(), odd)
    })
}

/// Texts with escapes, bells, line breaks and half a character.
pub(super) fn hostile(value: Value) -> Value {
    every(value, &|key, value| match value {
        Value::String(text) if key.contains("title") => {
            let text =
                format!("{text}\u{1b}]0;owned\u{7}\u{1b}[31m\r\n\u{202e}{}", "x".repeat(500));
            (key.to_owned(), json!(text))
        }
        value => (key.to_owned(), value),
    })
}

/// The value with every entry of every object, from the inside out, as `change` makes it.
fn every(value: Value, change: &dyn Fn(&str, Value) -> (String, Value)) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(|item| every(item, change)).collect(),
        Value::Object(entries) => {
            let changed: Map<String, Value> = entries
                .into_iter()
                .map(|(key, value)| change(&key, every(value, change)))
                .collect();
            Value::Object(changed)
        }
        value => value,
    }
}
