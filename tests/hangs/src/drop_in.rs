//! What the programs import: the product's modules, each under the name of what it stands for.
//!
//! A primitive that the product does not wrap is the original under the same path, which is what the programs were checked
//! to hang, or to end, with: one line each.

pub(crate) use ::async_lock;
pub(crate) use ::std::sync as std_sync;
pub(crate) use diagnose::tokio;
