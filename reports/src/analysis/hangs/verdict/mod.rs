//! What a verdict is, and which kind each stuck group is.
//!
//! ```text
//! Stuck ─▶ kinds     the kind of a group, and the path through it that is shown
//!          types     verdicts and their links, as users and saved files have them
//!          remedies  what to change, for each kind
//! ```
//! Links and sentences are made in `words`.

mod kinds;
mod remedies;
mod types;

pub(crate) use kinds::{Finding, classify, knot_holdings};
pub use types::{Confidence, Link, LinkNode, LinkRole, Verdict, VerdictDetail, VerdictKind};
