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

/// The bytes that base64 stands for; none when it stands for nothing.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let text = text.strip_suffix(b"==").or(text.strip_suffix(b"=")).unwrap_or(text);
    let mut bytes = Vec::new();
    for group in text.chunks(4) {
        let mut bits: u32 = 0;
        for byte in group {
            let value = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        let missing = 4_u32.saturating_sub(u32::try_from(group.len()).ok()?);
        let [_, one, two, three] = (bits << (6 * missing)).to_be_bytes();
        bytes.extend([one, two, three].into_iter().take(group.len().checked_sub(1)?));
    }
    Some(bytes)
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
