//! Attributes of a task that live as long as it does: `diagnose::task_attr("request", id)`.
//!
//! They are stored by task id, next to the registry of tasks and not in it, because most tasks have
//! none. A task's end does not access this table. Instead, the entries of finished tasks are
//! dropped whenever the table has doubled and has as many entries as there are records of tasks. So
//! the highest number of tasks so far bounds its size, and the average cost of an insertion does
//! not depend on that number.

use std::collections::{HashMap, HashSet};
use std::fmt::{Display, Write as _};
use std::sync::Arc;

use diagnose_reports::model::Text;
use diagnose_reports::ordered::OrderedMap;

use crate::sync::Mutex;
use crate::text_limit::{self, MAX_BYTES};
use crate::{live, switch};

/// Maximum number of attributes of a task; further ones are dropped.
const MAX_PER_TASK: usize = 16;
/// While the table has fewer tasks than this, finished ones are not dropped.
const FEW: usize = 256;

#[derive(Default)]
struct Attributes {
    /// The label of its root, if trees have `[other]` for it.
    label: Option<Arc<str>>,
    by_name: OrderedMap<&'static str, String>,
}

struct AttributeTable {
    by_task: Option<HashMap<u64, Attributes>>,
    /// Number of tasks in the table at which finished ones are dropped next.
    full: usize,
}

static TABLE: Mutex<AttributeTable> = Mutex::new(AttributeTable { by_task: None, full: FEW });

/// Sets an attribute of the current task: `task_attr("request", id)`.
///
/// Dumps show it next to the task's name, as `request=17`, for as long as the task lives. A second
/// value of one name replaces the first. A task has up to 16 attributes, each with up to 256 bytes.
/// Outside of all tasks, and while recording is off, this does nothing and formats nothing.
///
/// Unlike a `label`, an attribute does not split call paths, and no sums are kept per value. So
/// every request may have its own value.
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
    // A running task implies that the environment was read.
    if task == 0 || !switch::records() {
        return;
    }
    // Formatted before the lock is taken, because this runs the program's code.
    let mut text = Bounded(String::new());
    // Fails once the text is full; the rest is cut.
    let _ = write!(text, "{value}");
    change(task, |attributes| {
        if attributes.by_name.len() < MAX_PER_TASK || attributes.by_name.contains_key(name) {
            attributes.by_name.insert(name, text.0);
        }
    });
}

/// Sets the label that dumps show for a task.
pub(crate) fn set_label(task: u64, label: Arc<str>) {
    change(task, |attributes| attributes.label = Some(label));
}

fn change(task: u64, set: impl FnOnce(&mut Attributes)) {
    let mut table = TABLE.lock();
    let AttributeTable { by_task, full } = &mut *table;
    let by_task = by_task.get_or_insert_default();
    if by_task.len() >= *full && !by_task.contains_key(&task) {
        // Records of finished tasks have the id 0, or that of a later task.
        let ids: Vec<u64> = live::all_tasks().map(live::Task::id).collect();
        let alive: HashSet<u64> = ids.iter().copied().filter(|id| *id != 0).collect();
        by_task.retain(|task, _| alive.contains(task));
        *full = FEW.max(by_task.len() * 2).max(ids.len());
        by_task.shrink_to(*full);
    }
    set(by_task.entry(task).or_default());
}

/// Copies labels and attributes into the tasks of a snapshot.
pub(crate) fn fill(tasks: &mut [diagnose_reports::model::Task]) {
    let table = TABLE.lock();
    let Some(by_task) = &table.by_task else { return };
    for task in tasks {
        if let Some(attributes) = by_task.get(&task.id.get()) {
            if let Some(label) = &attributes.label {
                task.label = Some(Text::from(&**label));
            }
            let by_name = attributes.by_name.iter();
            task.attributes = by_name.map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        }
    }
}

/// Text of limited length. Writing more is an error, so that a long `Display` stops early.
struct Bounded(String);

impl std::fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let fits = text_limit::cut_to(text, MAX_BYTES - self.0.len());
        self.0.push_str(fits);
        if fits.len() == text.len() { Ok(()) } else { Err(std::fmt::Error) }
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
