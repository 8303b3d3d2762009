//! Alarms: what the watchdog reported while the program ran.
//!
//! Times are wall-clock times, so that alarms can be compared with logs. A reset of the recording
//! does not change them.

use super::ids::TaskId;
use crate::json::ToJson;

/// An alarm of the watchdog: a poll, a task or a runtime has made no progress for the threshold.
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct Alarm {
    /// When the alarm was raised, in ms since 1970 in UTC; 0 if unknown.
    #[serde(default)]
    pub at_unix_ms: u64,
    /// The kind of the alarm.
    #[serde(default)]
    pub kind: AlarmKind,
    /// The text of the alarm. The first line is a sentence. Details follow, one per line, indented
    /// by two spaces.
    pub text: String,
    /// The ids of the tasks that the alarm is about, without duplicates: first stuck and running
    /// tasks, then tasks that wait.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskId>,
    /// When the watchdog noticed that the alarm was resolved, in ms since 1970 in UTC; `None` while
    /// it lasts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at_unix_ms: Option<u64>,
}

impl Alarm {
    /// Returns the sentence, without the details.
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

/// The kind of an alarm: what makes no progress.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AlarmKind {
    /// A poll has not returned.
    LongPoll,
    /// All workers of a runtime are in polls that have not returned.
    BlockedRuntime,
    /// A task is queued although a worker of its runtime is idle.
    UnreachableTask,
    /// A task was woken, and has not been polled since.
    StarvedTask,
    /// A verdict: tasks wait for each other, or for something that cannot happen.
    Hang,
    /// Anything else, such as a recording that cannot be read.
    #[default]
    Other,
}

impl AlarmKind {
    /// The name in saved snapshots and in log fields, such as `long_poll`.
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

#[cfg(all(test, feature = "read"))]
mod tests {
    use super::{Alarm, AlarmKind, TaskId};

    #[test]
    fn an_alarm_is_read_as_it_was_saved() {
        let mut alarm = Alarm::from("task 7 `conn` hangs\n  at src/main.rs:12".to_owned());
        let tasks = vec![TaskId::new(7), TaskId::new(9)];
        (alarm.at_unix_ms, alarm.kind, alarm.tasks) = (1_763_900_000_123, AlarmKind::Hang, tasks);
        alarm.resolved_at_unix_ms = Some(1_763_900_001_000);
        let saved = serde_json::to_string(&alarm).expect("it is plain data");
        assert!(saved.contains("\"kind\":\"hang\""), "{saved}");
        assert_eq!(serde_json::from_str::<Alarm>(&saved).expect("it was just saved"), alarm);
        assert_eq!(alarm.sentence(), "task 7 `conn` hangs");
        let least = serde_json::from_str::<Alarm>(r#"{"text": "a\n  b"}"#).expect("it has a text");
        assert_eq!(least, Alarm::from("a\n  b".to_owned()));
        assert!(serde_json::from_str::<Alarm>(r#"{"kind": "hang"}"#).is_err());
    }

    #[test]
    fn a_kind_is_saved_under_its_name() {
        for kind in [
            AlarmKind::LongPoll,
            AlarmKind::BlockedRuntime,
            AlarmKind::UnreachableTask,
            AlarmKind::StarvedTask,
            AlarmKind::Hang,
            AlarmKind::Other,
        ] {
            assert_eq!(serde_json::to_string(&kind).expect("a word"), format!("\"{}\"", kind.name()));
        }
    }
}
