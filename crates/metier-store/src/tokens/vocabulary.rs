//! The tokenizer's vocabulary as a table that is part of the program: nothing is decoded or built
//! when it is first needed, only the pages that are looked at are read.

use super::slot::{EMPTY, NUMBER_BITS, SLOTS, place};

/// The bytes of all tokens, one after the other, by their numbers.
static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tokens.bytes"));

/// Where each token ends in them.
static ENDS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tokens.ends"));

/// The numbers of the tokens, by what they hash to.
static TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tokens.table"));

/// The number of `token`; the lower it is, the earlier its halves are joined.
pub(super) fn number(token: &[u8]) -> Option<u32> {
    let (start, tag) = place(token);
    let slots = (start..SLOTS).chain(0..start).map(|slot| word(TABLE, slot));
    let taken = slots.take_while(|slot| *slot != Some(EMPTY)).flatten();
    let mut alike = taken.filter(|slot| slot >> NUMBER_BITS == tag);
    alike.find_map(|slot| {
        let number = slot & ((1 << NUMBER_BITS) - 1);
        (bytes(number)? == token).then_some(number)
    })
}

fn bytes(number: u32) -> Option<&'static [u8]> {
    let number = usize::try_from(number).ok()?;
    let start = match number.checked_sub(1) {
        Some(before) => word(ENDS, before)?,
        None => 0,
    };
    let end = word(ENDS, number)?;
    BYTES.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
}

fn word(words: &[u8], index: usize) -> Option<u32> {
    let bytes = words.get(index * 4..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}
