//! The imports of the programs: the wrappers, each under the name of its original.
//!
//! With the originals instead, the programs hang or end in the same way.

pub(crate) use diagnose::async_channel;
pub(crate) use diagnose::async_lock;
pub(crate) use diagnose::flume;
pub(crate) use diagnose::futures;
pub(crate) use diagnose::parking_lot;
pub(crate) use diagnose::smol;
pub(crate) use diagnose::std::sync as std_sync;
pub(crate) use diagnose::tokio;
pub(crate) use diagnose::tokio_util;
