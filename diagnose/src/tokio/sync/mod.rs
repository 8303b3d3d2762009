//! `tokio::sync`: who waits, who holds and who could send is on record; the rest is tokio's own.

pub mod mpsc;
pub mod oneshot;

pub use ::tokio::sync::*;

/// Whether a future that has just returned `Pending` was made to, because its task has used up its budget.
pub(super) fn is_forced() -> bool {
    !::tokio::task::coop::has_budget_remaining()
}
