//! A drop-in for futures that records the owners and waiters of its channels and locks.
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
//! Everything of futures is re-exported. The wrapped types are in [`channel`] and [`lock`]. Each
//! contains the original, which does the sending, locking, waiting and waking. `BiLock` is not
//! wrapped.
//!
//! A wrapper derefs to the original, and `From` converts both ways. Uses of the original are not
//! recorded.
//!
//! Without the feature `on` this module is futures itself.

// The originals lack `#[must_use]`, and wrapping them must not add warnings.
#![allow(clippy::must_use_candidate)]

pub mod channel;
pub mod lock;

pub use ::futures::*;
