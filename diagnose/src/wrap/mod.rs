//! The toolkit of the wrappers: what they would otherwise all write out by hand.
//!
//! A wrapper keeps an original beside its record, and tells [`waits`](crate::waits) what happens to it. Most of its methods
//! only pass on to the original. A macro here writes those, so that a primitive's file names what it delegates and writes
//! out what it records.

mod guard;
mod owned;
mod part;

pub(crate) use guard::{guard, owned_guard, shown};
pub(crate) use owned::{Kind, Owned, Words, owned_kinds, pair};
pub(crate) use part::{owned_part, part};
