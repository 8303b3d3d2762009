//! Adds up the trees of all threads by path, in ticks.

use std::ptr;

use super::cost::RecordedWork;
use super::numbers::Table;
use super::reset;
use super::total_times::{PassedTotals, TotalTimes, is_nothing};
use crate::clock;
use crate::label::{Label, Replaced};
use crate::site::{Site, SiteKind};
use crate::sync::{AtomicU64, Ordering};
use crate::tree::{self, BUCKETS, DurationsCopy, Node};

/// All paths, parents before children, and the totals of the trees.
#[derive(Debug, Clone, Default)]
pub(super) struct Merged {
    pub(super) paths: Vec<Path>,
    index: Table<PathKey, usize>,
    pub(super) threads: Vec<TreeThread>,
    pub(super) over_nodes: u64,
    pub(super) over_depth: u64,
    pub(super) unreadable: u64,
    pub(super) recorded: RecordedWork,
    /// The tick up to which open polls and waits count.
    until: u64,
    replaced: Replaced,
}

/// Index of the parent, address of the site, label.
type PathKey = (Option<usize>, usize, Label);

/// One path of sites.
#[derive(Debug, Clone)]
pub(super) struct Path {
    pub(super) parent: Option<usize>,
    pub(super) site: &'static Site,
    pub(super) label: Label,
    pub(super) sums: PathSums,
    /// Number of running polls.
    pub(super) running: u64,
    /// Number of open waits; wraps while trees are added.
    pub(super) pending: u64,
    pub(super) longest: u64,
    /// `u64::MAX` until a node was read.
    pub(super) first_seen: u64,
    pub(super) last_seen: u64,
}

/// Counters that only grow, so a reset can subtract them.
#[derive(Debug, Clone)]
pub(super) struct PathSums {
    pub(super) calls: u64,
    pub(super) polls: u64,
    pub(super) completed: u64,
    pub(super) cancelled: u64,
    pub(super) panicked: u64,
    pub(super) never_polled: u64,
    /// Wrapping counter.
    moved: u64,
    pub(super) busy: u64,
    /// Busy time of tasks that a nested executor polled under this path.
    pub(super) nested: u64,
    pub(super) own_idle: u64,
    pub(super) child_idle: u64,
    pub(super) unpolled: u64,
    pub(super) queued: u64,
    pub(super) wall: u64,
    pub(super) histogram: [u64; BUCKETS],
    /// Durations of calls; none for awaits.
    pub(super) completed_calls: DurationsCopy,
    pub(super) cancelled_calls: DurationsCopy,
}

#[derive(Debug, Clone)]
pub(super) struct TreeThread {
    pub(super) name: String,
    pub(super) alive: bool,
    pub(super) nodes: u64,
}

impl Merged {
    /// Reads all trees, and subtracts the baseline of the last reset.
    pub(super) fn capture() -> Self {
        let mut merged = Self::read_all();
        reset::with_baseline(|baseline| merged.subtract(baseline));
        merged.cover();
        merged
    }

    /// Reads all trees.
    pub(super) fn read_all() -> Self {
        let mut merged = Self { until: clock::now(), replaced: Replaced::now(), ..Self::default() };
        for tree in tree::all() {
            merged.add_children(&tree.root, None);
            if let Some((name, alive)) = tree.thread() {
                let nodes = tree.nodes.load(Ordering::Relaxed);
                merged.threads.push(TreeThread { name, alive, nodes });
            }
            merged.over_nodes += tree.over_nodes.load(Ordering::Relaxed);
            merged.over_depth += tree.over_depth.load(Ordering::Relaxed);
            merged.recorded.add_thread(&tree.counts);
        }
        for path in &mut merged.paths {
            path.settle();
        }
        merged
    }

    fn add_children(&mut self, node: &'static Node, path: Option<usize>) -> PassedTotals {
        let mut through = PassedTotals::NONE;
        for child in node.children() {
            through.add(&self.add(child, path));
        }
        through
    }

    /// Adds a node and everything below it. Children are read first, so that the parent's time
    /// covers theirs.
    ///
    /// Returns the totals that also pass through the parent.
    fn add(&mut self, node: &'static Node, parent: Option<usize>) -> PassedTotals {
        if let (true, Some(parent)) = (tree::is_nested(node.site), parent) {
            match TotalTimes::read(node, PassedTotals::NONE, self.until).0 {
                Some(whole) => self.paths[parent].sums.nested += whole.busy,
                None => self.unreadable += 1,
            }
            return PassedTotals::NONE;
        }
        if node.is_blank() && is_nothing(node.read(self.until, clock::now)) {
            return PassedTotals::NONE;
        }
        let via = node.via.map(|via| self.path(parent, via, Label::NONE));
        let path = self.path(via.or(parent), node.site, node.label);
        let below = self.add_children(node, Some(path));
        let (whole, through) = TotalTimes::read(node, below, self.until);
        let Some(whole) = whole else {
            self.unreadable += 1;
            return through;
        };
        self.recorded.add(node, &whole, through.polls());
        self.paths[path].add(node, &whole);
        self.paths[path].sums.unpolled += node.unpolled.load(Ordering::Relaxed);
        self.paths[path].sums.queued += node.queued.load(Ordering::Relaxed);
        self.paths[path].sums.wall += node.wall.load(Ordering::Relaxed);
        if let Some(via) = via {
            self.paths[via].add(node, &whole.of_await());
        }
        through
    }

    /// Adds a task's open wait: `waited` to the waiting path, `queued` to the task's root.
    pub(super) fn add_open(&mut self, node: &'static Node, waited: u64, queued: u64) {
        let path = self.path_of(node);
        self.paths[path].sums.wall += waited;
        let root = std::iter::successors(Some(path), |&path| self.paths[path].parent).last();
        self.paths[root.unwrap_or(path)].sums.queued += queued;
    }

    fn path_of(&mut self, node: &'static Node) -> usize {
        let parent = node.parent.filter(|parent| !parent.is_root()).map(|parent| self.path_of(parent));
        let via = node.via.map(|via| self.path(parent, via, Label::NONE));
        self.path(via.or(parent), node.site, node.label)
    }

    /// The path of a node, if it was read.
    pub(super) fn find(&self, node: &'static Node) -> Option<usize> {
        let parent = match node.parent.filter(|parent| !parent.is_root()) {
            Some(parent) => Some(self.find(parent)?),
            None => None,
        };
        let path = |parent: Option<usize>, site: &'static Site, label: Label| {
            self.index.get(&(parent, ptr::from_ref(site).addr(), self.replaced.shown(label))).copied()
        };
        let parent = match node.via {
            Some(via) => Some(path(parent, via, Label::NONE)?),
            None => parent,
        };
        path(parent, node.site, node.label)
    }

    fn path(&mut self, parent: Option<usize>, site: &'static Site, label: Label) -> usize {
        let label = self.replaced.shown(label);
        let key = (parent, ptr::from_ref(site).addr(), label);
        *self.index.entry(key).or_insert_with(|| {
            self.paths.push(Path::new(parent, site, label));
            self.paths.len() - 1
        })
    }

    /// Corrects parents that are short of their children's time: open times are read node by node,
    /// and a reset takes the difference of two captures.
    fn cover(&mut self) {
        let mut children = vec![0_u64; self.paths.len()];
        for path in (0..self.paths.len()).rev() {
            let Path { parent, sums, .. } = &mut self.paths[path];
            sums.busy = sums.busy.max(children[path].saturating_add(sums.nested));
            if let Some(parent) = *parent {
                children[parent] = children[parent].saturating_add(sums.busy);
            }
        }
    }

    /// Subtracts the counts of `baseline`, path by path.
    fn subtract(&mut self, baseline: &Self) {
        // Path numbers differ per capture: translate those of the baseline, parents first.
        let mut here: Vec<usize> = Vec::with_capacity(baseline.paths.len());
        for old in &baseline.paths {
            let path = self.path(old.parent.map(|parent| here[parent]), old.site, old.label);
            here.push(path);
            self.paths[path].sums.subtract(&old.sums);
        }
        self.recorded.subtract(&baseline.recorded);
        self.over_nodes = self.over_nodes.saturating_sub(baseline.over_nodes);
        self.over_depth = self.over_depth.saturating_sub(baseline.over_depth);
    }
}

impl Path {
    fn new(parent: Option<usize>, site: &'static Site, label: Label) -> Self {
        let sums = PathSums {
            calls: 0,
            polls: 0,
            completed: 0,
            cancelled: 0,
            panicked: 0,
            never_polled: 0,
            moved: 0,
            busy: 0,
            nested: 0,
            own_idle: 0,
            child_idle: 0,
            unpolled: 0,
            queued: 0,
            wall: 0,
            histogram: [0; BUCKETS],
            completed_calls: DurationsCopy::default(),
            cancelled_calls: DurationsCopy::default(),
        };
        Self {
            parent,
            site,
            label,
            sums,
            running: 0,
            pending: 0,
            longest: 0,
            first_seen: u64::MAX,
            last_seen: 0,
        }
    }

    fn add(&mut self, node: &Node, whole: &TotalTimes) {
        let value = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let sums = &mut self.sums;
        sums.polls += whole.polls;
        // Ends are read before beginnings, so that no more calls have ended than begun.
        let completed_calls = node.completed_calls.read(&node.completed);
        let cancelled_calls = node.cancelled_calls.read(&node.cancelled);
        sums.completed += completed_calls.calls;
        sums.cancelled += cancelled_calls.calls;
        // The await of a span ends with the span, whose node has the durations.
        if self.site.kind != SiteKind::Await {
            sums.completed_calls.add(&completed_calls);
            sums.cancelled_calls.add(&cancelled_calls);
        }
        sums.panicked += value(&node.panicked);
        sums.calls += value(&node.calls);
        sums.never_polled += value(&node.never_polled);
        sums.moved = sums.moved.wrapping_add(value(&node.moved));
        sums.busy += whole.busy;
        sums.own_idle = sums.own_idle.wrapping_add(whole.own_idle);
        sums.child_idle = sums.child_idle.wrapping_add(whole.child_idle);
        for (sum, count) in sums.histogram.iter_mut().zip(whole.histogram) {
            *sum += count;
        }
        self.running += u64::from(whole.is_running);
        self.pending = self.pending.wrapping_add(whole.pending);
        self.longest = self.longest.max(whole.longest);
        self.first_seen = self.first_seen.min(node.first_seen);
        self.last_seen = self.last_seen.max(whole.left);
    }

    /// Ends the summation over all trees: wrapped sums are whole now. A wait that was read between
    /// its two updates may leave a small negative rest, which counts as zero.
    fn settle(&mut self) {
        for wrapped in [&mut self.pending, &mut self.sums.own_idle, &mut self.sums.child_idle] {
            *wrapped = if *wrapped > u64::MAX / 2 { 0 } else { *wrapped };
        }
    }

    /// Returns whether this path itself recorded nothing.
    pub(super) fn is_empty(&self) -> bool {
        let sums = &self.sums;
        sums.polls == 0
            && sums.busy == 0
            && sums.nested == 0
            && sums.completed == 0
            && sums.panicked == 0
            && sums.calls == 0
            && sums.cancelled == 0
            && sums.never_polled == 0
            && sums.own_idle == 0
            && sums.child_idle == 0
            && self.pending == 0
            && self.running == 0
    }
}

impl PathSums {
    fn subtract(&mut self, old: &Self) {
        // A call that is open at the reset counts after it, on the path where it is then.
        let left =
            self.calls.wrapping_add(old.moved).wrapping_sub(old.completed + old.cancelled + old.panicked);
        self.calls = if left > u64::MAX / 2 { 0 } else { left };
        let pairs = [
            (&mut self.polls, old.polls),
            (&mut self.completed, old.completed),
            (&mut self.cancelled, old.cancelled),
            (&mut self.panicked, old.panicked),
            (&mut self.never_polled, old.never_polled),
            (&mut self.busy, old.busy),
            (&mut self.nested, old.nested),
            (&mut self.own_idle, old.own_idle),
            (&mut self.child_idle, old.child_idle),
            (&mut self.unpolled, old.unpolled),
            (&mut self.queued, old.queued),
            (&mut self.wall, old.wall),
        ];
        for (now, then) in pairs {
            *now = now.saturating_sub(then);
        }
        for (now, then) in self.histogram.iter_mut().zip(old.histogram) {
            *now = now.saturating_sub(then);
        }
        self.completed_calls.subtract(&old.completed_calls);
        self.cancelled_calls.subtract(&old.cancelled_calls);
    }
}
