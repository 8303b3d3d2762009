//! Maps and sets in the order of their keys, compiled once for all types.
//!
//! For each pair of types, a dependent program would compile 4,000 lines of LLVM IR with the
//! standard library's `BTreeMap`. With this map it compiles 300, because only the comparison and
//! the list of entries are compiled per type. The methods are the subset of `BTreeMap`'s that is
//! used. Entries cannot be removed.

mod map;
mod order;
mod set;

pub use map::{Entry, OrderedMap};
pub use order::Iter;
pub use set::OrderedSet;
