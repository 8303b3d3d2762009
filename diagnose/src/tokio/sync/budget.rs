//! tokio's cooperative budget: a task that has used it up is made to yield.

/// Whether a future that has just returned `Pending` was made to, because its task has used up its budget.
pub(crate) fn is_forced() -> bool {
    !::tokio::task::coop::has_budget_remaining()
}
