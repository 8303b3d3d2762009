//! Pseudo-random numbers that are the same for a seed on every machine.

/// A generator of the xorshift family (Marsaglia 2003), with Steele and Vigna's finishing
/// multiplication.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Creates the generator of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        // Never zero, and different for neighboring seeds.
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A random number below `end`, which must not be zero.
    pub fn below(&mut self, end: usize) -> usize {
        let end = end as u64;
        usize::try_from((self.next() >> 16) % end).unwrap_or(0)
    }

    /// Returns `true` with a probability of `share` percent.
    pub fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    /// A random index below `end`, if there is any.
    pub fn index(&mut self, end: usize) -> Option<usize> {
        (end > 0).then(|| self.below(end))
    }

    /// A random number from 1 to `most`.
    pub fn units(&mut self, most: u32) -> u32 {
        1 + u32::try_from(self.below(most as usize)).unwrap_or(0)
    }

    /// A list of random length below `end`.
    pub fn list<T>(&mut self, end: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(end)).map(|_| make(self)).collect()
    }
}
