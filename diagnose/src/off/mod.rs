//! The crate without the feature `on`: every function exists, does nothing, and costs nothing.
//!
//! ```text
//! recording   FutureExt, spawn_with, task_attr, Resource, Hold, wait, within, set_enabled
//! reports     snapshot, dump, tree, … with the types that they take and return; format: the formats
//! alarms      the type of an alarm
//! serving     respond, with its response
//! model       verdicts and findings; no other data of a snapshot exists here
//! ```
//! So applications need no `cfg` around these calls. The types repeat a few of `diagnose-reports`,
//! which is not compiled here.

mod alarms;
mod block;
mod format;
pub mod model;
mod recording;
mod reports;
mod serving;
#[cfg(feature = "tracing-layer")]
mod tracing_layer;

pub use alarms::*;
pub use format::Format;
pub use recording::*;
pub use reports::*;
pub use serving::*;
#[cfg(feature = "tracing-layer")]
pub use tracing_layer::TracingLayer;

/// What expanded macros refer to. It is exempt from semantic versioning.
#[doc(hidden)]
pub mod __private {
    pub use super::block::block;
}

#[cfg(feature = "async-channel")]
#[doc(no_inline)]
pub use ::async_channel;
#[cfg(feature = "async-lock")]
#[doc(no_inline)]
pub use ::async_lock;
#[cfg(feature = "async-std")]
#[doc(no_inline)]
pub use ::async_std;
#[cfg(feature = "flume")]
#[doc(no_inline)]
pub use ::flume;
#[cfg(feature = "futures")]
#[doc(no_inline)]
pub use ::futures;
#[cfg(feature = "parking-lot")]
#[doc(no_inline)]
pub use ::parking_lot;
#[cfg(feature = "smol")]
#[doc(no_inline)]
pub use ::smol;
#[doc(no_inline)]
pub use ::std;
#[cfg(feature = "tokio")]
#[doc(no_inline)]
pub use ::tokio;
#[cfg(feature = "tokio-util")]
#[doc(no_inline)]
pub use ::tokio_util;
