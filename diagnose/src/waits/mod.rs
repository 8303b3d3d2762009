//! Who waits for whom: resources, who has a stake in them, and who waits. What the wrapped primitives tell.
//!
//! ```text
//! a wrapper ─┬ Resource ─▶ Record        one lock, channel, …: what it is, its counts, its queue
//!            ├ Stake                     a guard, a permit, a sender, a receiver: who took or used it last, and where
//!            └ Leaf ─ first Pending ─▶ Wait   a future that waits: in the record's queue, with a waker of its own
//! ```
//! A stake is a cell from a pool, found by readers through the number of its resource, like a slot of the live registry: what
//! is not contended takes no lock and reads no clock. Only what waits is put into a queue, and gets a waker that notes the
//! wake before it hands it on: at a fair lock that wake is the grant.

mod around;
mod blocked;
mod born;
mod borrowed;
mod end;
mod glance;
mod guard;
mod kept;
mod last;
mod leaf;
mod notified;
pub(crate) mod order;
mod own_code;
mod owned;
mod record;
mod resource;
#[cfg(test)]
pub(crate) mod seen;
mod stake;
mod usage;
mod users;
mod wait;
mod waiting;
mod what;

pub(crate) use around::{around, looks};
pub(crate) use blocked::Blocked;
#[cfg(feature = "tokio")]
pub(crate) use blocked::Shutdown;
pub(crate) use born::Maker;
pub(crate) use borrowed::Borrowed;
pub(crate) use end::{End, LastEnd};
pub(crate) use glance::{Glance, wait_parts};
pub(crate) use guard::{guard, guard_mut};
pub(crate) use kept::{Ask, Entered, Kept, Waits};
pub(crate) use last::Told;
pub(crate) use leaf::{Leaf, Target, Waited};
pub(crate) use notified::Notified;
pub(crate) use own_code::own_code;
pub(crate) use owned::{Lends, Owned, lends};
pub(crate) use record::{Forgot, Identity, Record, all_records};
pub(crate) use resource::{Resource, Shared};
pub(crate) use stake::{Role, Stake, Staked, all_stakes, over, stakes};
pub(crate) use usage::{Durations, Usage};
pub(crate) use users::Users;
pub(crate) use wait::{Mode, Wait};
pub(crate) use waiting::{Polled, Waiting, all_waits};
pub(crate) use what::{Kind, UNBOUNDED, What};

/// Whether a message of this type can carry a guard, a sender or the like away.
pub(crate) const fn carries<T>() -> bool {
    std::mem::needs_drop::<T>()
}
