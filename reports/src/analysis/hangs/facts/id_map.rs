//! Tables by numbers that nobody chooses from outside: a multiplication instead of a hash that withstands attacks.

use std::hash::Hash;

/// A table by numbers, or by what is made of few of them.
pub(crate) type IdMap<K, V> = rustc_hash::FxHashMap<K, V>;
/// A set of these.
pub(crate) type IdSet<K> = rustc_hash::FxHashSet<K>;

/// A table of so many to come.
pub(crate) fn with_capacity<K: Eq + Hash, V>(count: usize) -> IdMap<K, V> {
    IdMap::with_capacity_and_hasher(count, rustc_hash::FxBuildHasher)
}
