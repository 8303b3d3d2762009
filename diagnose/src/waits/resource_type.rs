//! What resources are, by library.

/// What a resource is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResourceKind {
    Mutex,
    RwLock,
    Semaphore,
    OnceCell,
    Barrier,
    Notify,
    Condvar,
    Mpsc,
    Mpmc,
    Oneshot,
    Broadcast,
    Watch,
    Pipe,
    Cancellation,
    Custom,
}

/// A kind of resource in a library: one static for each wrapped type.
#[derive(Debug)]
pub(crate) struct ResourceType {
    pub(crate) kind: ResourceKind,
    /// The name of the library's crate; empty for the program's own.
    pub(crate) library: &'static str,
    /// Whether what is released is handed to the first in the queue, so that its wake is the grant.
    pub(crate) is_fair: bool,
    /// Whether a future that has just returned `Pending` was made to, because its task has used up its budget.
    pub(crate) is_forced: fn() -> bool,
}

impl ResourceType {
    /// One whose wakes may be overtaken.
    pub(crate) const fn new(kind: ResourceKind, library: &'static str) -> Self {
        Self { kind, library, is_fair: false, is_forced: || false }
    }

    /// One that hands what is released to the first in its queue.
    #[allow(dead_code)] // By what is a feature.
    pub(crate) const fn fair(kind: ResourceKind, library: &'static str) -> Self {
        Self { is_fair: true, ..Self::new(kind, library) }
    }

    /// One whose futures may return `Pending` because the budget is used up.
    #[allow(dead_code)] // By what is a feature.
    pub(crate) const fn forced_by(self, is_forced: fn() -> bool) -> Self {
        Self { is_forced, ..self }
    }
}

/// No bound.
pub(crate) const UNBOUNDED: u64 = u64::MAX;
