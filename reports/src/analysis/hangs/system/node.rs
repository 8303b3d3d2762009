//! The meanings of the graph's nodes, and the levels of evidence.

/// How far the rules trust attributions, such as "last used by", that may be out of date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// Attributions may be wrong, and any movable value may be anywhere. A node that is stuck under
    /// this evidence is proven to be stuck.
    Exact,
    /// Attributions are right, unless another task that can progress could hold the guard or
    /// channel end. A node that is stuck under this evidence is likely to be stuck.
    Likely,
    /// Attributions are always right. A node that is stuck only under this evidence is suspect.
    Suspect,
}

/// The event that a node stands for. Numbers are indices into the snapshot unless stated otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// The task continues.
    Task(usize),
    /// The task is woken.
    Woken(usize),
    /// The wait completes.
    Wait(usize),
    /// The wait leaves its queue: it completes or is dropped.
    WaitEnd(usize),
    /// The first waits in the queue of the resource leave it.
    QueueAhead(usize),
    /// Enough units of the resource become free.
    EnoughUnits(usize),
    /// A counter: the units of the resource that can become free.
    FreeUnits(usize),
    /// The holding with this number, of the resource with this index, is released or used.
    Holding(usize, usize),
    /// Any receiver of the channel receives.
    AnyReceiver(usize),
    /// Any sender of the channel sends.
    AnySender(usize),
    /// All senders of the channel are dropped.
    AllSendersGone(usize),
    /// Any task that has added units to the resource adds more.
    AnyRefill(usize),
    /// All woken waits of an unfair lock leave: each acquires the lock or passes the wake on.
    WokenWaitsEnd(usize),
    /// Any task or thread that could notify the waits for the resource, or arrive at the barrier,
    /// continues.
    AnyNotifier(usize),
    /// The task with this index, or any later one, continues.
    AnyLaterTask(usize),
    /// Any task, or any unrecorded code, continues.
    AnyTask,
    /// The arm of a `join!` with this span, or code around the `join!`, continues.
    JoinArm(usize),
    /// A worker of the runtime with this number is free.
    FreeWorker(u64),
    /// A blocking-pool thread of the runtime with this number is free.
    FreePoolThread(u64),
    /// The thread with this OS id returns from the call that blocks it.
    Thread(u64),
    /// A `block_on` on the thread with this OS id continues. It may drop a `LocalSet`.
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
