//! The meanings of the graph's nodes, and the evidence they rest on.

/// How far the rules trust attributions, such as "last used by", that may be out of date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// Attributions may be wrong, and anything movable may be anywhere. What is stuck is proven.
    Exact,
    /// Attributions are right unless something else that can progress could have the thing. What is
    /// stuck is likely stuck.
    Likely,
    /// Attributions are right. What is stuck is suspect.
    Suspect,
}

/// The event that a node stands for. Numbers are indices into the snapshot unless stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// The task runs on.
    Task(usize),
    /// The task is woken, or released by what blocks its poll.
    Woken(usize),
    /// The wait completes.
    Wait(usize),
    /// The wait leaves its queue: it completes or is dropped.
    WaitEnd(usize),
    /// The first waits of the resource's queue leave it.
    QueueAhead(usize),
    /// Enough units of the resource become free.
    EnoughUnits(usize),
    /// Counter: the units of the resource that can become free.
    FreeUnits(usize),
    /// The holding with this number of the resource is released, or used.
    Holding(usize, usize),
    /// Any receiver of the channel receives.
    AnyReceiver(usize),
    /// Any sender of the channel sends.
    AnySender(usize),
    /// All senders of the channel are dropped.
    AllSendersGone(usize),
    /// Any user of the resource adds units to it.
    AnyRefill(usize),
    /// All woken waits of an unfair lock leave: each acquires it or passes the wake on.
    WokenWaitsEnd(usize),
    /// Anything that could notify the waits at the resource, or arrive there too, runs on.
    AnyNotifier(usize),
    /// The task with this index or any later one runs on.
    AnyLaterTask(usize),
    /// Any task, or anything unrecorded, runs on.
    AnyTask,
    /// The arm of a `join!` with this span, or anything around the `join!`, runs on.
    JoinArm(usize),
    /// A worker of the runtime with this number is free.
    FreeWorker(u64),
    /// A blocking-pool thread of the runtime with this number is free.
    FreePoolThread(u64),
    /// The thread with this OS id returns from the call that blocks it.
    Thread(u64),
    /// A `block_on` of the thread with this OS id runs on, which may drop a `LocalSet`.
    BlockOn(u64),
}

impl Node {
    /// The index of the task that the node stands for.
    pub(crate) fn task(&self) -> Option<usize> {
        match self {
            Self::Task(task) => Some(*task),
            _ => None,
        }
    }
}
