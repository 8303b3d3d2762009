//! Who waits for whom: resources, who has a holding in them, and who waits. What the wrapped primitives tell.
//!
//! ```text
//! a wrapper ─┬ Resource ─▶ Record        one lock, channel, …: what it is, its counts, its queue
//!            ├ Holding                     a guard, a permit, a sender, a receiver: who took or used it last, and where
//!            └ LazyWait ─ first Pending ─▶ WaitCell   a future that waits: in the record's queue, with a waker of its own
//! ```
//! A holding is a cell from a pool, found by readers through the number of its resource, like a slot of the live registry: what
//! is not contended takes no lock and reads no clock. Only what waits is put into a queue, and gets a waker that notes the
//! wake before it hands it on: at a fair lock that wake is the grant.

// Shared by the wrappers: each feature uses its part.
#![cfg_attr(
    not(all(
        feature = "async-channel",
        feature = "async-lock",
        feature = "flume",
        feature = "futures",
        feature = "parking-lot",
        feature = "tokio-util"
    )),
    allow(dead_code, unused_imports, unused_macros)
)]

mod blocked_thread;
mod channel_end;
mod condvar_wait;
mod creation;
mod glance;
mod holding;
mod last_event;
mod lazy_wait;
pub(crate) mod lock_order;
mod notifiers;
mod own_code;
mod record;
mod resource;
mod resource_type;
#[cfg(test)]
pub(crate) mod test_view;
mod usage;
mod value_borrow;
mod wait_cell;
mod wait_copy;
mod wait_future;

pub(crate) use blocked_thread::BlockedThread;
#[cfg(feature = "tokio")]
pub(crate) use blocked_thread::RuntimeShutdown;
pub(crate) use channel_end::{ChannelEnd, SoleEnd, carries};
pub(crate) use condvar_wait::CondvarWait;
pub(crate) use creation::Creator;
pub(crate) use glance::{Glance, wait_parts};
pub(crate) use holding::{Holding, HoldingCopy, Role, all_holdings, holdings, over};
pub(crate) use last_event::{LastEvent, LastNotify};
pub(crate) use lazy_wait::{Acquire, AcquireArgs, LazyWait, LazyWaitFuture};
pub(crate) use notifiers::Notifiers;
pub(crate) use own_code::own_code;
pub(crate) use record::{Record, RecordIdentity, all_records};
pub(crate) use resource::{Resource, Shared};
pub(crate) use resource_type::{ResourceKind, ResourceType, UNBOUNDED};
pub(crate) use usage::{Durations, Usage};
pub(crate) use value_borrow::ValueBorrow;
pub(crate) use wait_cell::{WaitCell, WaitMode};
pub(crate) use wait_copy::{WaitCopy, WaitProgress, all_waits};
pub(crate) use wait_future::{WaitFuture, WaitInfo, WaitTarget};
