//! `tokio::io`, with the ends and waits of in-memory pipes recorded. The rest is tokio's own.

#![allow(clippy::must_use_candidate)] // Only the methods that tokio marks are `must_use`.

mod duplex;
mod pipe;
mod simplex;
mod stream;

pub use self::duplex::{DuplexStream, duplex};
pub use self::simplex::{SimplexStream, simplex};
pub use ::tokio::io::*;
