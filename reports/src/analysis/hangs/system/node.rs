//! What the nodes of the graph stand for.

/// What to make of attributions that moves can have made stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// They may be wrong, and what can move may be anywhere: what is stuck is proven.
    Exact,
    /// They are right, unless something else that can go on could have it: what is stuck is likely so.
    Likely,
    /// They are right: what is stuck is suspect.
    Suspect,
}

/// What a gate stands for. Numbers are indices into the snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// The task can go on.
    Task(usize),
    /// Something wakes the task, or what it is blocked by lets it go.
    Woken(usize),
    /// What is waited for comes.
    Wait(usize),
    /// The wait ends: it is served, or dropped.
    WaitEnd(usize),
    /// The first so many of a line leave.
    QueueAhead(usize),
    /// So many units of the resource become free.
    EnoughUnits(usize),
    /// How many units of the resource can become free.
    FreeUnits(usize),
    /// The resource's holding of that number is given back or used.
    Holding(usize, usize),
    /// Somebody takes out.
    AnyReceiver(usize),
    /// Somebody puts in.
    AnySender(usize),
    /// All who could put in are gone.
    AllSendersGone(usize),
    /// Somebody tells.
    AnyRefill(usize),
    /// Those at an unfair lock who were told can take it, or pass it on.
    WokenWaitsEnd(usize),
    /// Somebody goes on who could tell those that wait at the resource, or come too.
    AnyNotifier(usize),
    /// One of the tasks from that index on goes on.
    AnyLaterTask(usize),
    /// Some task goes on, or something that is not on record does.
    AnyTask,
    /// Some task of that family goes on, or something that is not on record does.
    AnyRelative(usize),
    /// The arm of a `join!` goes on, by its span, or something around the `join!` does.
    JoinArm(usize),
    /// A worker of the runtime is free.
    FreeWorker(u64),
    /// A thread for blocking work of the runtime is free.
    FreePoolThread(u64),
    /// The thread gets out of what blocks it.
    Thread(u64),
}

impl Node {
    /// The index of the task that it is about.
    pub(crate) fn task(&self) -> Option<usize> {
        match self {
            Self::Task(task) => Some(*task),
            _ => None,
        }
    }
}
