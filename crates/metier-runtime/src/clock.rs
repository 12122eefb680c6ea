//! Time as the session sees it: passed in, so that replay and tests decide it.

/// Milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub u64);

/// Where moments come from.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> Moment;
}

/// A clock that stands still until it is told otherwise; every reading is one millisecond later
/// than the last, so that frames made in one test differ.
#[derive(Debug, Default)]
pub struct TickingClock(std::sync::atomic::AtomicU64);

impl TickingClock {
    /// A clock whose first reading is `start`.
    #[must_use]
    pub fn starting_at(start: u64) -> Self {
        Self(start.into())
    }
}

impl Clock for TickingClock {
    fn now(&self) -> Moment {
        Moment(self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
    }
}
