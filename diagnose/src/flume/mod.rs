//! flume, with who has the ends of its channels and who waits at them: a drop-in for the crate of that name.
//!
//! ```
//! use diagnose::flume;
//!
//! let (sender, receiver) = flume::bounded(1);
//! sender.send("hello").unwrap();
//! assert_eq!(receiver.recv(), Ok("hello"));
//! ```
//! Everything is re-exported. The senders and receivers are wrapped, with their futures, streams and iterators: each has the
//! original inside, which does the sending, the waiting and the waking as ever. A `Selector` takes them too, and then that
//! thread's wait and what it moves are not seen.
//!
//! A wrapper derefs to the original, and `From` converts both ways; what is sent through the original is not seen.
//!
//! Without the feature `on` this module is flume itself.

// The original's functions have none, and a program that is free of warnings shall stay so.
#![allow(clippy::must_use_candidate)]

pub mod r#async;
mod iter;
mod make;
mod part;
mod receiver;
mod receiving;
mod sender;
mod sending;

pub use self::iter::{Drain, IntoIter, Iter, TryIter};
pub use self::make::{bounded, unbounded};
pub use self::receiver::Receiver;
pub use self::sender::{Sender, WeakSender};
pub use ::flume::*;
