//! Verdicts, and the classification of stuck components.
//!
//! ```text
//! StuckGraph ─▶ kinds, unnotified ─▶ hang   a kind, and the path through the component
//!
//! types         verdicts and their links, as in the API and in saved files
//! alike         which of them differ only in ids and times
//! owner_behind  a cycle with a task that may have what is missing, in place of a leak
//! remedies      what to change, per kind
//! ```
//! `words` builds the links and sentences.

mod alike;
mod hang;
mod kinds;
mod owner_behind;
mod remedies;
mod types;
mod unnotified;

pub(crate) use alike::alike;
pub(crate) use hang::Hang;
pub(crate) use kinds::{classify, knot_holdings};
pub use types::{Confidence, Link, LinkNode, LinkRole, Verdict, VerdictDetail, VerdictKind};
