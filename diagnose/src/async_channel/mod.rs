//! A drop-in for async-channel that records the owners and waiters of channel ends.
//!
//! ```
//! use diagnose::async_channel;
//!
//! # futures::executor::block_on(async {
//! let (sender, receiver) = async_channel::bounded(1);
//! sender.send("hello").await.unwrap();
//! assert_eq!(receiver.recv().await, Ok("hello"));
//! # });
//! ```
//! Everything of async-channel is re-exported. Senders and receivers, weak ones included, and their
//! futures are wrapped. Each contains the original, which does the sending, waiting and waking.
//!
//! A wrapper derefs to the original, and `From` converts both ways. Uses of the original are not
//! recorded. With the feature `smol` this is `diagnose::smol::channel` too.
//!
//! Without the feature `on` this module is async-channel itself.

// The originals lack `#[must_use]`, and wrapping them must not add warnings.
#![allow(clippy::must_use_candidate)]

mod futures;
mod make;
mod receiver;
mod sender;
mod weak;

pub use self::futures::{Closed, Recv, Send};
pub use self::make::{bounded, unbounded};
pub use self::receiver::Receiver;
pub use self::sender::Sender;
pub use self::weak::{WeakReceiver, WeakSender};
pub use ::async_channel::*;
