//! `tokio::sync::broadcast`: channels whose receivers all get every message, with ends and waits
//! recorded; the rest is tokio's own.

#![allow(clippy::must_use_candidate, clippy::return_self_not_must_use)] // A caller is warned where the original warns.

mod receiver;
mod sender;

pub use self::receiver::Receiver;
pub use self::sender::{Sender, WeakSender, channel};
pub use ::tokio::sync::broadcast::*;
