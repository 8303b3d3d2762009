//! `tokio::io`: pipes in memory whose ends and waits are on record; the rest is tokio's own.

#![allow(clippy::must_use_candidate)] // A caller is warned where the original warns.

mod duplex;
mod pipe;
mod simplex;
mod stream;

pub use self::duplex::{DuplexStream, duplex};
pub use self::simplex::{SimplexStream, simplex};
pub use ::tokio::io::*;
