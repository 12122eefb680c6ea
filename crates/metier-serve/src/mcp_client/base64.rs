//! Base64 as files come in it: the usual alphabet, padded, and nothing else between.

/// The bytes that `text` stands for; none when it stands for none.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let last = (text.len() / 4).checked_sub(1);
    for (number, group) in text.chunks_exact(4).enumerate() {
        let padding = group.iter().rev().take_while(|byte| **byte == b'=').count();
        if padding > 2 || (padding > 0 && Some(number) != last) {
            return None;
        }
        let mut bits: u32 = 0;
        for byte in group.get(..4 - padding)? {
            bits = bits << 6 | u32::from(value(*byte)?);
        }
        bits <<= 6 * padding;
        let [_, whole @ ..] = bits.to_be_bytes();
        let (kept, dropped) = whole.split_at(3 - padding);
        // What is dropped has to be nothing, or one file would have several spellings.
        if dropped.iter().any(|byte| *byte != 0) {
            return None;
        }
        bytes.extend_from_slice(kept);
    }
    Some(bytes)
}

fn value(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
#[path = "base64_tests.rs"]
mod tests;
