//! The secret a client has to know.

use std::fmt;
use std::hint::black_box;

use metier_store::digest::sha256;

use crate::limits::{MAX_TOKEN_BYTES, MIN_TOKEN_BYTES};

/// A bearer token. It is compared in the same time whatever it is compared with, and never shown.
#[derive(Clone)]
pub struct Token([u8; 32]);

/// Why a text is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// So short that somebody could guess it.
    #[error("the token has fewer than {MIN_TOKEN_BYTES} characters")]
    TooShort,
    /// Longer than a header should be.
    #[error("the token has more than {MAX_TOKEN_BYTES} characters")]
    TooLong,
    /// A character that a header cannot carry.
    #[error("the token has a character that is not a visible ASCII one")]
    Character,
}

impl Token {
    /// The token in `text`, white space around it aside.
    pub fn parse(text: &str) -> Result<Self, TokenError> {
        let text = text.trim();
        if text.len() < MIN_TOKEN_BYTES {
            return Err(TokenError::TooShort);
        }
        if text.len() > MAX_TOKEN_BYTES {
            return Err(TokenError::TooLong);
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(TokenError::Character);
        }
        Ok(Self(sha256(text.as_bytes())))
    }

    /// Whether the header's value is `Bearer` and this token.
    pub(super) fn is_in(&self, header: &[u8]) -> bool {
        let Some((scheme, given)) = header.split_at_checked(7) else { return false };
        // Digests have one length, so that not even the length of the token is told.
        scheme.eq_ignore_ascii_case(b"bearer ") && equal(&self.0, &sha256(given.trim_ascii()))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Whether both are the same, looked at to the end in any case.
fn equal(one: &[u8; 32], other: &[u8; 32]) -> bool {
    let difference = one.iter().zip(other).fold(0, |sum, (a, b)| sum | black_box(a ^ b));
    black_box(difference) == 0
}

#[cfg(test)]
#[path = "token_tests.rs"]
mod tests;
