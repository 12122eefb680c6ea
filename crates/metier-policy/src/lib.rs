//! May this tool call happen? A pure answer from policy, active skills and the call.
pub mod limits;
pub mod verdict;
pub mod place;
pub mod shell;
mod glob;
pub mod url;
pub mod pattern;
pub mod host;
pub mod call;
pub mod programs;
