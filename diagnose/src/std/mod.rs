//! A drop-in for the standard library that records the use of its locks and channels.
//!
//! ```
//! use diagnose::std::sync::Mutex;
//!
//! let mutex = Mutex::new(1);
//! *mutex.lock().unwrap() = 2;
//! assert_eq!(*mutex.lock().unwrap(), 2);
//! ```
//! Everything of `std` is re-exported; the wrapped types are in [`sync`]. They block a thread, so a
//! task that waits for one blocks its worker. The record names that task and the current holder.
//!
//! Without the feature `on` this module is the standard library itself.

pub mod sync;

pub use ::std::*;
