//! Hangs: which tasks can still make progress, and why the others cannot.
//!
//! ```text
//! facts ─▶ system ─▶ stuck ──────▶ verdict ─▶ words ─────▶ warnings
//! ids      graph     components    kinds      sentences    without a proof
//! ```
//! Data goes through the rooms in this order, and a room imports only rooms before it. `solve`
//! calls them.

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
