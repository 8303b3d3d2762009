//! `tokio::sync::Notify` and its futures.

mod cell;
mod notified;

pub use self::cell::Notify;
pub use self::notified::{Notified, OwnedNotified};
