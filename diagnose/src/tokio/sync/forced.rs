//! Whether a `Pending` only says that the task has used up its budget.

/// Whether a future that has just returned `Pending` was made to, because its task has used up its budget.
pub(in crate::tokio) fn is_forced() -> bool {
    !::tokio::task::coop::has_budget_remaining()
}

/// A lock's `Pending` is never taken for a forced one. A future for units is put into the queue before it is asked whether
/// its task has budget left, and if it is held back for that, it has its units already: whenever it is woken, they are its own.
pub(in crate::tokio) fn is_never_forced() -> bool {
    false
}
