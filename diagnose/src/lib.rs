//! The profiler for async Rust: where the time of your futures goes, busy and idle, by logical call path.
#![deny(unsafe_code)]
// Records are kept without the feature `reports` too, and then nothing in this crate reads them.
#![cfg_attr(not(feature = "reports"), allow(dead_code, unused_imports))]

mod block;
#[cfg(feature = "record")]
mod clock;
#[cfg(feature = "reports")]
mod config;
#[cfg(feature = "reports")]
mod dump;
#[cfg(feature = "record")]
mod env;
#[cfg(feature = "reports")]
mod exit;
#[cfg(feature = "record")]
mod label;
#[cfg(feature = "record")]
mod named;
#[cfg(not(feature = "record"))]
mod off;
#[cfg(feature = "record")]
mod pattern;
#[cfg(feature = "record")]
mod recorder;
#[cfg(feature = "reports")]
mod signal;
#[cfg(feature = "record")]
mod site;
#[cfg(feature = "reports")]
mod snapshot;
#[cfg(feature = "record")]
mod switch;
#[cfg(feature = "record")]
mod sync;
#[cfg(feature = "record")]
mod timed;
#[cfg(feature = "record")]
mod tree;

pub use diagnose_macros::diagnose;

#[cfg(feature = "manual-clock")]
pub use clock::manual as manual_clock;
#[cfg(feature = "reports")]
pub use config::{Builder, Signal, install};
#[cfg(feature = "reports")]
pub use diagnose_reports::{Error, Format, Report, View};
#[cfg(feature = "reports")]
pub use dump::{dump, dump_to};
#[cfg(feature = "record")]
pub use named::FutureExt;
#[cfg(not(feature = "record"))]
pub use off::{FutureExt, set_enabled};
#[cfg(feature = "reports")]
pub use snapshot::{Snapshot, reset, snapshot};
#[cfg(feature = "record")]
pub use switch::set_enabled;
#[cfg(feature = "record")]
pub use timed::Timed;

/// What the macros' output refers to. Not for use by hand, and not subject to semantic versioning.
#[cfg(feature = "record")]
#[doc(hidden)]
pub mod __private {
    pub use crate::clock::now;
    pub use crate::label::Label;
    pub use crate::recorder::{Frame, Span};
    pub use crate::site::{Kind, Site};
    pub use crate::timed::Timed;
}
