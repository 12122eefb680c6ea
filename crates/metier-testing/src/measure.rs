//! What benchmarks say about the machine they ran on. Times by the clock mean little on a machine
//! that others use; time on a processor and ratios in the same run mean something on any.

use std::time::Duration;

/// Length of a tick in which the kernel tells times of children.
const TICKS_PER_SECOND: u64 = 100;

/// The load of the machine in one line, and what it means for the figures below it.
#[must_use]
pub fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let loads: Vec<&str> = text.split(' ').take(3).collect();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let last: f64 = loads.first().and_then(|load| load.parse().ok()).unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "a machine has few processors")]
    let busy = last > processors as f64 / 2.0;
    let advice = if busy { "; others use it: go by processor time and ratios" } else { "" };
    format!("load {} on {processors} processors{advice}", loads.join(" "))
}

/// The time all children that ended and were waited for have spent on a processor.
#[must_use]
pub fn processor_time_of_children() -> Duration {
    let ticks = own_number(13) + own_number(14);
    Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND)
}

/// How often all children that ended and were waited for touched memory that was not there yet.
#[must_use]
pub fn faults_of_children() -> u64 {
    own_number(8)
}

/// A number of what the kernel tells about this process, counted from behind the program's name.
fn own_number(index: usize) -> u64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name, in parentheses, may hold anything.
    let rest = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    rest.split_whitespace().nth(index).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The time in milliseconds below which `percent` of the `times` lie, which are in order.
#[must_use]
pub fn percentile(times: &[Duration], percent: usize) -> f64 {
    let index = (times.len() * percent / 100).min(times.len().saturating_sub(1));
    times.get(index).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}
