//! `futures::channel`: channels that record the owners and waits of their ends.

pub mod mpsc;
pub mod oneshot;

// Everything here is wrapped today; this re-exports the additions of later versions.
#[allow(unreachable_pub, unused_imports)]
pub use ::futures::channel::*;
