use std::cell::{Cell, RefCell};
use std::sync::Mutex;

use super::*;

/// Tries something that fails so often in this way; gives what came of it, how often it was tried
/// and how long was waited.
fn tried(failures: usize, failure: Failure) -> (bool, usize, Vec<Duration>) {
    let slept = Mutex::new(Vec::new());
    let sleep = |delay| slept.lock().unwrap().push(delay);
    let retry = Retry { sleep: &sleep, ..Retry::default() };
    let (count, told) = (Cell::new(0), RefCell::new(Vec::new()));
    let result = retry.persist(&|step| told.borrow_mut().push(format!("{step:?}")), &|| {
        count.set(count.get() + 1);
        let failed = || Failed { failure, detail: "said".to_owned() };
        Ok(if count.get() > failures { Ok(()) } else { Err(failed()) })
    });
    let slept = slept.into_inner().unwrap();
    assert_eq!(told.borrow().len(), slept.len());
    (result.unwrap().is_ok(), count.get(), slept)
}

#[test]
fn what_may_pass_is_tried_four_times_and_nothing_else_twice() {
    // P2
    let all = RETRY_DELAYS.to_vec();
    assert_eq!(tried(0, Failure::Transient), (true, 1, Vec::new()));
    assert_eq!(tried(2, Failure::Transient), (true, 3, all[..2].to_vec()));
    assert_eq!(tried(3, Failure::RateLimited), (true, 4, all.clone()));
    assert_eq!(tried(9, Failure::Transient), (false, 4, all));
    for failure in [Failure::Authentication, Failure::NotFound, Failure::NoSpace, Failure::Other] {
        assert_eq!(tried(9, failure), (false, 1, Vec::new()), "{failure:?}");
    }
}
