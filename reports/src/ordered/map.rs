//! A map in the order of its keys.

use std::borrow::Borrow;
use std::ops::Index;

use super::order::{Iter, Order, OrderPosition};

/// A map in the order of its keys.
#[derive(Clone, Debug)]
pub struct OrderedMap<K, V> {
    /// In the order of their insertion.
    entries: Vec<(K, V)>,
    order: Order,
}

impl<K, V> Default for OrderedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Ord, V> OrderedMap<K, V> {
    /// Returns the value of a key.
    #[must_use]
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let position = self.order.find(&mut |entry| self.entries[entry].0.borrow().cmp(key));
        position.ok().map(|entry| &self.entries[entry].1)
    }

    /// Returns a mutable reference to the value of a key.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let position = self.order.find(&mut |entry| self.entries[entry].0.borrow().cmp(key));
        position.ok().map(|entry| &mut self.entries[entry].1)
    }

    /// Returns whether the map has a key.
    #[must_use]
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.get(key).is_some()
    }

    /// Inserts an entry. If the map already has the key, the value is replaced. Returns the old
    /// value, if any.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let Entry { map, key, position } = self.entry(key);
        match position {
            Ok(entry) => Some(std::mem::replace(&mut map.entries[entry].1, value)),
            Err(position) => {
                map.order.insert(position, map.entries.len());
                map.entries.push((key, value));
                None
            }
        }
    }

    /// Returns the entry of a key, through which a missing value can be inserted.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        let position = self.order.find(&mut |entry| self.entries[entry].0.cmp(&key));
        Entry { map: self, key, position }
    }
}

impl<K, V> OrderedMap<K, V> {
    /// Creates an empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new(), order: Order::new() }
    }

    /// The number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether the map has no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries, in the order of the keys.
    #[must_use]
    pub fn iter(&self) -> Iter<'_, (K, V)> {
        self.order.of(&self.entries)
    }

    /// The keys, in their order.
    #[must_use]
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    /// The values, in the order of the keys.
    #[must_use]
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// The values, in the order of the keys.
    #[must_use]
    pub fn into_values(self) -> impl ExactSizeIterator<Item = V> {
        self.into_iter().map(|(_, value)| value)
    }
}

impl<K: Ord + Borrow<Q>, V, Q: Ord + ?Sized> Index<&Q> for OrderedMap<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the key is in the map")
    }
}

impl<K, V> IntoIterator for OrderedMap<K, V> {
    type IntoIter = std::vec::IntoIter<(K, V)>;
    type Item = (K, V);

    fn into_iter(self) -> Self::IntoIter {
        self.order.arranged(self.entries).into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a OrderedMap<K, V> {
    type IntoIter = Iter<'a, (K, V)>;
    type Item = &'a (K, V);

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for OrderedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

/// The entry of a key in a map, present or not.
#[derive(Debug)]
pub struct Entry<'a, K, V> {
    map: &'a mut OrderedMap<K, V>,
    key: K,
    /// The position of the key's entry, or the position at which it belongs.
    position: Result<usize, OrderPosition>,
}

impl<'a, K: Ord, V> Entry<'a, K, V> {
    /// Returns the value of the key, after inserting the default value if there was none.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }

    /// Returns the value of the key, after inserting `value` if there was none.
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    /// Returns the value of the key, after inserting the function's result if there was none.
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        let Self { map, key, position } = self;
        let entry = position.unwrap_or_else(|position| {
            map.order.insert(position, map.entries.len());
            map.entries.push((key, make()));
            map.entries.len() - 1
        });
        &mut map.entries[entry].1
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::order::CHUNK;
    use super::OrderedMap;

    #[test]
    fn a_map_matches_the_standard_library() {
        let (mut ours, mut theirs) = (OrderedMap::new(), BTreeMap::new());
        // Inserts keys in ascending, descending and mixed order, each key twice, so that there are
        // several chunks.
        let keys = (0..4 * CHUNK).map(|number| (number * 7_919) % (2 * CHUNK + 1));
        for key in keys.clone().chain(9_000..9_700).chain((8_000..8_700).rev()) {
            assert_eq!(ours.insert(key, key * 2), theirs.insert(key, key * 2));
            *ours.entry(key / 3).or_default() += 1;
            *theirs.entry(key / 3).or_default() += 1;
            assert_eq!(ours.get(&(key + 1)), theirs.get(&(key + 1)));
        }
        assert_eq!(ours.len(), theirs.len());
        assert!(ours.keys().eq(theirs.keys()) && ours.values().rev().eq(theirs.values().rev()));
        assert!(ours.into_iter().eq(theirs));
    }

    #[test]
    fn an_empty_map_has_nothing() {
        let map = OrderedMap::<u8, u8>::new();
        assert!(map.is_empty() && map.get(&1).is_none() && map.into_iter().next().is_none());
    }
}
