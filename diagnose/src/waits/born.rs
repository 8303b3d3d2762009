//! Who made a resource, and which tasks came after it.

use crate::live;
use crate::recorder;

/// When something came to be, and by whom.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Born {
    /// The number of the next task.
    pub(super) first_task: u64,
    /// See [`Maker`].
    pub(super) by: u64,
}

impl Born {
    pub(super) fn now() -> Self {
        let task = recorder::current_task();
        let by = if task == 0 { Self::by_thread() } else { task };
        Self { first_task: live::next_task(), by }
    }

    #[cold]
    fn by_thread() -> u64 {
        // A thread that has recorded nothing yet is known by its tree from now on.
        recorder::with_records(|_| ());
        recorder::here().thread.map_or(0, |thread| THREAD | u64::from(thread))
    }
}

/// Who made something.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Maker {
    Task(u64),
    /// By the number of its tree, outside of all tasks.
    Thread(u32),
    Unknown,
}

/// Above the number of a thread's tree.
const THREAD: u64 = 1 << 63;

impl Maker {
    pub(super) fn new(by: u64) -> Self {
        match by {
            0 => Self::Unknown,
            by if by & THREAD != 0 => u32::try_from(by & !THREAD).map_or(Self::Unknown, Self::Thread),
            by => Self::Task(by),
        }
    }
}
