//! The toolkit of the wrappers: what they would otherwise all write out by hand.
//!
//! A wrapper keeps an original beside its record, and tells [`waits`](crate::waits) what happens to
//! it. Most of its methods only pass on to the original. A macro here writes those, so that a
//! primitive's file names what it delegates and writes out what it records.
//!
//! ```text
//! delegate       methods that only pass on, and Debug
//! lock           From, Default, Deref of a lock or a cell
//! guard, part    a guard that borrows its lock, or owns it; map and try_map
//! owned          what a guard that owns its lock is made of: the only file of the wrappers with `unsafe`
//! acquiring      what a future that acquires for an owned guard is made of
//! turn           whose turn it is to initialise a cell
//! end            From, Debug, Clone, Deref of an end of a channel
//! ```
//!
//! A guard derefs to its value; one that owns its lock notes the look, as it may have changed its
//! task. A lock, a cell and an end of a channel deref to the original, and note that it may be used
//! unrecorded from then on: no verdict is proven that such a use could refute. Runtimes and sets of
//! tasks deref and note nothing, since the runtime counts their tasks. Futures do not deref.

// Each is used by a family, which is a feature; tokio's uses most of them.
#![cfg_attr(
    not(all(
        feature = "async-lock",
        feature = "flume",
        feature = "futures",
        feature = "parking-lot",
        feature = "tokio"
    )),
    allow(dead_code, unused_imports, unused_macros)
)]

mod acquiring;
mod delegate;
mod end;
mod guard;
mod lock;
mod owned;
mod part;
mod turn;

pub(crate) use acquiring::{Acquiring, poll_acquiring};
pub(crate) use delegate::{debug, delegate, looks};
pub(crate) use end::{around, around_sole, clone, convert_end, end};
pub(crate) use guard::{guard, owned_guard, shown};
pub(crate) use lock::{cell, compare, convert, default, deref, lock, share};
pub(crate) use owned::{Kind, Owned, Room, Words, owned_kinds, owned_wait};
pub(crate) use part::{owned_part, part};
pub(crate) use turn::Turn;
