//! `tokio::sync::mpsc`, with senders, receivers and waits recorded. The rest is tokio's own.
//!
//! `From` converts an end of tokio's, which stays unrecorded, and `into_inner` returns tokio's own.
//! Once an end was converted, the owners of its channel are not all known.
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
