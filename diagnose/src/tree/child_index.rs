//! The children of a node by key, for nodes with many: a hash table with open addressing.
//!
//! Only the tree's thread writes and reads it. An outgrown table is never freed: all tables of a
//! node together take at most twice the size of the last.

use std::ptr;

use super::link::Link;
use super::node::{Node, NodeKey};

/// `None` until there are more than a few children.
#[derive(Debug, Default)]
pub(super) struct ChildIndex(Link<ChildTable>);

/// A power of two in size, at least twice the number of children.
#[derive(Debug)]
struct ChildTable(Vec<Link<Node>>);

impl ChildIndex {
    /// Adds a child, the last of `count`. `children` are all of them, including it.
    #[cold]
    pub(super) fn add(
        &self,
        child: &'static Node,
        children: impl Iterator<Item = &'static Node>,
        count: u32,
    ) {
        let size = (count as usize * 2).next_power_of_two();
        match self.0.get().filter(|table| table.0.len() >= size) {
            Some(table) => table.add(child),
            None => {
                // Sized for twice the children.
                let table = ChildTable((0..size * 2).map(|_| Link::new(None)).collect());
                children.for_each(|child| table.add(child));
                self.0.set(Box::leak(Box::new(table)));
            }
        }
    }

    /// The first child with this key that satisfies `is_it`.
    pub(super) fn find(&self, key: NodeKey, is_it: impl Fn(&&Node) -> bool) -> Option<&'static Node> {
        self.0.get()?.probe(key).map_while(Link::get).find(|child| is_it(child))
    }
}

impl ChildTable {
    fn probe(&self, key: NodeKey) -> impl Iterator<Item = &Link<Node>> {
        let mask = self.0.len() - 1;
        let first = hash(key);
        (0..self.0.len()).map(move |step| &self.0[(first + step) & mask])
    }

    fn add(&self, child: &'static Node) {
        if let Some(free) = self.probe(child.key()).find(|link| link.get().is_none()) {
            free.set(child);
        }
    }
}

fn hash(key: NodeKey) -> usize {
    let via = key.via.map_or(0, |via| ptr::from_ref(via).addr());
    let mixed = ptr::from_ref(key.site).addr() ^ via.rotate_left(20) ^ key.label.number() << 7;
    // The golden ratio, in as many bits as a word has (Fibonacci hashing).
    let golden =
        usize::try_from(0x9E37_79B9_7F4A_7C15_u64 >> (u64::BITS - usize::BITS)).unwrap_or(usize::MAX);
    mixed.wrapping_mul(golden) >> (usize::BITS / 3)
}
