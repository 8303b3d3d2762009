//! The macros and types that all wrappers are built from.
//!
//! A wrapper has an original beside its record, and reports each operation to
//! [`waits`](crate::waits). Most of its methods only call the original. Macros here write those, so
//! that a primitive's file lists the methods it delegates and writes out the recorded ones.
//!
//! ```text
//! delegate       methods that only call the original, and Debug
//! lock           locks; From, Default, Deref of a lock or a cell
//! guard, part    guards that borrow or own their lock; map and try_map
//! owned          storage of a guard that owns its lock: the wrappers' only file with `unsafe`
//! future         futures that poll the original's and record its wait
//! acquiring      the state machine of a future that acquires an owned guard
//! turn           one call that initializes a cell or waits for its initialization
//! end            From, Debug, Clone, Deref of a channel end
//! ```
//!
//! A guard derefs to its value. An owned guard records that access, since it may have moved to
//! another task. A lock, a cell and a channel end that may have siblings deref to the original, and
//! record that it may be used without a record from then on: no verdict is proven that an
//! unrecorded use could refute. The only end of a channel's side records nothing: each use that
//! ends a wait needs the end or `&mut` of it, and Deref gives neither. Runtimes and task sets deref
//! unrecorded, since the runtime counts their tasks. Futures do not deref.

// Each macro serves the wrappers of some features; tokio's use most of them.
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
mod future;
mod guard;
mod lock;
mod owned;
mod part;
mod turn;

pub(crate) use acquiring::{Acquiring, poll_acquiring};
pub(crate) use delegate::{debug, delegate, looks};
pub(crate) use end::{around, around_sole, clone, convert_end, end};
pub(crate) use future::future;
pub(crate) use guard::{guard, owned_guard, shown};
pub(crate) use lock::{cell, compare, convert, convert_lock, default, deref, lock, share};
pub(crate) use owned::{Kind, Owned, Room, Words, owned_kinds, owned_wait};
pub(crate) use part::{owned_part, part};
pub(crate) use turn::Turn;
