//! How much memory JSON would take, told from its text before anybody reads it into values. A value in
//! memory is far larger than two brackets on the wire, so that a bound on bytes alone bounds little.
//!
//! Nothing is parsed here: what stands between the values is counted, in one pass and without memory.
//! In text that is no JSON at least as much is counted as a reader builds before it finds that out.
//! Start reading at [`weigh`].

use crate::limits::MAX_JSON_MEMORY;

/// What a list takes besides what is in it: room for four values.
const LIST: usize = 320;

/// What an object takes besides what is in it: room for three members, and a table of their names.
const OBJECT: usize = 480;

/// What one more value takes, in a list that has grown to twice what it holds.
const VALUE: usize = 160;

/// What a member's name takes besides its letters.
const NAME: usize = 64;

/// The values of a text would take more memory than there is for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it has more values than fit into {} MiB of memory", MAX_JSON_MEMORY >> 20)]
pub struct TooHeavy;

/// Says whether the values in `text` fit into [`MAX_JSON_MEMORY`]; their letters are bounded by the
/// text itself. Linear.
pub fn weigh(text: &[u8]) -> Result<(), TooHeavy> {
    let (mut weight, mut rest) = (0_usize, text.iter());
    while let Some(byte) = rest.next() {
        weight += match byte {
            b'"' => {
                rest = behind_string(rest.as_slice()).iter();
                continue;
            }
            b'[' => LIST,
            b'{' => OBJECT,
            b',' => VALUE,
            b':' => NAME,
            _ => continue,
        };
        if weight > MAX_JSON_MEMORY {
            return Err(TooHeavy);
        }
    }
    Ok(())
}

/// What is behind the string that begins `text`; nothing when it does not end.
fn behind_string(mut text: &[u8]) -> &[u8] {
    while let Some(at) = memchr::memchr2(b'"', b'\\', text) {
        let escaped = usize::from(text.get(at) == Some(&b'\\'));
        text = text.get(at + 1 + escaped..).unwrap_or_default();
        if escaped == 0 {
            return text;
        }
    }
    &[]
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
