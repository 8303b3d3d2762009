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

/// No bound.
pub(crate) const UNBOUNDED: u64 = u64::MAX;
