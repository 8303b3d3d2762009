//! Time as the recorder reads it: raw ticks, converted to nanoseconds at a capture.
//!
//! Reading the clock is nine tenths of the cost of recording a poll, so the cheapest trustworthy
//! counter is used. That is the time-stamp counter on x86-64 where the Linux kernel itself keeps
//! time with it, the architectural counter on aarch64, and [`std::time::Instant`] elsewhere. The
//! choice is made once, at the first reading.
//!
//! A tick is a plain `u64`. It is never zero and never runs backwards on one thread. Two threads
//! agree on it up to the time that a cache line takes between them, so subtractions saturate.

mod counter;
#[cfg(feature = "manual-clock")]
pub mod manual;
mod scale;
mod segments;
mod source;

pub(crate) use scale::{Scale, jumps};
pub use source::now;
pub(crate) use source::{due_in, instant_ns, name, origin, read_counter, since_origin};
