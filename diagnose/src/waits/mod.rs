//! Resources, their holdings and the waits at them. The wrapped primitives write these records;
//! snapshots and the watchdog read them. Nothing here judges whether a wait ends.
//!
//! ```text
//! a wrapper ─┬ Resource ─▶ Record      one lock, channel, …: its type, its counts, its queue
//!            ├ Holding                a guard, permit, sender, receiver: its last task and place
//!            └ LazyWait ─ first Pending ─▶ WaitCell   a waiting future: its queue, its own waker
//! ```
//! A holding is a cell from a pool, like a slot of the live registry. Readers find it by the number
//! of its resource, so an uncontended operation takes no lock. Only one such acquisition in 64
//! reads the clock. Only a wait enters a queue. The wait's waker records the wake before forwarding
//! it: at a fair lock, that wake is the grant.

// Each feature uses only a part.
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
mod creation;
mod glance;
mod holding;
mod holding_slot;
mod last_event;
mod lazy_wait;
mod leftover;
pub(crate) mod lock_order;
mod notifiers;
mod own_code;
mod past_use;
mod record;
mod resource;
mod resource_type;
#[cfg(test)]
pub(crate) mod test_view;
mod usage;
mod usage_places;
mod value_borrow;
mod wait_cell;
mod wait_copy;
mod wait_future;

pub(crate) use blocked_thread::{BlockedThread, CondvarWait};
pub(crate) use channel_end::{ChannelEnd, SoleEnd, carries};
pub(crate) use creation::Creator;
pub(crate) use glance::{Glance, wait_parts};
pub(crate) use holding::Holding;
pub(crate) use holding_slot::{HoldingCopy, Role, holdings, over};
pub(crate) use last_event::{LastEvent, LastNotify};
pub(crate) use lazy_wait::{Acquire, LazyWait, LazyWaitFuture, Polled};
pub(crate) use notifiers::Notifiers;
pub(crate) use own_code::{is_in_std, own_code};
pub(crate) use past_use::{PastKey, PastUse, past_uses, restart_usage, subtract_usage};
pub(crate) use record::{Record, RecordIdentity, all_records};
pub(crate) use resource::{Resource, Shared};
pub(crate) use resource_type::{ResourceKind, ResourceType, UNBOUNDED};
pub(crate) use usage::{Durations, Usage};
pub(crate) use usage_places::UsagePlace;
pub(crate) use value_borrow::ValueBorrow;
pub(crate) use wait_cell::{WaitCell, WaitMode};
pub(crate) use wait_copy::{WaitCopy, WaitProgress, all_waits};
pub(crate) use wait_future::{WaitFuture, WaitInfo, WaitTarget};
