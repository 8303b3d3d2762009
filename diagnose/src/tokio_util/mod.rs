//! A drop-in for tokio-util that records waits for tokens, and their possible cancellers.
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
//! Everything is re-exported. The wrapped types are in [`sync`].
//!
//! Without the feature `on` this module is tokio-util itself.

pub mod sync;

pub use ::tokio_util::*;
