//! The list of alarms, and where each new alarm goes.
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

/// The last [`MAX_ALARMS`] alarms, oldest first. Unresolved alarms are kept longest.
static ALARMS: Mutex<Vec<Alarm>> = Mutex::new(Vec::new());
const MAX_ALARMS: usize = 64;
/// Maximum number of tasks that an alarm lists.
const MAX_TASKS: usize = 64;

pub(crate) fn alarms() -> Vec<Alarm> {
    ALARMS.lock().clone()
}

/// Makes an alarm that is raised now.
pub(crate) fn alarm(kind: AlarmKind, text: String, mut tasks: Vec<TaskId>) -> Alarm {
    tasks.truncate(MAX_TASKS);
    let mut alarm = Alarm::from(text);
    (alarm.at_unix_ms, alarm.kind, alarm.tasks) = (identity::unix_ms(), kind, tasks);
    alarm
}

/// Adds an alarm to the list, and reports it.
pub(crate) fn raise(alarm: Alarm) {
    let mut alarms = ALARMS.lock();
    if alarms.len() == MAX_ALARMS {
        let resolved = alarms.iter().position(|own| own.resolved_at_unix_ms.is_some());
        alarms.remove(resolved.unwrap_or(0));
    }
    alarms.push(alarm.clone());
    drop(alarms);
    report(alarm, String::new());
}

/// Marks an alarm as resolved, and reports that with `words`. Later alarms may have pushed it off
/// the list.
pub(crate) fn resolve(mut alarm: Alarm, words: String) {
    let mut alarms = ALARMS.lock();
    let listed = alarms.iter_mut().rev().find(|own| **own == alarm);
    alarm.resolved_at_unix_ms = Some(identity::unix_ms());
    alarm.text.push_str("\n  ");
    alarm.text.push_str(&words);
    if let Some(listed) = listed {
        listed.clone_from(&alarm);
    }
    drop(alarms);
    report(alarm, words);
}

fn report(alarm: Alarm, words: String) {
    callback::call(&alarm);
    say::alarm(alarm, words);
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use diagnose_reports::model::AlarmKind;

    use super::{MAX_ALARMS, alarm, alarms, callback, raise, resolve};
    use crate::config::AlarmFunction;

    #[test]
    fn the_end_of_an_alarm_that_has_left_the_list_is_reported() {
        let all: Vec<_> = (0..=MAX_ALARMS)
            .map(|number| alarm(AlarmKind::LongPoll, format!("alarm {number}"), Vec::new()))
            .collect();
        all.iter().cloned().for_each(raise);
        assert_eq!(alarms(), all[1..], "the list has lost the first");
        let (send, resolved) = channel();
        let function = move |alarm: &_| send.send(Clone::clone(alarm)).unwrap();
        callback::set_callback(Some(AlarmFunction::new(function)));
        for (number, alarm) in [&all[0], &all[7]].into_iter().enumerate() {
            resolve(alarm.clone(), format!("over {number}"));
            let resolved: diagnose_reports::model::Alarm = resolved.recv().unwrap();
            assert_eq!(resolved.text, format!("{}\n  over {number}", alarm.text));
            assert!(resolved.resolved_at_unix_ms.is_some());
            assert_eq!(alarms().contains(&resolved), number == 1, "the list has the seventh");
        }
        callback::set_callback(None);
    }
}
