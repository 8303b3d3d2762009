//! A drop-in for tokio-util that records waits for tokens and for tracked tasks.
//!
//! ```
//! use diagnose::tokio_util::sync::CancellationToken;
//!
//! # futures::executor::block_on(async {
//! let token = CancellationToken::new();
//! let child = token.child_token();
//! token.cancel();
//! child.cancelled().await;
//! # });
//! ```
//! Everything is re-exported. The wrapped types are in [`sync`] and [`task`].
//!
//! Without the feature `on` this module is tokio-util itself.

pub mod sync;
pub mod task;

pub use ::tokio_util::*;
