//! A drop-in for flume that records the owners and waiters of channel ends.
//!
//! ```
//! use diagnose::flume;
//!
//! let (sender, receiver) = flume::bounded(1);
//! sender.send("hello").unwrap();
//! assert_eq!(receiver.recv(), Ok("hello"));
//! ```
//! Everything of flume is re-exported. Senders and receivers are wrapped, with their futures,
//! streams and iterators. Each contains the original, which does the sending, waiting and waking. A
//! `Selector` accepts them too, but neither its wait nor its messages are recorded.
//!
//! A wrapper derefs to the original, and `From` converts both ways. Uses of the original are not
//! recorded.
//!
//! Without the feature `on` this module is flume itself.

// The originals lack `#[must_use]`, and wrapping them must not add warnings.
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
