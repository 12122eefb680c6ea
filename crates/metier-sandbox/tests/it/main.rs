//! The sandbox as a caller has it, against the real kernel: what gets out, what stays behind, what
//! is used up. Programs in C make the attempts; they are compiled here.

#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests make files, start programs and look at the machine's processes"
)]

mod escapes;
mod limits;
mod run;
mod tree;
mod world;
