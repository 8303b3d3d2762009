//! async-channel, with who has the ends of its channels and who waits at them: a drop-in for the crate of that name.
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
//! Everything is re-exported. The senders and receivers, weak ones included, and their futures are wrapped: each has the
//! original inside, which does the sending, the waiting and the waking as ever.
//!
//! A wrapper derefs to the original, and `From` converts both ways; what is sent through the original is not seen. With the
//! feature `smol` this is also what is in `diagnose::smol::channel`.
//!
//! Without the feature `on` this module is async-channel itself.

// The original's functions have none, and a program that is free of warnings shall stay so.
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
