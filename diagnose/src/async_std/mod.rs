//! A drop-in for async-std that records its tasks.
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
//! Everything of async-std is re-exported, including attributes and macros. The spawning functions
//! of [`task`] are wrapped, and so is `block_on`, whose future is the task `main`. A task named by
//! `Builder::name` is listed under that name.
//!
//! With the feature `async-lock`, the locks in `sync` are those of
//! [`async_lock`](crate::async_lock), which record their holders and waiters.
//!
//! Without the feature `on` this module is async-std itself.

#[cfg(feature = "async-lock")]
pub mod sync;
pub mod task;

pub use ::async_std::*;
