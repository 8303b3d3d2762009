//! The types of resources, by library.

pub(crate) use diagnose_reports::model::ResourceKind;

/// A kind of resource in a library: one static per wrapped type.
#[derive(Debug)]
pub(crate) struct ResourceType {
    pub(crate) kind: ResourceKind,
    /// Name of the library's crate; empty for the program's own resources.
    pub(crate) library: &'static str,
    /// Whether a release hands the resource to the first in the queue, so that the wake is the
    /// grant.
    pub(crate) is_fair: bool,
    /// Whether its guards cannot leave their thread.
    pub(crate) is_thread_bound: bool,
    /// Returns whether the `Pending` just returned was forced, because the task has used up its
    /// budget.
    pub(crate) is_forced: fn() -> bool,
    /// Returns whether the `Pending` just returned has the units already: they were free, and the
    /// task has used up its budget.
    pub(crate) is_granted: fn() -> bool,
}

impl ResourceType {
    /// Creates an unfair type: other tasks may overtake a woken wait.
    pub(crate) const fn new(kind: ResourceKind, library: &'static str) -> Self {
        let (is_fair, is_thread_bound) = (false, false);
        Self { kind, library, is_fair, is_thread_bound, is_forced: || false, is_granted: || false }
    }

    /// Creates a type that hands a release to the first in its queue.
    pub(crate) const fn fair(kind: ResourceKind, library: &'static str) -> Self {
        Self { is_fair: true, ..Self::new(kind, library) }
    }

    /// Sets whether its guards cannot leave their thread.
    pub(crate) const fn thread_bound(self, is_thread_bound: bool) -> Self {
        Self { is_thread_bound, ..self }
    }

    /// Sets the check for a `Pending` that was forced by a used-up budget.
    pub(crate) const fn forced_by(self, is_forced: fn() -> bool) -> Self {
        Self { is_forced, ..self }
    }

    /// Sets the check for a first `Pending` that has the units already.
    #[cfg(feature = "tokio")]
    pub(crate) const fn granted_if(self, is_granted: fn() -> bool) -> Self {
        Self { is_granted, ..self }
    }
}

/// The capacity of a resource without a bound.
pub(crate) const UNBOUNDED: u64 = u64::MAX;
