//! Hash maps by ids. Nobody chooses ids to attack a hash, so a fast one is enough.

use std::hash::Hash;

/// A map by ids, or by a few of them.
pub(crate) type IdMap<K, V> = rustc_hash::FxHashMap<K, V>;
/// A set of ids.
pub(crate) type IdSet<K> = rustc_hash::FxHashSet<K>;

/// An empty map with room for `count` entries.
pub(crate) fn with_capacity<K: Eq + Hash, V>(count: usize) -> IdMap<K, V> {
    IdMap::with_capacity_and_hasher(count, rustc_hash::FxBuildHasher)
}
