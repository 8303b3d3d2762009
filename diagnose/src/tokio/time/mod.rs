//! `tokio::time`, with the deadlines of waits recorded. The rest is tokio's own.

#![allow(clippy::must_use_candidate)] // Only the methods that tokio marks are `must_use`.

mod due;
mod interval;
mod sleep;
mod timeout;

pub use self::interval::{Interval, interval, interval_at};
pub use self::sleep::{Sleep, sleep, sleep_until};
pub use self::timeout::{Timeout, timeout, timeout_at};
pub use ::tokio::time::*;
