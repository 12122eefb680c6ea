//! What this crate promises to those who use it, seen from outside.

mod advice;
mod reports;
mod sarif;
