//! tokio-util, with who waits for its tokens, and who could cancel them, on record: a drop-in for the crate of that name.
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
//! Everything is re-exported; what is wrapped stands in [`sync`].
//!
//! Without the feature `on` this module is tokio-util itself.

pub mod sync;

pub use ::tokio_util::*;
