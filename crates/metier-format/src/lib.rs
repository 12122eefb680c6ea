//! `SKILL.md` text to a typed skill plus diagnostics.
//!
//! This crate does no I/O of any kind: bytes come in, values and findings go out. Start reading at
//! [`parse()`]; `frontmatter` finds the fences, `yaml` makes a tree, `repair` mends what real files
//! get wrong, `validate` turns the tree into a [`Manifest`] by the table in `field`, `lint` gives
//! advice, `report` prints.

pub mod diagnostic;
pub mod field;
pub mod fix;
pub mod frontmatter;
pub mod json;
pub mod limits;
pub mod lint;
pub mod manifest;
pub mod name;
pub mod parse;
mod place;
pub mod repair;
pub mod report;
pub mod span;
pub mod text;
pub mod tool_pattern;
pub mod validate;
pub mod yaml;

pub use diagnostic::{Code, Diagnostic, Edit, Mode, Severity};
pub use manifest::Manifest;
pub use name::{NameKey, SkillName};
pub use parse::{Glance, Parsed, glance, parse, parse_frontmatter};
pub use span::{Position, Span, Spanned};
pub use tool_pattern::{AllowedTools, ToolPattern};
