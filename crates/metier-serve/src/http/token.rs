//! The secret a client has to know.

use std::fmt;
use std::hint::black_box;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
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

    /// Whether both are the same token.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        equal(&self.0, &other.0)
    }

    /// Whether the header's value is `Bearer` and this token, or `Basic` and this token as the
    /// password, which is what programs send that keep it in `.netrc`.
    pub(super) fn is_in(&self, header: &[u8]) -> bool {
        let at = header.iter().position(|byte| *byte == b' ').unwrap_or(header.len());
        let (scheme, given) = header.split_at(at);
        let given = given.trim_ascii();
        if scheme.eq_ignore_ascii_case(b"bearer") {
            return self.is(given);
        }
        let both = decoded(given).filter(|_| scheme.eq_ignore_ascii_case(b"basic"));
        let both = both.unwrap_or_default();
        let colon = both.iter().position(|byte| *byte == b':');
        colon.and_then(|at| both.get(at + 1..)).is_some_and(|password| self.is(password))
    }

    fn is(&self, given: &[u8]) -> bool {
        // Digests have one length, so that not even the length of the token is told.
        equal(&self.0, &sha256(given))
    }
}

/// The bytes that base64 stands for; none when it stands for nothing. Clients write it with padding
/// or without.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let padding = DecodePaddingMode::Indifferent;
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(padding);
    GeneralPurpose::new(&STANDARD, config).decode(text).ok()
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
