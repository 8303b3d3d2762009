//! futures, with who has the ends of its channels, who holds its locks and who waits for them: a drop-in for the crate of that
//! name.
//!
//! ```
//! use diagnose::futures;
//! use futures::channel::oneshot;
//! use futures::lock::Mutex;
//!
//! let (sender, receiver) = oneshot::channel();
//! let greetings = Mutex::new(Vec::new());
//! sender.send("hello").unwrap();
//! futures::executor::block_on(async {
//!     greetings.lock().await.push(receiver.await.unwrap());
//!     assert_eq!(*greetings.lock().await, ["hello"]);
//! });
//! ```
//! Everything is re-exported. What is wrapped stands in [`channel`] and [`lock`]: each wrapper has the original inside, which
//! does the sending, the locking, the waiting and the waking as ever. `BiLock` is not wrapped.
//!
//! A wrapper derefs to the original, and `From` converts both ways; what is sent or locked through the original is not seen.
//!
//! Without the feature `on` this module is futures itself.

// The originals' functions have none, and a program that is free of warnings shall stay so.
#![allow(clippy::must_use_candidate)]

pub mod channel;
pub mod lock;

pub use ::futures::*;
