//! Facts about a task that live as long as it does: `diagnose::task_attr("request", id)`.
//!
//! They are kept beside the registry of tasks, by the task's number, and not in it: most tasks have none. A task's end does not
//! look here; instead, whenever the table has doubled, what belongs to tasks that are gone is dropped. So it holds at most
//! twice what belongs to living tasks, and an addition costs the same on average however many tasks there are.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::{Display, Write as _};

use crate::sync::Mutex;
use crate::{live, switch};

/// A task has so many at most; further ones are not kept.
const MAX_PER_TASK: usize = 16;
/// Longer values are cut.
const MAX_BYTES: usize = 256;
/// With so few tasks in the table it is not worth a look which of them are gone.
const FEW: usize = 256;

type Attributes = BTreeMap<&'static str, String>;

struct Table {
    by_task: Option<HashMap<u64, Attributes>>,
    /// With so many tasks in it, those that are gone are dropped.
    full: usize,
}

static TABLE: Mutex<Table> = Mutex::new(Table { by_task: None, full: FEW });

/// Notes a fact about the task that runs this: `task_attr("request", id)`. Dumps show it beside the task's name, as
/// `request=17`, for as long as the task lives.
///
/// A second value of the same name replaces the first. A task has up to 16, each with up to 256 bytes. Outside of all tasks, and
/// while recording is off, nothing happens and nothing is formatted.
///
/// Unlike a `label`, it does not tell call paths apart: nothing is added up by it, so there may be as many values as there
/// are requests.
///
/// # Examples
/// ```
/// #[diagnose::diagnose]
/// async fn serve(id: u64) {
///     diagnose::task_attr("request", id);
///     # #[cfg(feature = "on")]
///     assert!(diagnose::tree().contains("serve request=17"));
/// }
///
/// futures::executor::block_on(serve(17));
/// ```
pub fn task_attr(name: &'static str, value: impl Display) {
    let task = crate::context::task();
    if task == 0 || !switch::is_enabled() {
        return;
    }
    // Before the lock: it is the program's code.
    let mut text = Bounded(String::new());
    // It ends with an error where the text is full.
    let _ = write!(text, "{value}");
    let mut table = TABLE.lock();
    let Table { by_task, full } = &mut *table;
    let by_task = by_task.get_or_insert_default();
    if by_task.len() >= *full && !by_task.contains_key(&task) {
        let alive: HashSet<u64> = live::all_tasks().map(live::Task::id).collect();
        by_task.retain(|task, _| alive.contains(task));
        *full = FEW.max(by_task.len() * 2);
        by_task.shrink_to(*full);
    }
    let attributes = by_task.entry(task).or_default();
    if attributes.len() < MAX_PER_TASK || attributes.contains_key(name) {
        attributes.insert(name, text.0);
    }
}

/// What is noted of tasks, by their numbers.
pub(crate) fn fill(tasks: &mut [diagnose_reports::model::Task]) {
    let table = TABLE.lock();
    let Some(by_task) = &table.by_task else { return };
    for task in tasks {
        let attributes = by_task.get(&task.id).into_iter().flatten();
        task.attributes = attributes.map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    }
}

/// Text up to a length. More of it is an error, so that whoever writes a book stops.
struct Bounded(String);

impl std::fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let room = MAX_BYTES - self.0.len();
        let fits = (0..=room.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        self.0.push_str(&text[..fits]);
        if fits == text.len() { Ok(()) } else { Err(std::fmt::Error) }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::{Bounded, MAX_BYTES};

    #[test]
    fn a_long_value_is_cut_between_characters() {
        let mut text = Bounded(String::new());
        assert!(write!(text, "a{}", "é".repeat(100_000)).is_err());
        assert_eq!(text.0.len(), MAX_BYTES - 1);
        let mut text = Bounded(String::new());
        assert!(write!(text, "{}", "a".repeat(MAX_BYTES)).is_ok());
    }
}
