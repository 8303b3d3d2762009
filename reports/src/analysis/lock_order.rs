//! Locks that were taken in both orders, or in a circle of more.
//!
//! A pair is an edge from the lock that was held to the one that was acquired. What no circle can go through is taken away from
//! both ends first. Then all pairs that were met in both directions are said, and for each other edge, unless it is part of what
//! was said, the shortest circle through it.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::model::{LockOrder, LockPair, Snapshot};

/// So many circles are looked for.
const MAX_INVERSIONS: usize = 1000;

/// Locks that were taken in both orders, or in a circle: those who do so at the same time can hang.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LockInversion {
    /// Indices into [`LockOrder::pairs`]: what is acquired in one is held in the next, and in the last what is held in the
    /// first.
    pub pairs: Vec<usize>,
}

impl Snapshot {
    /// The locks that were taken in both orders, two by two, then longer circles, up to 1,000 in all. Empty where nothing of
    /// that was noted.
    ///
    /// It is not said that anything hangs, or will: they may have been taken under a third lock, or by tasks that never
    /// run at the same time.
    #[must_use]
    pub fn lock_inversions(&self) -> Vec<LockInversion> {
        self.lock_order.as_ref().map(inversions).unwrap_or_default()
    }
}

fn inversions(order: &LockOrder) -> Vec<LockInversion> {
    let graph = Graph::new(order);
    let mut is_said = vec![false; order.pairs.len()];
    let mut found = Vec::new();
    let edges = || order.pairs.iter().enumerate().filter(|(edge, _)| graph.is_left[*edge]);
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
        if let Some(way) = graph.way(order, pair.acquired, pair.held) {
            let pairs: Vec<usize> = [edge].into_iter().chain(way).collect();
            for &edge in &pairs {
                is_said[edge] = true;
            }
            found.push(LockInversion { pairs });
        }
    }
    found.truncate(MAX_INVERSIONS);
    found.sort_by_key(|inversion| inversion.pairs.len());
    found
}

/// The pairs that circles can go through.
struct Graph {
    edges: BTreeMap<(usize, usize), usize>,
    is_left: Vec<bool>,
    /// By lock: the edges that begin at it.
    from: Vec<Vec<usize>>,
}

impl Graph {
    fn new(order: &LockOrder) -> Self {
        let count = order.resources.len();
        let is_sound = |pair: &LockPair| pair.held.max(pair.acquired) < count && pair.held != pair.acquired;
        let mut is_left: Vec<bool> = order.pairs.iter().map(is_sound).collect();
        let ends: [fn(&LockPair) -> usize; 2] = [|pair| pair.held, |pair| pair.acquired];
        // What nothing leads to, and then what leads nowhere.
        for side in 0..2 {
            let (near, far) = (ends[1 - side], ends[side]);
            let mut degree = vec![0_usize; count];
            let mut at: Vec<Vec<usize>> = vec![Vec::new(); count];
            for (edge, pair) in order.pairs.iter().enumerate().filter(|(edge, _)| is_left[*edge]) {
                degree[near(pair)] += 1;
                at[far(pair)].push(edge);
            }
            let mut bare: Vec<usize> = (0..count).filter(|&lock| degree[lock] == 0).collect();
            while let Some(lock) = bare.pop() {
                for &edge in &at[lock] {
                    is_left[edge] = false;
                    let next = near(&order.pairs[edge]);
                    degree[next] -= 1;
                    if degree[next] == 0 {
                        bare.push(next);
                    }
                }
            }
        }
        let mut graph = Self { edges: BTreeMap::new(), is_left, from: vec![Vec::new(); count] };
        for (edge, pair) in order.pairs.iter().enumerate() {
            if graph.is_left[edge] {
                graph.edges.insert((pair.held, pair.acquired), edge);
                graph.from[pair.held].push(edge);
            }
        }
        graph
    }

    /// The edges of the shortest way from one lock to another.
    fn way(&self, order: &LockOrder, start: usize, end: usize) -> Option<Vec<usize>> {
        let mut came_by: Vec<Option<usize>> = vec![None; self.from.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(lock) = queue.pop_front() {
            for &edge in &self.from[lock] {
                let next = order.pairs[edge].acquired;
                if next == start || came_by[next].is_some() {
                    continue;
                }
                came_by[next] = Some(edge);
                if next == end {
                    let back = |&edge: &usize| came_by[order.pairs[edge].held];
                    let mut way: Vec<usize> = std::iter::successors(Some(edge), back).collect();
                    way.reverse();
                    return Some(way);
                }
                queue.push_back(next);
            }
        }
        None
    }
}
