//! Detects a `Pending` that tokio forced because the task's budget is used up.

/// Returns whether the `Pending` just returned was forced, because the task has used up its budget.
pub(in crate::tokio) fn is_forced() -> bool {
    !::tokio::task::coop::has_budget_remaining()
}

/// Always `false`: a wait for a semaphore's permits is never forced. If the budget is used up, the
/// future has its permits already, so each later wake is a grant.
pub(in crate::tokio) fn is_never_forced() -> bool {
    false
}
