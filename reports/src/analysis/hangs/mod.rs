//! Hangs: which tasks can still make progress, and why the others cannot.
//!
//! ```text
//! facts ─▶ system ─▶ stuck ──────▶ verdict ─▶ words ─────▶ warnings
//! ids      graph     components    kinds      sentences    without a proof
//! ```
//! `solve` calls these modules in this order. Each module imports only modules before it.

mod facts;
mod solve;
mod stuck;
mod system;
mod verdict;
mod warnings;
pub(crate) mod words;

pub(crate) use facts::is_pending;
pub(crate) use verdict::alike;
pub use verdict::{Confidence, Link, LinkNode, LinkRole, Verdict, VerdictDetail, VerdictKind};
