//! Pure functions from a [`Snapshot`](crate::Snapshot) to the numbers that reports print.
//!
//! ```text
//! tree        children, roots, self times: the base of the others
//! quantile    p50 and p99 of polls, from log2 histograms
//! latency     quantiles of calls, by function and label
//! hide        a snapshot without some of its nodes
//! paths       call paths with their own times: flame graphs and profiles
//! fold        stacks with a value
//! since       what was recorded between two snapshots
//! diff        functions of two sides, with medians, spreads and warnings
//! rows        one row per site: the table by function
//! labels      one row per site and label
//! long_polls  call paths with polls over a bound
//! lock_order  locks that were acquired in both orders
//! uses        the use of resources, also of those that are gone
//! merge       several snapshots added up into one
//! hangs       what can still make progress: verdicts
//! findings    what to look at first, one rule per file
//! ```
//! Nothing here does I/O or fails. A snapshot that contradicts itself gives odd numbers, but never
//! a panic.

#[cfg(feature = "compare")]
pub(crate) mod diff;
pub(crate) mod findings;
pub(crate) mod fold;
pub(crate) mod hangs;
pub(crate) mod hide;
pub(crate) mod labels;
pub(crate) mod latency;
pub(crate) mod lock_order;
pub(crate) mod long_polls;
#[cfg(feature = "compare")]
pub(crate) mod merge;
pub(crate) mod paths;
pub(crate) mod quantile;
pub(crate) mod rows;
pub(crate) mod since;
pub(crate) mod tree;
pub(crate) mod uses;
