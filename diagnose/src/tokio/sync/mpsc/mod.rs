//! `tokio::sync::mpsc`: channels whose senders, receivers and waits are on record; the rest is tokio's own.
//!
//! `From` makes an end that is not on record of one of tokio's own, and `into_inner` gives tokio's own back; a channel of
//! which an end has gone that way is one of which not everything is known.
#![allow(clippy::must_use_candidate)] // A caller is warned where the original warns.

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
