use signal_hook::consts::SIGINT;
use signal_hook::low_level::raise;

use super::Interrupt;
use crate::error::Kind;

#[test]
fn ctrl_c_is_noted_while_files_are_written_and_ends_the_work() {
    // U1, F5
    let interrupt = Interrupt::watch().unwrap();
    assert!(interrupt.check().is_ok());
    raise(SIGINT).unwrap();
    let error = interrupt.check().unwrap_err();
    assert_eq!((error.kind, error.kind.exit_code()), (Kind::Interrupted, 130));
}
