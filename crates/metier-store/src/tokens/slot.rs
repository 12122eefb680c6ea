//! Where a token stands in the table of tokens. The build script writes the table and
//! [`vocabulary`](super::vocabulary) reads it, both by what is said here.

/// Slots of the table, a power of two: a quarter of them stays empty.
pub(crate) const SLOTS: usize = 1 << 18;

/// Bits of a slot that are the token's number; the rest is its tag.
pub(crate) const NUMBER_BITS: u32 = 18;

/// A slot without a token. No number is that large.
pub(crate) const EMPTY: u32 = u32::MAX;

/// Where the search for a token begins, and the tag it has.
pub(crate) fn place(token: &[u8]) -> (usize, u32) {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in token {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    let mixed = hash ^ (hash >> 29);
    let start = usize::try_from(mixed % SLOTS as u64).unwrap_or_default();
    let tag = u32::try_from((mixed >> 40) % (1 << (32 - NUMBER_BITS))).unwrap_or_default();
    (start, tag)
}
