//! Findings: what to look at first, most urgent first. One rule per file.
//!
//! ```text
//! finding rule   the types: a sentence with number, place, next step and evidence
//! stuck          the verdicts
//! rank           calls all rules, removes repetitions, sorts, keeps ten
//! ```
//! A rule is silent unless it is sure: on a healthy program no rule fires.

mod finding;
mod rank;
mod rule;
mod stuck;

pub use finding::{Evidence, Finding, Severity};
pub use rule::Rule;
