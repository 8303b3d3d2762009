//! Takes a long list apart in order, and frees its memory on the way.
//!
//! A capture turns a million copies into a million rows. `Vec::into_iter` keeps the memory of all
//! copies until the last one is a row; this iterator gives it back in steps.

/// Number of steps in which memory is freed. An allocator may copy the rest at each step.
const STEPS: usize = 8;
/// The least number of items in a step.
const MIN_STEP: usize = 1024;

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
    use super::{Draining, MIN_STEP};

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
