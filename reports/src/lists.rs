//! Many lists of numbers in two allocations.

use std::ops::{Index, Range};

/// Lists of numbers, stored one after the other in two allocations.
#[derive(Debug, Default)]
pub(crate) struct Lists<T = usize> {
    /// The start of each list, and the end of the last.
    starts: Vec<u32>,
    pub(crate) items: Vec<T>,
}

impl<T: Copy + Default> Lists<T> {
    /// Builds `lists` lists from pairs of a list index and an item. Items keep their order. Items
    /// for a nonexistent list are left out.
    pub(crate) fn new(lists: usize, pairs: impl Iterator<Item = (usize, T)> + Clone) -> Self {
        let pairs = pairs.filter(|(list, _)| *list < lists);
        let mut starts: Vec<u32> = vec![0; lists + 1];
        for (list, _) in pairs.clone() {
            starts[list + 1] += 1;
        }
        for list in 0..lists {
            starts[list + 1] += starts[list];
        }
        let mut items = vec![T::default(); starts[lists] as usize];
        // While a list is filled, its start moves to its end.
        for (list, item) in pairs {
            items[starts[list] as usize] = item;
            starts[list] += 1;
        }
        starts.pop();
        starts.insert(0, 0);
        Self { starts, items }
    }

    /// The range of a list in `items`; empty if the list does not exist.
    pub(crate) fn range(&self, list: usize) -> Range<usize> {
        let end = list.checked_add(1).and_then(|next| self.starts.get(next));
        match (self.starts.get(list), end) {
            (Some(&start), Some(&end)) => start as usize..end as usize,
            _ => 0..0,
        }
    }

    /// Returns one of the lists; empty if it does not exist.
    pub(crate) fn of(&self, list: usize) -> &[T] {
        self.items.get(self.range(list)).unwrap_or_default()
    }
}

impl Index<usize> for Lists {
    type Output = [usize];

    fn index(&self, list: usize) -> &[usize] {
        self.of(list)
    }
}
