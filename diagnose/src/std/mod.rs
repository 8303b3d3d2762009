//! The standard library, with its locks and channels on record: a drop-in for the crate of that name.
//!
//! ```
//! use diagnose::std::sync::Mutex;
//!
//! let mutex = Mutex::new(1);
//! *mutex.lock().unwrap() = 2;
//! assert_eq!(*mutex.lock().unwrap(), 2);
//! ```
//! Everything is re-exported; what is wrapped is in [`sync`]. These block a thread, and a task that meets one blocks its
//! worker with it: what is on record of them says which, and who has what it waits for.
//!
//! Without the feature `on` this module is the standard library itself.

pub mod sync;

pub use ::std::*;
