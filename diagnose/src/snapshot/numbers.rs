//! Hash tables keyed by internal numbers, with a fast hash.
//!
//! The crate chooses these numbers, so the hash need not resist attacks.

pub(super) use diagnose_reports::Index;

/// A table keyed by numbers, or by tuples of them.
pub(super) type Table<K, V> = rustc_hash::FxHashMap<K, V>;
