//! What hangs: who can still make progress, and why the others cannot.
//!
//! ```text
//! facts     the snapshot's numbers, looked up
//! families  which tasks may have been handed the same
//! numbers   tables by numbers
//! gates     the least fixed point: what opens, if nothing opens without a reason
//! system    from tasks and waits to gates. rules: one per kind of wait
//! shared    the gates of resources. lines: who stands before whom. threads: those of threads, workers and pools.
//!           arms: those of arms of a `join!`
//! stuck     what is left closed: groups that wait for each other, root causes, what waits behind them
//! kinds     what each group is. plausible: which of several reasons is shown. demand: whether anybody minds
//! callers   by which calls a wait was reached.
//! chain     the way through it, as links and as a sentence. words: what things are called. endings: what follows
//! branches  futures of one task that wait for each other
//! remarks   what is seen without a proof; hazards: what may become a hang; silent: waits that nothing is heard of; timers: late ones;
//!           sleepers: threads that sleep; unexplained: waits at what is not on record
//! remedies  what to change, for each kind
//! solve     all of it, as a list of verdicts. steps: counts what that takes, in tests
//! ```

mod arms;
mod branches;
mod callers;
mod chain;
mod demand;
mod endings;
mod facts;
mod families;
mod gates;
mod hazards;
mod kinds;
mod lines;
mod numbers;
mod plausible;
mod remarks;
mod remedies;
mod rules;
mod shared;
mod silent;
mod sleepers;
mod solve;
mod steps;
mod stuck;
mod system;
mod threads;
mod timers;
mod unexplained;
mod verdict;
pub(crate) mod words;

pub(crate) use facts::is_pending;
pub use verdict::{Confidence, Link, LinkNode, LinkRole, Verdict, VerdictDetail, VerdictKind};
