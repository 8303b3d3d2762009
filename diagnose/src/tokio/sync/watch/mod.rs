//! `tokio::sync::watch`, with senders, receivers, waits and borrows recorded. The rest is tokio's
//! own.

#![allow(clippy::must_use_candidate)] // Only the methods that tokio marks are `must_use`.

mod receiver;
mod sender;
mod value;

pub use self::receiver::Receiver;
pub use self::sender::{Sender, channel};
pub use self::value::Ref;
pub use ::tokio::sync::watch::*;
