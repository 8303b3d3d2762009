//! Turns a long list into another list, without memory for both.
//!
//! A capture turns a million copies into a million rows. Rows that are no larger than copies reuse
//! their memory. Otherwise an iterator frees the memory of the copies in steps; `Vec::into_iter`
//! would keep it until the last copy is a row.

/// Number of steps in which memory is freed. An allocator may copy the rest at each step.
const STEPS: usize = 8;
/// Minimum number of items in a step.
const MIN_STEP: usize = 1024;

/// Replaces each item of a list, or leaves it out. New items that are no larger than the old ones
/// reuse their memory, and the rest of it is freed.
pub(super) fn in_place<T, U>(list: Vec<T>, replace: impl FnMut(usize, T) -> Option<U>) -> Vec<U> {
    let mut replaced = replaced(list, replace);
    replaced.shrink_to_fit();
    replaced
}

/// `collect` takes the memory of a list, since it never writes past what it has read.
fn replaced<T, U>(list: Vec<T>, mut replace: impl FnMut(usize, T) -> Option<U>) -> Vec<U> {
    list.into_iter().enumerate().filter_map(|(index, item)| replace(index, item)).collect()
}

/// The items of a list, in order.
#[derive(Debug)]
pub(super) struct Draining<T> {
    reversed: Vec<T>,
    step: usize,
}

impl<T> Draining<T> {
    pub(super) fn new(mut list: Vec<T>) -> Self {
        list.reverse();
        let step = (list.len() / STEPS).max(MIN_STEP);
        Self { reversed: list, step }
    }
}

impl<T> Iterator for Draining<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let item = self.reversed.pop()?;
        if self.reversed.len() % self.step == 0 {
            self.reversed.shrink_to_fit();
        }
        Some(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.reversed.len(), Some(self.reversed.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Draining, MIN_STEP, in_place, replaced};

    #[test]
    fn smaller_items_take_the_memory_of_the_list() {
        let list: Vec<[usize; 4]> = (0..1_000).map(|number| [number; 4]).collect();
        let odd = |index, item: [usize; 4]| (index % 2 == 1).then_some([item[0]; 3]);
        // An allocator may move a list to shrink it.
        let replaced = replaced(list.clone(), odd);
        assert!(replaced.capacity() >= list.len(), "the memory of the list");
        let list = in_place(list, odd);
        assert!(list.iter().eq((1..1_000).step_by(2).map(|number| [number; 3]).collect::<Vec<_>>().iter()));
        assert!(list == replaced && list.capacity() == list.len());
    }

    #[test]
    fn all_items_come_in_order_and_memory_is_freed() {
        for count in [0, 1, 2 * MIN_STEP + 1, 20 * MIN_STEP] {
            let list: Vec<usize> = (0..count).collect();
            assert!(Draining::new(list.clone()).eq(list.clone()), "{count}");
            let mut rest = Draining::new(list);
            assert!(rest.by_ref().take(count / 2).count() <= count / 2);
            assert!(rest.reversed.capacity() <= rest.reversed.len() + rest.step, "{count}");
        }
    }
}
