//! Who made a resource, and which tasks came after it.

use crate::clock;
use crate::context;
use crate::recorder;

/// When something came to be, and by whom.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Creation {
    /// The tick; a moment before it, in a poll.
    pub(super) made: u64,
    /// See [`Maker`].
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
        // A thread that has recorded nothing yet is known by its tree from now on.
        THREAD | u64::from(recorder::own_tree_number())
    }
}

/// Who made something.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Creator {
    Task(u64),
    /// By the number of its tree, outside of all tasks.
    Thread(u32),
    Unknown,
}

/// Above the number of a thread's tree.
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
