//! How much is done at once for clients of MCP.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use metier_runtime::JournalError;
use metier_serve::limits::{MAX_CALLS, MAX_CLOSE_LOOKS};
use metier_serve::mcp::Service;
use metier_serve::{Client, Dialect, Host, Seat, Who};
use metier_store::Catalog;
use metier_store::index::CatalogIndex;
use metier_store::watch::{Watch, WatchError};
use serde_json::json;

use crate::ground::{Ground, attach, run, stateless};

/// A host that takes its time, and knows how many asked at once.
struct Slow {
    ground: Ground,
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Host for Slow {
    fn index(&self) -> &Arc<CatalogIndex> {
        self.ground.index()
    }

    fn now(&self) -> Duration {
        self.ground.now()
    }

    fn catalog(&self, who: &Who) -> Arc<Catalog> {
        let now = self.now.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(now, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(100));
        let catalog = self.ground.catalog(who);
        self.now.fetch_sub(1, Ordering::Relaxed);
        catalog
    }

    fn open(&self, client: &Client) -> Result<Seat, JournalError> {
        self.ground.open(client)
    }

    fn watch(&self) -> Result<Option<Watch>, WatchError> {
        Ok(None)
    }
}

/// The most that were asked at once when `asked` clients asked the same.
fn most(method: &str, asked: usize) -> usize {
    let slow =
        Slow { ground: Ground::usual(), now: AtomicUsize::new(0), most: AtomicUsize::new(0) };
    let slow = Arc::new(slow);
    run(async {
        let service = Service::new(Arc::clone(&slow) as Arc<dyn Host>, Dialect::Plain);
        let mut wires: Vec<_> = (0..asked).map(|_| attach(&service, None)).collect();
        let question = json!({
            "jsonrpc": "2.0", "id": 1, "method": method,
            "params": {"_meta": stateless(json!({}))},
        });
        for wire in &mut wires {
            wire.send(question.to_string().as_bytes()).await;
        }
        for wire in &mut wires {
            let answer = wire.receive().await.unwrap();
            assert!(answer["error"].is_null(), "{answer}");
        }
    });
    slow.most.load(Ordering::Relaxed)
}

#[test]
fn questions_over_mcp_take_turns_and_those_that_read_every_file_few() {
    // U2, F4
    let calls = most("tools/list", MAX_CALLS + 16);
    assert!(calls > MAX_CLOSE_LOOKS && calls <= MAX_CALLS, "{calls}");
    let close = most("skills/list", 3 * MAX_CLOSE_LOOKS);
    assert!(close > 1 && close <= MAX_CLOSE_LOOKS, "{close}");
}
