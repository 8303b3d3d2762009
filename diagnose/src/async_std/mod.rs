//! async-std, with its tasks on record: a drop-in for the crate of that name.
//!
//! ```
//! use diagnose::async_std;
//!
//! let answer = async_std::task::block_on(async {
//!     let task = async_std::task::spawn(async { 42 });
//! #   #[cfg(feature = "on")]
//!     println!("{}", diagnose::tree());
//!     task.await
//! });
//! assert_eq!(answer, 42);
//! ```
//! Everything is re-exported, attributes and macros included. What spawns in [`task`] is wrapped, and so is `block_on`,
//! whose future is the task `main`. A task that has a name by `Builder::name` is listed under it.
//!
//! With the feature `async-lock`, the locks in `sync` are those of [`async_lock`](crate::async_lock), which are on record.
//!
//! Without the feature `on` this module is async-std itself.

#[cfg(feature = "async-lock")]
pub mod sync;
pub mod task;

pub use ::async_std::*;
