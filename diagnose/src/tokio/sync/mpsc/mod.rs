//! `tokio::sync::mpsc`, with senders, receivers and waits recorded. The rest is tokio's own.
//!
//! `From` wraps one of tokio's own ends, which stays unrecorded. `.into()` returns tokio's own end.
//! Once an end was converted, the channel may have owners that are not on record.
#![allow(clippy::must_use_candidate)] // Only the methods that tokio marks are `must_use`.

mod bounded;
mod permit;
mod receiver;
mod sender;
mod unbounded;
mod weak;

pub use self::bounded::{Receiver, channel};
pub use self::permit::{OwnedPermit, Permit, PermitIterator};
pub use self::sender::Sender;
pub use self::unbounded::{UnboundedReceiver, UnboundedSender, unbounded_channel};
pub use self::weak::{WeakSender, WeakUnboundedSender};
pub use ::tokio::sync::mpsc::*;
