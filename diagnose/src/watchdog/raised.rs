//! The alarms so far, and the readers of each new one.
//!
//! ```text
//! raise, resolve ─┬─▶ the list in reports, the last `MAX_ALARMS`
//!                 ├─▶ stderr, or an event for `log` or `tracing`: a queue, see `say`
//!                 └─▶ the function of `Builder::on_alarm`: a queue, see `callback`
//! ```

use diagnose_reports::model::{Alarm, AlarmKind, TaskId};

use super::callback;
use crate::identity;
use crate::say;
use crate::sync::Mutex;

/// The last [`MAX_ALARMS`] alarms, oldest first. Those that last are kept longest.
static ALARMS: Mutex<Vec<Alarm>> = Mutex::new(Vec::new());
const MAX_ALARMS: usize = 64;
/// Maximum number of tasks that an alarm lists.
const MAX_TASKS: usize = 64;

pub(crate) fn alarms() -> Vec<Alarm> {
    ALARMS.lock().clone()
}

/// Makes an alarm that is raised now.
pub(super) fn alarm(kind: AlarmKind, text: String, mut tasks: Vec<TaskId>) -> Alarm {
    tasks.truncate(MAX_TASKS);
    let mut alarm = Alarm::from(text);
    (alarm.at_unix_ms, alarm.kind, alarm.tasks) = (identity::unix_ms(), kind, tasks);
    alarm
}

/// Adds an alarm to the list, and reports it.
pub(super) fn raise(alarm: Alarm) {
    let mut alarms = ALARMS.lock();
    if alarms.len() == MAX_ALARMS {
        let resolved = alarms.iter().position(|own| own.resolved_at_unix_ms.is_some());
        alarms.remove(resolved.unwrap_or(0));
    }
    alarms.push(alarm.clone());
    drop(alarms);
    report(alarm, String::new());
}

/// Marks the last alarm with this text as resolved, and reports that with `words`.
pub(super) fn resolve(text: &str, words: &str) {
    let mut alarms = ALARMS.lock();
    let Some(own) = alarms.iter_mut().rev().find(|own| own.text == text) else { return };
    own.resolved_at_unix_ms = Some(identity::unix_ms());
    let mut resolved = own.clone();
    own.text.push_str("\n  ");
    own.text.push_str(words);
    resolved.text.clone_from(&own.text);
    drop(alarms);
    report(resolved, words.to_owned());
}

fn report(alarm: Alarm, words: String) {
    callback::call(&alarm);
    say::alarm(alarm, words);
}
