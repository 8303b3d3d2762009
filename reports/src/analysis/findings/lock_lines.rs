//! Tells locks of one place apart by the lines that acquire them.
//!
//! ```text
//! shards   [Mutex; 16]         one line acquires any of them       one group
//! fields   derive(Default)     each has lines of its own           a group each
//! ```
//! The fields of a struct that derives `Default` are all created at the `derive`.

use crate::analysis::uses::ResourceUse;
use crate::model::Place;
use crate::ordered::OrderedMap;

/// Returns the group of each lock: locks that share a line, or are connected by others that do.
/// `None` for a lock of which no line is known.
pub(super) fn groups(locks: &[ResourceUse<'_>]) -> Vec<Option<usize>> {
    let mut groups = Groups { above: (0..locks.len()).collect() };
    let mut first_at: OrderedMap<&Place, usize> = OrderedMap::new();
    for (number, lock) in locks.iter().enumerate() {
        for place in lines(lock) {
            let first = *first_at.entry(place).or_insert(number);
            groups.join(first, number);
        }
    }
    let mut known = |(number, lock)| lines(lock).next().map(|_| groups.of(number));
    locks.iter().enumerate().map(&mut known).collect()
}

fn lines<'a>(lock: &ResourceUse<'a>) -> impl Iterator<Item = &'a Place> {
    lock.usage.waiters.iter().chain(&lock.usage.holders).map(|row| &row.place)
}

/// Union-find: each number points to one above it, and the top one stands for the group.
struct Groups {
    above: Vec<usize>,
}

impl Groups {
    fn of(&mut self, mut number: usize) -> usize {
        while self.above[number] != number {
            // Shortens the path for the next search.
            self.above[number] = self.above[self.above[number]];
            number = self.above[number];
        }
        number
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.of(one), self.of(other));
        self.above[one.max(other)] = one.min(other);
    }
}
