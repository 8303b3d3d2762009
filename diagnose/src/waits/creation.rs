//! The creator and the moment of creation of a resource. They show which tasks were created later.

use crate::clock;
use crate::context;
use crate::recorder;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Creation {
    /// Tick of the creation; inside a poll, the last clock reading before it.
    pub(super) made: u64,
    /// Task or thread, as encoded for [`Creator::new`].
    pub(super) by: u64,
}

impl Creation {
    pub(super) fn now() -> Self {
        let task = context::task();
        let by = if task == 0 { Self::by_thread() } else { task };
        let stamp = context::stamp();
        Self { made: if stamp == 0 { clock::now() } else { stamp }, by }
    }

    #[cold]
    fn by_thread() -> u64 {
        // The thread needs a tree, because the tree's number identifies it.
        THREAD | u64::from(recorder::own_tree_number())
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Creator {
    Task(u64),
    /// A thread outside of all tasks, by the number of its tree.
    Thread(u32),
    Unknown,
}

/// Flag above the number of a thread's tree.
const THREAD: u64 = 1 << 63;

impl Creator {
    pub(super) fn new(by: u64) -> Self {
        match by {
            0 => Self::Unknown,
            by if by & THREAD != 0 => u32::try_from(by & !THREAD).map_or(Self::Unknown, Self::Thread),
            by => Self::Task(by),
        }
    }
}
