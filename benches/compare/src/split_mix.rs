//! The pseudo-random numbers behind everything synthetic here.

/// SplitMix64 (Steele, Lea and Flood, 2014): the whole state is one counter.
///
/// ```
/// let mut numbers = toolgate_compare::split_mix::SplitMix64::new(1);
/// assert_eq!(numbers.next_u64(), 0x910A_2DEC_8902_5CC1);
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The sequence of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// The next number modulo `most`, or 0 if `most` is 0. The bias is below `most` / 2^64.
    pub const fn below(&mut self, most: u32) -> u32 {
        if most == 0 {
            return 0;
        }
        #[expect(clippy::cast_possible_truncation, reason = "a remainder of a u32 fits")]
        let remainder = (self.next_u64() % most as u64) as u32;
        remainder
    }
}
