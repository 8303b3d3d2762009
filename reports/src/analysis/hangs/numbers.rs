//! Tables by numbers that nobody chooses from outside: a multiplication instead of a hash that withstands attacks.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A table by numbers, or by what is made of few of them.
pub(super) type Table<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;
/// A set of these.
pub(super) type Set<K> = HashSet<K, BuildHasherDefault<Mix>>;

/// Mixes what is written into one number.
#[derive(Debug, Default)]
pub(super) struct Mix(u64);

/// Odd, with bits all over: that of the golden ratio.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        // The table looks at the lowest bits, and the highest are the best.
        self.0.rotate_left(26)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(FACTOR);
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    // The number of an enum's member.
    fn write_isize(&mut self, number: isize) {
        self.write_usize(number.unsigned_abs());
    }
}

/// A table of so many to come.
pub(super) fn with_capacity<K: Eq + Hash, V>(count: usize) -> Table<K, V> {
    Table::with_capacity_and_hasher(count, BuildHasherDefault::default())
}
