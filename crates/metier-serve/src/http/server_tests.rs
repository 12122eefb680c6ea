#![expect(clippy::disallowed_methods, reason = "tests open what is no socket")]

use std::error::Error as _;
use std::fs::File;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use metier_runtime::JournalError;
use metier_store::index::{CatalogIndex, IndexSettings};
use metier_store::watch::{Watch, WatchError};
use metier_store::{Layer, MemoryStore};

use super::{HttpError, Stop, serve};
use crate::http::{Gate, HttpSetup};
use crate::{Client, Dialect, Host, Seat};

/// A host nobody reaches.
struct Nowhere(Arc<CatalogIndex>);

impl Host for Nowhere {
    fn index(&self) -> &Arc<CatalogIndex> {
        &self.0
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn open(&self, _: &Client) -> Result<Seat, JournalError> {
        Err(JournalError::TooLarge(0))
    }

    fn watch(&self) -> Result<Option<Watch>, WatchError> {
        Ok(None)
    }
}

#[test]
fn what_is_no_socket_is_not_listened_to() {
    // U3
    let store = Arc::new(MemoryStore::new(Layer::Personal));
    let index = CatalogIndex::new(store, IndexSettings::default(), Duration::ZERO);
    let host = Arc::new(Nowhere(Arc::new(index)));
    let session = "default".to_owned();
    let (gate, header_time) = (Gate::default(), Duration::from_secs(1));
    let setup = HttpSetup { session, dialect: Dialect::Plain, gate, header_time };
    let file = OwnedFd::from(File::open("/proc/self/status").unwrap());
    let error = serve(TcpListener::from(file), host, setup, &Stop::default()).unwrap_err();
    assert!(matches!(error, HttpError::Listen(_)), "{error:?}");
    let runtime = HttpError::Runtime(std::io::Error::other("no threads"));
    assert!(runtime.source().is_some_and(|source| source.to_string() == "no threads"));
}

#[test]
fn a_switch_that_is_thrown_stays_thrown() {
    // U3
    let stop = Stop::default();
    assert!(!stop.is_stopping());
    stop.clone().stop();
    stop.stop();
    assert!(stop.is_stopping());
}
