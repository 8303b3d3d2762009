//! Tables by numbers that nobody chooses from outside: a multiplication instead of a hash that withstands attacks.

pub(super) use diagnose_reports::Index;

/// A table by numbers, or by what is made of few of them.
pub(super) type Table<K, V> = rustc_hash::FxHashMap<K, V>;
