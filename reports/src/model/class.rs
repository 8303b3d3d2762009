//! Classes: data that many records share, stored once.
//!
//! A million tasks of one spawn site differ in ids, times and counts. All their other fields form
//! their class. A record points to its class and dereferences to it. A change copies the class
//! first, if other records share it.

use std::collections::VecDeque;
use std::fmt;
use std::hash::Hash;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use rustc_hash::FxHashSet;

/// A value that many records may share. A change copies the value first, unless only one record has
/// it.
#[derive(Default, PartialEq, Eq, Hash)]
pub(crate) struct Shared<T>(Arc<T>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T> Shared<T> {
    /// Appends the address of the value. Two existing values with the same address are equal.
    pub(crate) fn push_address(&self, key: &mut Vec<usize>) {
        key.push(Arc::as_ptr(&self.0).addr());
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// The classes of the records of a list so far.
#[derive(Debug)]
pub struct Classes<T> {
    /// The most recent distinct classes, latest first.
    recent: VecDeque<Shared<T>>,
    all: FxHashSet<Shared<T>>,
}

/// The number of recent classes that are compared first. A few classes often alternate, such as
/// those of tasks and of the tasks that they wait for.
const RECENT: usize = 4;

/// The number of classes at which the search for equal classes stops. If all records differ, for
/// example in the task that spawned each, a search would find nothing.
const MOST: usize = 1 << 14;

impl<T> Default for Classes<T> {
    fn default() -> Self {
        Self { recent: VecDeque::new(), all: FxHashSet::default() }
    }
}

impl<T: Eq + Hash> Classes<T> {
    /// Replaces a class by an equal earlier class, if there is one.
    pub(crate) fn share(&mut self, class: &mut Shared<T>) {
        // Records near each other are usually alike, and a comparison is cheaper than a hash.
        if let Some(index) = self.recent.iter().position(|recent| recent == class) {
            self.recent.swap(0, index);
            *class = self.recent[0].clone();
            return;
        }
        match self.all.get(class) {
            Some(known) => *class = known.clone(),
            None if self.all.len() < MOST => drop(self.all.insert(class.clone())),
            None => return,
        }
        self.recent.truncate(RECENT - 1);
        self.recent.push_front(class.clone());
    }
}

/// A record of a list in which many records may be alike.
pub trait Alike {
    /// The classes of the earlier records.
    type Classes: Default;

    /// Shares the memory of equal parts with earlier records.
    fn share(&mut self, classes: &mut Self::Classes);
}

/// Packs booleans into one word.
pub(crate) fn bits<const N: usize>(answers: [bool; N]) -> usize {
    answers.iter().fold(0, |bits, answer| bits << 1 | usize::from(*answer))
}

#[cfg(all(test, feature = "read"))]
mod tests {
    use super::{Alike, Classes};
    use crate::model::{Holding, Place, Resource, Span, Task, TaskId, Wait, WaitMode};

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn rows_are_small_as_there_may_be_millions() {
        assert_eq!([size_of::<Task>(), size_of::<Span>(), size_of::<Wait>()], [112, 64, 96]);
        assert_eq!([size_of::<Resource>(), size_of::<Holding>()], [80, 40]);
        assert_eq!(size_of::<Option<Place>>(), 16);
    }

    #[test]
    fn alike_records_share_a_class_until_one_changes() {
        let mut classes = Classes::default();
        let mut tasks = [3, 1, 2].map(|id| {
            let mut task = Task::default();
            (task.id, task.label, task.is_local) = (TaskId::new(id), Some("user=7".into()), id == 1);
            task.share(&mut classes);
            task
        });
        let address = |task: &Task| std::ptr::from_ref(&task.label);
        assert_eq!(address(&tasks[0]), address(&tasks[2]));
        assert_ne!(address(&tasks[0]), address(&tasks[1]));
        tasks[2].label = None;
        assert_eq!(tasks[0].label.as_deref(), Some("user=7"));
        assert_eq!((tasks[2].id, tasks[2].label.as_deref()), (TaskId::new(2), None));
    }

    #[test]
    fn alike_holdings_of_several_resources_share_a_class() {
        let mut classes = <Resource as Alike>::Classes::default();
        let resources = [1, 2].map(|task| {
            let (mut resource, mut holding) = (Resource::default(), Holding::default());
            (holding.task, holding.place) = (Some(TaskId::new(task)), Some(Place::default()));
            resource.holdings = vec![holding];
            resource.share(&mut classes);
            resource
        });
        let [one, other] = resources.each_ref().map(|it| std::ptr::from_ref(&it.holdings[0].place));
        assert_eq!(one, other);
        assert_eq!(resources[1].holdings[0].task, Some(TaskId::new(2)));
    }

    #[test]
    fn a_saved_record_has_the_fields_of_its_class_in_between() {
        let mut wait = Wait::default();
        (wait.mode, wait.tasks, wait.is_forced) = (WaitMode::Join, vec![TaskId::new(7)], true);
        let saved = serde_json::to_string(&wait).expect("JSON");
        assert!(saved.starts_with(r#"{"id":0,"tasks":[7],"mode":"join","units":0,"since_ns":0"#), "{saved}");
        assert_eq!(serde_json::from_str::<Wait>(&saved).expect("a wait"), wait);
    }
}
