//! `std::sync::mpsc`: both kinds of channel, with who has which end, and which thread is blocked by it. Errors are the
//! standard library's own.
//!
//! A call that may block is tried first; only if it would block, the thread is put on record as blocked.

mod iter;
mod make;
mod receiver;
mod sender;

pub use ::std::sync::mpsc::*;

pub use self::iter::{IntoIter, Iter, TryIter};
pub use self::make::{channel, sync_channel};
pub use self::receiver::Receiver;
pub use self::sender::{Sender, SyncSender};
