//! What can be wrong with a policy file.

use metier_format::Position;

use crate::limits::{MAX_POLICY_BYTES, MAX_RULES};

/// Why a policy file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {kind}", place.map(|p| format!(":{}:{}", p.line, p.column)).unwrap_or_default())]
pub struct PolicyError {
    /// The file.
    pub file: String,
    /// Where in it.
    pub place: Option<Position>,
    /// What is wrong.
    pub kind: PolicyErrorKind,
}

/// What can be wrong with a policy file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyErrorKind {
    /// It could not be read at all; for callers that read files.
    #[error("the policy cannot be read: {0}")]
    Unreadable(String),
    /// Larger than any policy.
    #[error("the policy is larger than {MAX_POLICY_BYTES} bytes")]
    TooLarge,
    /// More rules than are read.
    #[error("the policy has more than {MAX_RULES} rules")]
    TooManyRules,
    /// Not TOML.
    #[error("the policy is not valid TOML: {0}")]
    Syntax(String),
    /// A key nobody knows.
    #[error("unknown key `{key}`{}", suggestion.as_ref().map(|s| format!("; did you mean `{s}`?")).unwrap_or_default())]
    UnknownKey {
        /// The key.
        key: String,
        /// A known one that is spelled alike.
        suggestion: Option<String>,
    },
    /// A value of the wrong type.
    #[error("`{key}` must be {expected}")]
    WrongType {
        /// The key.
        key: String,
        /// What it must be.
        expected: &'static str,
    },
    /// A word that is not one of those expected.
    #[error("`{key}` is `{value}`, but must be one of {expected}")]
    UnknownValue {
        /// The key.
        key: String,
        /// The word.
        value: String,
        /// The words expected.
        expected: String,
    },
    /// A rule without a verdict.
    #[error("the rule has no `verdict`")]
    NoVerdict,
    /// A rule that is about nothing.
    #[error("the rule names no `pattern` and no `override`")]
    NoPattern,
    /// Two rules with one name.
    #[error("two rules are called `{0}`")]
    DuplicateId(String),
    /// A pattern that is not understood.
    #[error("the pattern `{pattern}` is not understood: {fault}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What about it.
        fault: String,
    },
    /// A rule that is not about an example in its `matches`.
    #[error("rule `{rule}` does not match its example `{example}`")]
    MissedExample {
        /// The rule.
        rule: String,
        /// The example.
        example: String,
    },
    /// A rule that is about an example in its `not_matches`.
    #[error("rule `{rule}` matches its counter-example `{example}`")]
    HitCounterExample {
        /// The rule.
        rule: String,
        /// The example.
        example: String,
    },
}
