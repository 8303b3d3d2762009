//! A list of numbers for each of something, one after the other.

use std::ops::Index;

/// The lists, in two allocations however many there are.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// Where each begins, and where the last ends.
    pub(crate) starts: Vec<usize>,
    pub(crate) items: Vec<usize>,
}

impl Lists {
    /// Sorts pairs of a list and an item by the list, keeping the order of the items. What belongs to no list is left out.
    pub(crate) fn new(lists: usize, pairs: impl Iterator<Item = (usize, usize)> + Clone) -> Self {
        let pairs = pairs.filter(|(list, _)| *list < lists);
        let mut starts = vec![0; lists + 1];
        for (list, _) in pairs.clone() {
            starts[list + 1] += 1;
        }
        for list in 0..lists {
            starts[list + 1] += starts[list];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[lists]];
        for (list, item) in pairs {
            items[next[list]] = item;
            next[list] += 1;
        }
        Self { starts, items }
    }

    /// One of them; empty if it is not there.
    pub(crate) fn of(&self, list: usize) -> &[usize] {
        let end = list.checked_add(1).and_then(|next| self.starts.get(next));
        match (self.starts.get(list), end) {
            (Some(&start), Some(&end)) => self.items.get(start..end).unwrap_or_default(),
            _ => &[],
        }
    }
}

impl Index<usize> for Lists {
    type Output = [usize];

    fn index(&self, list: usize) -> &[usize] {
        self.of(list)
    }
}
