//! Maps by id and by position. Ids come from the recorder, not from an attacker, so a fast hash is
//! enough.

use std::hash::Hash;

/// A map by ids, or by a few of them.
pub(crate) type IdMap<K, V> = rustc_hash::FxHashMap<K, V>;
/// A set of ids.
pub(crate) type IdSet<K> = rustc_hash::FxHashSet<K>;

/// An empty map with room for `count` entries.
pub(crate) fn with_capacity<K: Eq + Hash, V>(count: usize) -> IdMap<K, V> {
    IdMap::with_capacity_and_hasher(count, rustc_hash::FxBuildHasher)
}

/// A number for some positions of a list. There may be a million positions, but few of them have a
/// number. The memory of the others is allocated as zeros and never touched.
#[derive(Debug, Default)]
pub(crate) struct NumberOf(Vec<u32>);

impl NumberOf {
    /// Creates an empty list of numbers for `count` positions.
    pub(crate) fn new(count: usize) -> Self {
        Self(vec![0; count])
    }

    pub(crate) fn get(&self, position: usize) -> Option<usize> {
        self.0.get(position)?.checked_sub(1).map(|number| number as usize)
    }

    /// Sets the number of a position. It fits into 32 bits, because each record of a snapshot has
    /// only a few nodes.
    pub(crate) fn set(&mut self, position: usize, number: usize) {
        self.0[position] = u32::try_from(number + 1).unwrap_or(u32::MAX);
    }
}
