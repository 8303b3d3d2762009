//! A node: one path of sites in one thread's tree, with its counters.

use std::ptr;

use super::child_index::ChildIndex;
use super::durations::{LazyDurations, NextDuration};
use super::histogram::{BUCKETS, Histogram};
use super::link::Link;
use super::node_times::{NodeTimes, TimesCopy};
use super::poll_ends::PollEnds;
use super::poll_totals::{PassedPolls, PollTotals};
use crate::label::Label;
use crate::site::{Site, SiteKind};
use crate::sync::{AtomicU32, AtomicU64, Ordering, add};

/// Up to this many children are searched one by one.
const MAX_LINEAR: u32 = 8;

/// Distinguishes a node from its siblings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeKey {
    pub(crate) site: &'static Site,
    pub(crate) label: Label,
    /// The await through which the parent polls this node's spans, if the parent awaits them
    /// directly. Such an await has no node of its own: it begins and ends with its span.
    pub(crate) via: Option<&'static Site>,
}

impl NodeKey {
    /// The key of a site without a label and without an await.
    pub(crate) fn plain(site: &'static Site) -> Self {
        Self { site, label: Label::NONE, via: None }
    }
}

/// Sites are compared by address.
impl PartialEq for NodeKey {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn eq(&self, other: &Self) -> bool {
        let address = |site: Option<&'static Site>| site.map_or(ptr::null(), ptr::from_ref);
        ptr::eq(self.site, other.site)
            && self.label == other.label
            && ptr::eq(address(self.via), address(other.via))
    }
}

/// Counters are written by the tree's thread only, with relaxed loads and stores, and read by any
/// thread.
///
/// A poll that passes through touches only the first cache line. Other polls also touch the second,
/// and the histograms, which come last.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Node {
    pub(crate) times: NodeTimes,
    /// The node above, in the same tree; `None` for the tree's root.
    pub(crate) parent: Option<&'static Node>,
    pub(super) spent: PollTotals,
    /// Number of spans polled at least once.
    pub(crate) calls: AtomicU64,
    pub(crate) completed: AtomicU64,
    pub(crate) site: &'static Site,
    pub(crate) via: Option<&'static Site>,
    /// Durations of completed calls; none for awaits and hand-written futures.
    pub(crate) completed_calls: LazyDurations,
    /// The child found last.
    recent_child: Link<Node>,
    /// The sibling that was found after this node.
    successor: Link<Node>,
    /// The child appended last.
    first_child: Link<Node>,
    /// The child appended to the parent before this one.
    next_sibling: Link<Node>,
    pub(crate) label: Label,
    /// The number of the tree.
    pub(crate) tree: u32,
    /// Distance from the tree's root.
    pub(crate) depth: u32,
    children: AtomicU32,
    /// The children by key, once there are many.
    index: ChildIndex,
    /// The poll ends of the tree's thread; `None` in a tree without a thread.
    ends: Option<&'static PollEnds>,
    /// Ticks from construction to first poll, summed.
    pub(crate) unpolled: AtomicU64,
    /// For a root, ticks between a wake and the poll that it led to, summed.
    pub(crate) queued: AtomicU64,
    /// Ticks that tasks waited until this path ended the wait, summed. See `recorder/root.rs`.
    pub(crate) wall: AtomicU64,
    pub(crate) cancelled: AtomicU64,
    /// Durations of cancelled calls; none for awaits.
    pub(crate) cancelled_calls: LazyDurations,
    pub(crate) panicked: AtomicU64,
    pub(crate) never_polled: AtomicU64,
    /// Spans that came from another path while they waited, minus those that left for another;
    /// wraps. `calls` stays on the path where they began.
    pub(crate) moved: AtomicU64,
    /// Tick of the node's creation.
    pub(crate) first_seen: u64,
    /// Whether a root that no wrapper spawned was the first here.
    unspawned: AtomicU32,
    /// Polls of children that stop counting at this node; allocated with the first of them.
    pub(super) stopped: Link<PassedPolls>,
    /// Lengths of polls: first those that count for this node only, then those that also count for
    /// its ancestors.
    pub(super) histograms: [Histogram; 2],
}

impl Node {
    /// The root of a tree, which stands for "nothing annotated is running".
    pub(crate) fn root(site: &'static Site, tree: u32, ends: Option<&'static PollEnds>) -> Self {
        Self { ends, ..Self::with(None, NodeKey::plain(site), tree, 0, 0) }
    }

    fn with(parent: Option<&'static Node>, key: NodeKey, tree: u32, depth: u32, now: u64) -> Self {
        let NodeKey { site, label, via } = key;
        let zero = || AtomicU64::new(0);
        Self {
            times: NodeTimes::default(),
            parent,
            spent: PollTotals::default(),
            calls: zero(),
            completed: zero(),
            site,
            via,
            completed_calls: LazyDurations::default(),
            recent_child: Link::new(None),
            successor: Link::new(None),
            first_child: Link::new(None),
            next_sibling: Link::new(parent.and_then(|parent| parent.first_child.get())),
            label,
            tree,
            depth,
            children: AtomicU32::new(0),
            index: ChildIndex::default(),
            ends: parent.and_then(|parent| parent.ends),
            unpolled: zero(),
            queued: zero(),
            wall: zero(),
            cancelled: zero(),
            cancelled_calls: LazyDurations::default(),
            panicked: zero(),
            never_polled: zero(),
            moved: zero(),
            first_seen: now,
            unspawned: AtomicU32::new(0),
            stopped: Link::new(None),
            histograms: Default::default(),
        }
    }

    /// Appends a child. Only the tree's thread may call this, after it found no such child.
    #[cold]
    pub(super) fn append(&'static self, key: NodeKey, now: u64) -> &'static Node {
        let child = Box::leak(Box::new(Self::with(Some(self), key, self.tree, self.depth + 1, now)));
        let count = self.children.load(Ordering::Relaxed) + 1;
        self.children.store(count, Ordering::Relaxed);
        self.first_child.set(child);
        if count > MAX_LINEAR {
            self.index.add(child, self.children(), count);
        }
        child
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn key(&self) -> NodeKey {
        NodeKey { site: self.site, label: self.label, via: self.via }
    }

    /// The child with this key that can be entered, which excludes running ones. A task polled
    /// inside a poll of itself, through a nested executor, gets a second node, and captures merge
    /// the two.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn child(&'static self, key: NodeKey) -> Option<&'static Node> {
        self.recent_child(key).or_else(|| self.find(key, false))
    }

    /// Returns that child, if it was found last, or followed the last one before.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn recent_child(&'static self, key: NodeKey) -> Option<&'static Node> {
        let is_it = |child: &&Node| child.key() == key && !child.times.is_running();
        let recent = self.recent_child.get();
        if let Some(child) = recent.filter(is_it) {
            return Some(child);
        }
        // A body usually runs its awaits and its calls in the same order.
        if let Some(child) = recent.and_then(|recent| recent.successor.get()).filter(is_it) {
            self.recent_child.set(child);
            return Some(child);
        }
        None
    }

    /// The child with this key, running or not.
    pub(super) fn any_child(&'static self, key: NodeKey) -> Option<&'static Node> {
        self.find(key, true)
    }

    #[cold]
    #[inline(never)]
    fn find(&'static self, key: NodeKey, takes_running: bool) -> Option<&'static Node> {
        let is_it = |child: &&Node| child.key() == key && (takes_running || !child.times.is_running());
        let found = if self.children.load(Ordering::Relaxed) > MAX_LINEAR {
            self.index.find(key, is_it)
        } else {
            self.children().find(is_it)
        };
        if let Some(child) = found {
            if let Some(recent) = self.recent_child.get() {
                recent.successor.set(child);
            }
            self.recent_child.set(child);
        }
        found
    }

    /// All children, the newest first.
    pub(crate) fn children(&'static self) -> impl Iterator<Item = &'static Node> {
        std::iter::successors(self.first_child.get(), |child| child.next_sibling.get())
    }

    /// This node, or the nearest above it that counts pending children. Synchronous calls do not
    /// count them, nor do awaits in a body, because the body does.
    pub(crate) fn span(&'static self) -> &'static Node {
        let mut node = self;
        while let Some(parent) = node.parent.filter(|_| !node.counts_pending_children()) {
            node = parent;
        }
        node
    }

    /// The root of the path, just below that of the tree.
    pub(crate) fn task_root(&'static self) -> &'static Node {
        let mut node = self;
        while let Some(parent) = node.parent.filter(|parent| !parent.is_root()) {
            node = parent;
        }
        node
    }

    fn counts_pending_children(&self) -> bool {
        match self.site.kind {
            SiteKind::Sync | SiteKind::Impl | SiteKind::Traced => false,
            SiteKind::Await => !self.site.is_direct,
            _ => true,
        }
    }

    /// Returns whether nothing is counted here: a future was created and never polled.
    pub(crate) fn is_blank(&self) -> bool {
        let ends = [&self.completed, &self.never_polled, &self.cancelled, &self.panicked];
        let counters = [&self.calls, &self.moved].into_iter().chain(ends);
        let is_zero = |counter: &AtomicU64| counter.load(Ordering::Relaxed) == 0;
        self.first_child.get().is_none() && counters.into_iter().all(is_zero) && !self.times.is_running()
    }

    /// Records that no wrapper spawned the root that was the first here.
    pub(crate) fn note_unspawned(&self) {
        self.unspawned.store(1, Ordering::Relaxed);
    }

    pub(crate) fn is_unspawned(&self) -> bool {
        self.unspawned.load(Ordering::Relaxed) != 0
    }

    #[inline]
    pub(crate) fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_child_of(&self, other: Option<&'static Node>) -> bool {
        let address = |node: Option<&'static Node>| node.map_or(ptr::null(), ptr::from_ref);
        ptr::eq(address(self.parent), address(other))
    }

    /// Returns whether no future of a task is running: the path has only synchronous functions,
    /// which then run an executor, spans of `tracing`, and hand-written futures that an executor
    /// polls.
    pub(crate) fn is_outside_of_tasks(&self) -> bool {
        let mut node = self;
        while let (true, Some(parent)) = (node.may_be_outside_of_tasks(), node.parent) {
            node = parent;
        }
        node.is_root()
    }

    /// Returns whether this node may be outside of tasks, depending on the nodes above it.
    #[inline]
    pub(crate) fn may_be_outside_of_tasks(&self) -> bool {
        matches!(self.site.kind, SiteKind::Sync | SiteKind::Impl | SiteKind::Traced)
    }

    /// Returns whether this is a span of `tracing`.
    #[inline]
    pub(crate) fn is_traced(&self) -> bool {
        self.site.kind == SiteKind::Traced
    }

    /// Returns whether this is one of the recorder's own nodes, below which nothing is recorded.
    pub(crate) fn is_other(&self) -> bool {
        self.site.kind == SiteKind::Other && !self.is_root()
    }

    /// Returns whether both nodes have the same path, in any trees.
    pub(crate) fn same_path(&self, other: &Node) -> bool {
        let (mut a, mut b) = (self, other);
        loop {
            if ptr::eq(a, b) {
                return true;
            }
            if a.key() != b.key() {
                return false;
            }
            match (a.parent, b.parent) {
                (Some(next_a), Some(next_b)) => (a, b) = (next_a, next_b),
                (None, None) => return true,
                _ => return false,
            }
        }
    }

    /// Counts a call that has completed `ticks` after the start of its first poll.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn complete(&self, ticks: u64) {
        if !self.completed_calls.count(&self.completed, ticks) {
            self.count_first(&self.completed_calls, &self.completed, ticks);
        }
    }

    /// Where the next completed call is counted; `None` before the first.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn next_completed(&self) -> Option<NextDuration<'_>> {
        self.completed_calls.next(&self.completed)
    }

    /// Counts a call that was dropped `ticks` after the start of its first poll.
    pub(crate) fn cancel(&self, ticks: u64) {
        if !self.cancelled_calls.count(&self.cancelled, ticks) {
            self.count_first(&self.cancelled_calls, &self.cancelled, ticks);
        }
    }

    #[cold]
    #[inline(never)]
    fn count_first(&self, durations: &LazyDurations, calls: &AtomicU64, ticks: u64) {
        // Awaits and hand-written futures past the limits count there too, without a duration.
        if self.is_other() {
            return add(calls, 1);
        }
        durations.allocate();
        durations.count(calls, ticks);
    }

    /// A consistent copy of this node's own times, without polls that pass through. See
    /// [`NodeTimes::read`].
    pub(crate) fn read(&self, until: u64, now: impl Fn() -> u64) -> Option<TimesCopy> {
        self.times.read(&self.spent, until, now)
    }

    /// Polls by length: all, and those that count for the ancestors too.
    pub(crate) fn histograms(&self) -> [[u64; BUCKETS]; 2] {
        let [alone, through] = self.histograms.each_ref().map(Histogram::counts);
        [std::array::from_fn(|bucket| alone[bucket] + through[bucket]), through]
    }

    /// The ends of this thread's polls that left unpolled futures behind.
    pub(crate) fn ends(&self) -> Option<&'static PollEnds> {
        self.ends
    }

    /// Polls that pass through children and stop counting at this node.
    pub(crate) fn stopped(&self) -> Option<&'static PassedPolls> {
        self.stopped.get()
    }

    pub(crate) fn longest(&self) -> u64 {
        self.spent.longest()
    }

    pub(crate) fn forget_longest(&self) {
        self.spent.forget_longest();
        self.completed_calls.forget_longest(&self.completed);
        self.cancelled_calls.forget_longest(&self.cancelled);
    }
}

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use std::mem::offset_of;

    use super::Node;

    #[test]
    fn a_poll_touches_two_cache_lines_of_a_node() {
        assert_eq!(offset_of!(Node, spent), 64);
        assert_eq!(offset_of!(Node, site), 128);
    }
}
