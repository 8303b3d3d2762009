//! `tokio::time`: timers of which it is on record when they are due; the rest is tokio's own.

#![allow(clippy::must_use_candidate)] // A caller is warned where the original warns.

mod due;
mod interval;
mod sleep;
mod timeout;

pub use self::interval::{Interval, interval, interval_at};
pub use self::sleep::{Sleep, sleep, sleep_until};
pub use self::timeout::{Timeout, timeout, timeout_at};
pub use ::tokio::time::*;
