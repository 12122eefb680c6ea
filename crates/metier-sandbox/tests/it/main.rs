//! The sandbox as a caller has it, against the real kernel: what gets out, what stays behind, what
//! is used up. Programs in C make the attempts; they are compiled here.

#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests make files, start programs, look at the machine's processes and print what they \
              measured; whatever fails ends the test"
)]

mod escapes;
mod limits;
mod run;
mod suite;
mod tree;
mod world;
