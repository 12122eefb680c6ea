//! The clock frames are dated by. Nothing else here knows what time it is.

#![expect(clippy::disallowed_methods, reason = "this module is the door to the system's clock")]

use std::fmt::Write as _;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use metier_runtime::{Clock, Moment};

/// The system's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Moment {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Moment(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

/// Measures how long a process has been at something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts now.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// The time since.
    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

/// A moment as people read it, in UTC: `2031-05-06 07:08:09`.
pub(crate) fn shown(moment: Moment) -> String {
    let seconds = moment.0 / 1000;
    let (year, month, day) = date(seconds / 86_400);
    let time = seconds % 86_400;
    let mut text = format!("{year:04}-{month:02}-{day:02}");
    let _ = write!(text, " {:02}:{:02}:{:02}", time / 3600, time / 60 % 60, time % 60);
    text
}

/// Year, month and day of a day counted from 1970-01-01. Years are counted from March, so that the
/// leap day is the last of its year, in eras of 400 years, which all have the same days.
fn date(day: u64) -> (u64, u64, u64) {
    const ERA: u64 = 146_097;
    let shifted = day + 719_468;
    let (era, of_era) = (shifted / ERA, shifted % ERA);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + later, month, of_month)
}

#[cfg(test)]
#[path = "clock_tests.rs"]
mod tests;
