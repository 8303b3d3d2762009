//! Keeps the order of entries that are stored in insertion order.

use std::cmp::Ordering;
use std::iter::{Copied, Flatten};
use std::slice;

use crate::sort::arrange;

/// The positions of entries in the order of their keys. They are in chunks, so that an insertion
/// moves only a few.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// No chunk is empty.
    chunks: Vec<Vec<usize>>,
}

type Numbers<'a> = Copied<Flatten<slice::Iter<'a, Vec<usize>>>>;

/// A position in an order: a chunk, and a position in it.
pub(super) type OrderPosition = (usize, usize);

/// A chunk of this length is split.
pub(super) const CHUNK: usize = 512;

impl Order {
    pub(super) const fn new() -> Self {
        Self { chunks: Vec::new() }
    }

    /// Finds the entry for which `compare` returns `Equal`. If there is none, returns the position
    /// at which it belongs.
    pub(super) fn find(&self, compare: &mut dyn FnMut(usize) -> Ordering) -> Result<usize, OrderPosition> {
        // Keys are often inserted in ascending order, or the same key several times.
        if let Some((chunk, &last)) = self.chunks.last().and_then(|chunk| Some((chunk, chunk.last()?))) {
            match compare(last) {
                Ordering::Less => return Err((self.chunks.len() - 1, chunk.len())),
                Ordering::Equal => return Ok(last),
                Ordering::Greater => {}
            }
        }
        let after = self.chunks.partition_point(|chunk| compare(chunk[0]).is_le());
        let index = after.saturating_sub(1);
        let Some(chunk) = self.chunks.get(index) else { return Err((0, 0)) };
        match chunk.binary_search_by(|&entry| compare(entry)) {
            Ok(position) => Ok(chunk[position]),
            Err(position) => Err((index, position)),
        }
    }

    pub(super) fn insert(&mut self, (index, position): OrderPosition, entry: usize) {
        let Some(chunk) = self.chunks.get_mut(index) else { return self.chunks.push(vec![entry]) };
        chunk.insert(position, entry);
        if chunk.len() == CHUNK {
            let rest = chunk.split_off(CHUNK / 2);
            self.chunks.insert(index + 1, rest);
        }
    }

    /// Iterates over the entries in this order.
    pub(super) fn of<'a, T>(&'a self, items: &'a [T]) -> Iter<'a, T> {
        Iter { items, order: self.numbers() }
    }

    fn numbers(&self) -> Numbers<'_> {
        self.chunks.iter().flatten().copied()
    }

    /// Sorts the entries into this order.
    pub(super) fn arranged<T>(&self, mut items: Vec<T>) -> Vec<T> {
        arrange(self.numbers().collect(), &mut |a, b| items.swap(a, b));
        items
    }
}

/// Entries of a map, or items of a set, in their order.
#[derive(Clone, Debug)]
pub struct Iter<'a, T> {
    items: &'a [T],
    order: Numbers<'a>,
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        self.order.next().map(|item| &self.items[item])
    }
}

impl<T> DoubleEndedIterator for Iter<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.order.next_back().map(|item| &self.items[item])
    }
}
