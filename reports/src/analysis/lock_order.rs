//! Locks that were acquired in both orders, or in a longer cycle.
//!
//! A pair is an edge from the held lock to the acquired lock. First, edges that cannot be part of a
//! cycle are removed, from both ends. Then each pair of opposite edges is an inversion. For every
//! other edge that no inversion contains yet, the shortest cycle through that edge is an inversion.

use std::collections::VecDeque;

use crate::index::Index;
use crate::json::ToJson;
use crate::model::{LockOrder, LockPair, Snapshot};
use crate::ordered::OrderedMap;
use crate::sort::sort_by_key;

/// Maximum number of inversions that are reported.
const MAX_INVERSIONS: usize = 1000;

/// Locks that were acquired in both orders, or in a longer cycle. Tasks that acquire them at the
/// same time can deadlock.
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct LockInversion {
    /// Positions in [`LockOrder::pairs`] of the same snapshot. The lock acquired in one pair is
    /// held in the next one; the lock acquired in the last is held in the first.
    pub pairs: Vec<usize>,
}

impl Snapshot {
    /// Returns the locks that were acquired in both orders: pairs first, then longer cycles, up to
    /// 1,000 in total. The list is empty if lock order was not recorded.
    ///
    /// An inversion does not mean that anything hangs or will hang: a third lock may have been
    /// held, or the tasks may never run at the same time.
    #[must_use]
    pub fn lock_inversions(&self) -> Vec<LockInversion> {
        self.lock_order.as_ref().map(inversions).unwrap_or_default()
    }
}

fn inversions(order: &LockOrder) -> Vec<LockInversion> {
    let graph = LockGraph::new(order);
    let mut is_said = vec![false; order.pairs.len()];
    let mut found = Vec::new();
    let edges = || graph.pairs.iter().enumerate().filter(|(edge, _)| graph.is_left[*edge]);
    for (edge, pair) in edges().filter(|(_, pair)| pair.held < pair.acquired) {
        if let Some(&back) = graph.edges.get(&(pair.acquired, pair.held)) {
            (is_said[edge], is_said[back]) = (true, true);
            found.push(LockInversion { pairs: vec![edge, back] });
        }
    }
    for (edge, pair) in edges() {
        if is_said[edge] || found.len() >= MAX_INVERSIONS {
            continue;
        }
        if let Some(path) = graph.path(pair.acquired, pair.held) {
            let pairs: Vec<usize> = [edge].into_iter().chain(path).collect();
            for &edge in &pairs {
                is_said[edge] = true;
            }
            found.push(LockInversion { pairs });
        }
    }
    found.truncate(MAX_INVERSIONS);
    sort_by_key(&mut found, |inversion| inversion.pairs.len());
    found
}

/// A pair, as positions in [`LockOrder::resources`].
struct LockEdge {
    held: usize,
    acquired: usize,
}

/// The pairs that can be part of a cycle.
struct LockGraph {
    pairs: Vec<LockEdge>,
    edges: OrderedMap<(usize, usize), usize>,
    is_left: Vec<bool>,
    /// By lock: the edges that begin at it.
    from: Vec<Vec<usize>>,
}

impl LockGraph {
    fn new(order: &LockOrder) -> Self {
        let count = order.resources.len();
        let index = Index::new(order.resources.iter().map(|resource| resource.id));
        // A lock that is not listed gets a position past the end.
        let position = |id| index.get(id).unwrap_or(count);
        let edge =
            |pair: &LockPair| LockEdge { held: position(pair.held), acquired: position(pair.acquired) };
        let pairs: Vec<LockEdge> = order.pairs.iter().map(edge).collect();
        let is_sound = |pair: &LockEdge| pair.held.max(pair.acquired) < count && pair.held != pair.acquired;
        let mut is_left: Vec<bool> = pairs.iter().map(is_sound).collect();
        let ends: [fn(&LockEdge) -> usize; 2] = [|pair| pair.held, |pair| pair.acquired];
        // Removes first the edges from locks without an incoming edge, then the edges to locks
        // without an outgoing edge.
        for side in 0..2 {
            let (near, far) = (ends[1 - side], ends[side]);
            let mut degree = vec![0_usize; count];
            let mut at: Vec<Vec<usize>> = vec![Vec::new(); count];
            for (edge, pair) in pairs.iter().enumerate().filter(|(edge, _)| is_left[*edge]) {
                degree[near(pair)] += 1;
                at[far(pair)].push(edge);
            }
            let mut bare: Vec<usize> = (0..count).filter(|&lock| degree[lock] == 0).collect();
            while let Some(lock) = bare.pop() {
                for &edge in &at[lock] {
                    is_left[edge] = false;
                    let next = near(&pairs[edge]);
                    degree[next] -= 1;
                    if degree[next] == 0 {
                        bare.push(next);
                    }
                }
            }
        }
        let mut graph = Self { pairs, edges: OrderedMap::new(), is_left, from: vec![Vec::new(); count] };
        for (edge, pair) in graph.pairs.iter().enumerate() {
            if graph.is_left[edge] {
                graph.edges.insert((pair.held, pair.acquired), edge);
                graph.from[pair.held].push(edge);
            }
        }
        graph
    }

    /// The edges of the shortest path from one lock to another.
    fn path(&self, start: usize, end: usize) -> Option<Vec<usize>> {
        let mut came_by: Vec<Option<usize>> = vec![None; self.from.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(lock) = queue.pop_front() {
            for &edge in &self.from[lock] {
                let next = self.pairs[edge].acquired;
                if next == start || came_by[next].is_some() {
                    continue;
                }
                came_by[next] = Some(edge);
                if next == end {
                    let back = |&edge: &usize| came_by[self.pairs[edge].held];
                    let mut path: Vec<usize> = std::iter::successors(Some(edge), back).collect();
                    path.reverse();
                    return Some(path);
                }
                queue.push_back(next);
            }
        }
        None
    }
}
