//! The imports of the programs: our modules, each under the name of its original.
//!
//! With the originals in their place the programs hang, or end, in the same way.

pub(crate) use diagnose::async_channel;
pub(crate) use diagnose::async_lock;
pub(crate) use diagnose::flume;
pub(crate) use diagnose::futures;
pub(crate) use diagnose::parking_lot;
pub(crate) use diagnose::std::sync as std_sync;
pub(crate) use diagnose::tokio;
pub(crate) use diagnose::tokio_util;
