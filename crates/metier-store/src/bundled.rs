//! The skills shipped inside metier: the files of the project's `skills/` directory, embedded when
//! the crate is built.

use crate::layer::Layer;
use crate::memory_store::MemoryStore;

/// A file: its path relative to `skills/`, its bytes, whether it has the execute bit.
type Embedded = (&'static str, &'static [u8], bool);

include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// The bundled skills as a store of layer [`Layer::Bundled`].
#[must_use]
pub fn bundled() -> MemoryStore {
    EMBEDDED.iter().fold(MemoryStore::new(Layer::Bundled), |store, (path, bytes, executable)| {
        if *executable { store.executable(path, *bytes) } else { store.file(path, *bytes) }
    })
}

/// The bytes of every file, for tests that want real ones.
#[cfg(test)]
pub(crate) fn files() -> impl Iterator<Item = &'static [u8]> {
    EMBEDDED.iter().map(|(_, bytes, _)| *bytes)
}

#[cfg(test)]
#[path = "bundled_tests.rs"]
mod tests;
