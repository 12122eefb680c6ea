//! What characters look like that are not plain but look so: a table that is part of the program and
//! has no addresses in it, so that starting the program does not touch it. It is written when the
//! program is built, from Unicode's table of confusables; what looks like anything but ASCII is left
//! out, since nobody asks.

/// The characters, four bytes each, sorted.
static CHARACTERS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/looks.characters"));

/// Where the look of each ends in the text, four bytes each.
static ENDS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/looks.ends"));

/// What they look like, one after the other.
static TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/looks.text"));

/// What `text` looks like, when that is ASCII. ASCII stays as it is.
pub(super) fn plain_look(text: &str) -> Option<String> {
    let mut look = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            look.push(c);
        } else {
            look.push_str(look_of(c)?);
        }
    }
    Some(look)
}

/// The ASCII that `c` looks like.
fn look_of(c: char) -> Option<&'static str> {
    let (mut low, mut high) = (0, CHARACTERS.len() / 4);
    while low < high {
        let middle = usize::midpoint(low, high);
        match word(CHARACTERS, middle)?.cmp(&u32::from(c)) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => {
                let start = middle.checked_sub(1).map_or(Some(0), |before| word(ENDS, before))?;
                return TEXT.get(start as usize..word(ENDS, middle)? as usize);
            }
        }
    }
    None
}

fn word(words: &[u8], index: usize) -> Option<u32> {
    words.get(index * 4..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
#[path = "look_tests.rs"]
mod tests;
