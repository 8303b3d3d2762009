//! A set in the order of its items.

use std::borrow::Borrow;

use super::order::{Iter, Order};

/// A set in the order of its items.
#[derive(Clone, Debug)]
pub struct OrderedSet<T> {
    /// In the order of their insertion.
    items: Vec<T>,
    order: Order,
}

impl<T> Default for OrderedSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Ord> OrderedSet<T> {
    /// Returns whether an item is in the set.
    #[must_use]
    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.order.find(&mut |other| self.items[other].borrow().cmp(item)).is_ok()
    }

    /// Inserts an item. Returns `true` if the set did not contain it.
    pub fn insert(&mut self, item: T) -> bool {
        let position = self.order.find(&mut |other| self.items[other].cmp(&item));
        if let Err(position) = position {
            self.order.insert(position, self.items.len());
            self.items.push(item);
        }
        position.is_err()
    }
}

impl<T> OrderedSet<T> {
    /// Creates an empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self { items: Vec::new(), order: Order::new() }
    }

    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether the set has no item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The items, in their order.
    #[must_use]
    pub fn iter(&self) -> Iter<'_, T> {
        self.order.of(&self.items)
    }
}

impl<T> IntoIterator for OrderedSet<T> {
    type IntoIter = std::vec::IntoIter<T>;
    type Item = T;

    fn into_iter(self) -> Self::IntoIter {
        self.order.arranged(self.items).into_iter()
    }
}

impl<'a, T> IntoIterator for &'a OrderedSet<T> {
    type IntoIter = Iter<'a, T>;
    type Item = &'a T;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Ord> Extend<T> for OrderedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.insert(item);
        }
    }
}

impl<T: Ord> FromIterator<T> for OrderedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut set = Self::new();
        set.extend(items);
        set
    }
}
