use super::{Broke, aside};
use crate::mcp::sdk::ErrorData;

#[test]
fn work_that_breaks_off_is_told_as_a_bug_and_takes_nobody_with_it() {
    // U2, U3
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let broke = runtime.block_on(aside(|| -> u8 { panic!("as bugs do") }));
    assert_eq!(broke, Err(Broke));
    assert_eq!(runtime.block_on(aside(|| 7)), Ok(7));
    assert_eq!(ErrorData::from(Broke).message, "this is a bug in metier");
}
