//! What a verdict is, and which kind of verdict each stuck component is.
//!
//! ```text
//! StuckGraph ─▶ kinds ─▶ Finding: a kind, and the path through the component
//!               types    verdicts and their links, as in the API and in saved files
//!               remedies what to change, per kind
//! ```
//! Links and sentences are made in `words`.

mod kinds;
mod remedies;
mod types;

pub(crate) use kinds::{Finding, classify, knot_holdings};
pub use types::{Confidence, Link, LinkNode, LinkRole, Verdict, VerdictDetail, VerdictKind};
