//! The type of an alarm without the feature `on`. None is raised.

use super::model::TaskId;

/// An alarm of the watchdog. None is raised.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Alarm {
    /// When the alarm was raised, in ms since 1970 in UTC.
    pub at_unix_ms: u64,
    /// The kind of thing that makes no progress.
    pub kind: AlarmKind,
    /// A sentence, and details on further lines.
    pub text: String,
    /// The tasks that the alarm is about, by id.
    pub tasks: Vec<TaskId>,
    /// When the alarm was resolved, in ms since 1970 in UTC.
    pub resolved_at_unix_ms: Option<u64>,
}

impl Alarm {
    /// The sentence, without the details.
    #[must_use]
    pub fn sentence(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }
}

/// Creates an alarm of which only the text is known.
impl From<String> for Alarm {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// The kind of thing that makes no progress.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AlarmKind {
    /// A poll has not returned.
    LongPoll,
    /// All workers of a runtime are in polls that have not returned.
    BlockedRuntime,
    /// A task is queued although a worker of its runtime is idle.
    UnreachableTask,
    /// A task was woken and has not been polled since.
    StarvedTask,
    /// Tasks wait for each other, or for something that cannot happen.
    Hang,
    /// Anything else.
    #[default]
    Other,
}

impl AlarmKind {
    /// The name in log fields, such as `long_poll`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LongPoll => "long_poll",
            Self::BlockedRuntime => "blocked_runtime",
            Self::UnreachableTask => "unreachable_task",
            Self::StarvedTask => "starved_task",
            Self::Hang => "hang",
            Self::Other => "other",
        }
    }
}
