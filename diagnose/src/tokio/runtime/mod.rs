//! `tokio::runtime`, with tasks and worker threads listed. The rest is tokio's own.

mod builder;
mod handle;
mod local;
pub(crate) mod number;
mod owned;
mod shared;
mod shutdown;

pub(crate) use self::number::counted_tasks;

pub use self::builder::Builder;
pub use self::handle::Handle;
pub use self::local::LocalRuntime;
pub use self::owned::Runtime;
pub use ::tokio::runtime::*;
