//! `std::sync::mpsc`, with a record of each end's owner and its blocked threads.
//!
//! Errors are the standard library's own. A thread is recorded as blocked only while it blocks.

mod iter;
mod make;
mod receiver;
mod sender;

pub use ::std::sync::mpsc::*;

pub use self::iter::{IntoIter, Iter, TryIter};
pub use self::make::{channel, sync_channel};
pub use self::receiver::Receiver;
pub use self::sender::{Sender, SyncSender};
