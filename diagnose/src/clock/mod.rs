//! Time as the recorder reads it: raw ticks, turned into nanoseconds only at a capture.
//!
//! Reading the clock is nine tenths of what recording a poll costs, so the cheapest trustworthy counter is taken:
//! the time-stamp counter on x86-64 where the Linux kernel itself keeps time with it, the architectural counter on
//! aarch64, and [`std::time::Instant`] everywhere else. The choice is made once, at the first reading.
//!
//! A tick is a plain `u64`. It is never zero, never runs backwards on one thread, and two threads agree on it up to
//! the time a cache line takes between them; whoever subtracts saturates.

mod counter;
#[cfg(feature = "manual-clock")]
pub mod manual;
mod scale;
mod segments;
mod source;

#[cfg(feature = "tokio")]
pub(crate) use scale::tick_in;
pub(crate) use scale::{Scale, jumps};
pub use source::now;
pub(crate) use source::{name, origin};
