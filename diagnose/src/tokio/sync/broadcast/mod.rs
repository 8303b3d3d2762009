//! `tokio::sync::broadcast`, with channel ends and waits recorded. The rest is tokio's own.

// Only the methods that tokio marks are `must_use`.
#![allow(clippy::must_use_candidate, clippy::return_self_not_must_use)]

mod receiver;
mod sender;

pub use self::receiver::Receiver;
pub use self::sender::{Sender, WeakSender, channel};
pub use ::tokio::sync::broadcast::*;
