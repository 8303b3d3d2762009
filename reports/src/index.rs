//! Maps ids of tasks, spans or resources to positions in their lists.

use std::marker::PhantomData;

use rustc_hash::FxHashMap;

use crate::model::{Task, TaskId};

/// The position of each id in a list.
#[derive(Debug)]
pub struct Index<Id = u64> {
    first: u64,
    /// Positions by the difference from the first id, four bytes each, if the ids are dense;
    /// otherwise empty.
    near: Vec<u32>,
    far: FxHashMap<u64, u32>,
    id: PhantomData<Id>,
}

/// Marks an id that is not in the list.
const NOWHERE: u32 = u32::MAX;

impl<Id: Into<u64>> Index<Id> {
    /// Indexes a list of ids. If an id occurs twice, its first position counts.
    #[must_use]
    pub fn new(ids: impl ExactSizeIterator<Item = Id> + Clone) -> Self {
        let numbers = ids.map(Into::into);
        let count = numbers.len() as u64;
        let first = numbers.clone().min().unwrap_or(0);
        let last = numbers.clone().max().unwrap_or(0);
        let mut index = Self { first, near: Vec::new(), far: FxHashMap::default(), id: PhantomData };
        let span = usize::try_from((last - first).saturating_add(1)).unwrap_or(usize::MAX);
        let is_near = (last - first) / 8 <= count;
        if is_near {
            index.near = vec![NOWHERE; span];
        } else {
            index.far.reserve(numbers.len());
        }
        for (place, number) in numbers.enumerate() {
            let place = u32::try_from(place).unwrap_or(NOWHERE);
            if is_near {
                let near = usize::try_from(number - first).ok().and_then(|near| index.near.get_mut(near));
                if let Some(near) = near {
                    *near = place.min(*near);
                }
            } else {
                index.far.entry(number).or_insert(place);
            }
        }
        index
    }

    /// Returns the position of an id.
    #[must_use]
    pub fn get(&self, id: Id) -> Option<usize> {
        let number: u64 = id.into();
        let near = usize::try_from(number.wrapping_sub(self.first)).ok().and_then(|near| self.near.get(near));
        let place = near.or_else(|| self.far.get(&number)).copied().filter(|place| *place != NOWHERE)?;
        Some(place as usize)
    }
}

/// The tasks of a snapshot, by id.
#[derive(Debug)]
pub(crate) struct TasksById<'a> {
    tasks: &'a [Task],
    index: Index<TaskId>,
}

impl<'a> TasksById<'a> {
    pub(crate) fn new(tasks: &'a [Task]) -> Self {
        Self { tasks, index: Index::new(tasks.iter().map(|task| task.id)) }
    }

    pub(crate) fn get(&self, id: TaskId) -> Option<&'a Task> {
        self.tasks.get(self.position(id)?)
    }

    /// The position of a task in the list.
    pub(crate) fn position(&self, id: TaskId) -> Option<usize> {
        self.index.get(id)
    }
}

#[cfg(test)]
mod tests {
    use super::Index;

    #[test]
    fn numbers_are_found_whether_they_are_close_to_each_other_or_not() {
        let close: Vec<u64> = (7..1_000).rev().chain([8]).collect();
        let apart = [3, u64::MAX, 0, 1 << 40, 3];
        for numbers in [close.as_slice(), &apart, &[5], &[]] {
            let index = Index::new(numbers.iter().copied());
            for number in numbers.iter().copied().chain([1, 6, 1_000, 1 << 41]) {
                let place = numbers.iter().position(|it| *it == number);
                assert_eq!(index.get(number), place, "{number} in {numbers:?}");
            }
        }
    }
}
