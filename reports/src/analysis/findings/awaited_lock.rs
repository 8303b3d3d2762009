//! The lock or permit that an await is for.
//!
//! Computed for all awaits at once: there may be many of both.

use super::contended::lock_words;
use super::facts::Facts;
use super::finding::MAX_IDS;
use super::holder::Holder;
use super::locks::locks;
use crate::model::{NodeIndex, ResourceId, SiteIndex};
use crate::ordered::OrderedMap;

/// A lock that a node waits for.
#[derive(Debug)]
pub(super) struct AwaitedLock {
    /// Its kind and place.
    pub(super) words: String,
    /// `held most by …`.
    pub(super) held: String,
    /// Whether the waits are for a single hold.
    pub(super) is_one_hold: bool,
    /// Whether it is a pool of permits.
    pub(super) has_permits: bool,
    pub(super) ids: Vec<ResourceId>,
}

/// The lock, or the pool of permits, that the waiting at a node is for, if it is held by calls on
/// record: the one with most of the recorded waits at the node's await.
pub(super) fn awaited_lock<'a>(facts: &'a Facts<'_>, node: usize) -> Option<&'a AwaitedLock> {
    facts.awaited_locks(awaited_locks).get(&facts.node(node).site)
}

/// By await.
fn awaited_locks(facts: &Facts<'_>) -> OrderedMap<SiteIndex, AwaitedLock> {
    let locks = locks(facts);
    let mut waited_ns: OrderedMap<(SiteIndex, usize), u64> = OrderedMap::new();
    for (number, lock) in locks.iter().enumerate() {
        for row in &lock.waiters {
            let node = row.node.map(NodeIndex::get).filter(|&node| node < facts.tree.nodes.len());
            if let Some(node) = node {
                let own = waited_ns.entry((facts.node(node).site, number)).or_default();
                *own = own.saturating_add(row.total_ns);
            }
        }
    }
    let mut most: OrderedMap<SiteIndex, (u64, usize)> = OrderedMap::new();
    for ((site, number), ns) in waited_ns.into_iter().filter(|&(_, ns)| ns > 0) {
        let own = most.entry(site).or_default();
        *own = (*own).max((ns, number));
    }
    let awaited = |(site, (_, number)): (SiteIndex, (u64, usize))| {
        let lock = &locks[number];
        let held = Holder::longest(facts, &lock.holders)?.words.trim_start_matches("; ").to_owned();
        let ids = lock.ids.iter().copied().take(MAX_IDS).collect();
        let words = lock_words(facts, lock);
        let (is_one_hold, has_permits) = (lock.is_one_hold(), lock.has_permits());
        Some((site, AwaitedLock { words, held, is_one_hold, has_permits, ids }))
    };
    most.into_iter().filter_map(awaited).collect()
}
