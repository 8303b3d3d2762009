//! A node: one path of sites in one thread's tree, with everything counted on it.

use std::ptr;

use super::child_index::ChildIndex;
use super::histogram::{BUCKETS, Histogram};
use super::link::Link;
use super::node_times::{NodeTimes, TimesCopy, WaitAccount};
use super::poll_ends::PollEnds;
use super::poll_totals::{PassedPolls, PassingChain, PollTotals};
use crate::label::Label;
use crate::site::{Site, SiteKind};
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// So many children are looked at one by one.
const MAX_LINEAR: u32 = 8;

/// What tells a node from its siblings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeKey {
    pub(crate) site: &'static Site,
    pub(crate) label: Label,
    /// The await through which the parent polls this node's spans, if the parent awaits them directly. Such an await
    /// has no node of its own: it begins and ends with its span.
    pub(crate) via: Option<&'static Site>,
}

impl NodeKey {
    /// A site that has no label and is not awaited.
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

/// Counters are written by the tree's thread only, with relaxed loads and stores, and read by any.
///
/// The first cache line is all that a poll touches that passes through; what every other poll touches is on the second, and
/// in the histograms, which come last.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Node {
    pub(crate) times: NodeTimes,
    /// The node above, in the same tree; `None` for the tree's root.
    pub(crate) parent: Option<&'static Node>,
    spent: PollTotals,
    /// Spans polled at least once.
    pub(crate) calls: AtomicU64,
    pub(crate) completed: AtomicU64,
    pub(crate) site: &'static Site,
    pub(crate) via: Option<&'static Site>,
    /// The child that was found last.
    recent_child: Link<Node>,
    /// The child that was appended last.
    first_child: Link<Node>,
    /// The child that was appended to the parent before this one.
    next_sibling: Link<Node>,
    pub(crate) label: Label,
    /// Number of the tree.
    pub(crate) tree: u32,
    /// Distance from the tree's root.
    pub(crate) depth: u32,
    /// Number of children.
    children: AtomicU32,
    /// Where children are looked up, if there are many.
    index: ChildIndex,
    /// Of the tree; `None` for one that belongs to no thread.
    ends: Option<&'static PollEnds>,
    /// Ticks from construction to first poll, summed.
    pub(crate) unpolled: AtomicU64,
    /// Of a root, ticks between a wake and the poll that it led to, summed.
    pub(crate) queued: AtomicU64,
    /// Ticks that tasks have waited until this path ended the wait. See `recorder/root.rs`.
    pub(crate) wall: AtomicU64,
    pub(crate) cancelled: AtomicU64,
    pub(crate) panicked: AtomicU64,
    pub(crate) never_polled: AtomicU64,
    /// Spans that came here from another path while they waited, less those that went to another: `calls` stays where they began.
    /// It wraps.
    pub(crate) moved: AtomicU64,
    /// Tick of the node's making.
    pub(crate) first_seen: u64,
    /// Of the polls of children; made with the first that ends here.
    stopped: Link<PassedPolls>,
    /// Of the polls of this node alone, and of those that count for the ancestors too.
    histograms: [Histogram; 2],
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
            times: NodeTimes::new(),
            parent,
            spent: PollTotals::new(),
            calls: zero(),
            completed: zero(),
            site,
            via,
            recent_child: Link::new(None),
            first_child: Link::new(None),
            next_sibling: Link::new(parent.and_then(|parent| parent.first_child.get())),
            label,
            tree,
            depth,
            children: AtomicU32::new(0),
            index: ChildIndex::new(),
            ends: parent.and_then(|parent| parent.ends),
            unpolled: zero(),
            queued: zero(),
            wall: zero(),
            cancelled: zero(),
            panicked: zero(),
            never_polled: zero(),
            moved: zero(),
            first_seen: now,
            stopped: Link::new(None),
            histograms: [Histogram::new(), Histogram::new()],
        }
    }

    /// Appends a child. Only the tree's thread may, and it has looked for one before.
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

    /// What tells this node from its siblings.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn key(&self) -> NodeKey {
        NodeKey { site: self.site, label: self.label, via: self.via }
    }

    /// The child of this key that can be entered. One that is running is passed over: a task polled inside
    /// a poll of itself, through a nested executor, gets a twin, and captures merge the two.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn child(&'static self, key: NodeKey) -> Option<&'static Node> {
        let recent = self.recent_child.get().filter(|child| child.key() == key && !child.times.is_running());
        recent.or_else(|| self.find(key, false))
    }

    /// The child of this key, running or not.
    pub(super) fn any_child(&'static self, key: NodeKey) -> Option<&'static Node> {
        self.find(key, true)
    }

    #[inline(never)]
    fn find(&'static self, key: NodeKey, takes_running: bool) -> Option<&'static Node> {
        let is_it = |child: &&Node| child.key() == key && (takes_running || !child.times.is_running());
        let found = if self.children.load(Ordering::Relaxed) > MAX_LINEAR {
            self.index.find(key, is_it)
        } else {
            self.children().find(is_it)
        };
        if let Some(child) = found {
            self.recent_child.set(child);
        }
        found
    }

    /// All children, the youngest first.
    pub(crate) fn children(&'static self) -> impl Iterator<Item = &'static Node> {
        std::iter::successors(self.first_child.get(), |child| child.next_sibling.get())
    }

    /// This node, or the nearest above it that counts pending children: that is not a synchronous call, and not an await
    /// in a body, which does.
    pub(crate) fn span(&'static self) -> &'static Node {
        let mut node = self;
        while let Some(parent) = node.parent.filter(|_| !node.counts_pending_children()) {
            node = parent;
        }
        node
    }

    fn counts_pending_children(&self) -> bool {
        match self.site.kind {
            SiteKind::Sync | SiteKind::Impl => false,
            SiteKind::Await => !self.site.is_direct,
            _ => true,
        }
    }

    /// Whether nothing is counted of it: a future was made that nobody has polled, or its times are those of what has moved.
    pub(crate) fn is_blank(&self) -> bool {
        let counters = [&self.calls, &self.never_polled, &self.cancelled];
        let is_zero = |counter: &&AtomicU64| counter.load(Ordering::Relaxed) == 0;
        self.first_child.get().is_none() && counters.iter().all(is_zero) && !self.times.is_running()
    }

    #[inline]
    pub(crate) fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// Whether it stands below that one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_child_of(&self, other: Option<&'static Node>) -> bool {
        let address = |node: Option<&'static Node>| node.map_or(ptr::null(), ptr::from_ref);
        ptr::eq(address(self.parent), address(other))
    }

    /// Whether no future is running: nothing, or plain functions only, which then run an executor.
    pub(crate) fn is_outside_of_tasks(&self) -> bool {
        let mut node = self;
        while let (SiteKind::Sync, Some(parent)) = (node.site.kind, node.parent) {
            node = parent;
        }
        node.is_root()
    }

    /// Whether this is a node of the recorder's own, below which nothing is recorded.
    pub(crate) fn is_other(&self) -> bool {
        self.site.kind == SiteKind::Other && !self.is_root()
    }

    /// Whether both are the same path, in whichever trees.
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

    /// The running poll ends; if it returned `Pending`, a wait begins. It counts for the ancestors of `chain` too.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn leave(&self, now: u64, begun: Option<WaitAccount>, chain: PassingChain) {
        let is_through = chain.levels != 0;
        if let (true, Some(stopper)) = (is_through, chain.stopper) {
            // First: a reader that comes in between sees too little of the stopper, and that is covered by its children.
            stopper.stop(now.saturating_sub(self.times.entered()), now);
        }
        let length = self.times.leave(&self.spent, now, begun, is_through);
        self.histograms[usize::from(is_through)].count(length);
        self.spent.note_longest(length);
    }

    /// A poll of that length, which ends now, passes through what is below, and not through this node.
    #[inline(never)]
    fn stop(&self, length: u64, now: u64) {
        let stopped = self.stopped.get().unwrap_or_else(|| {
            self.stopped.set(Box::leak(Box::new(PassedPolls::new())));
            self.stopped.get().unwrap_or_else(|| unreachable!("it was just set"))
        });
        stopped.add(length, now);
    }

    /// A consistent copy of the times of this node alone, without what passes through it. See [`Times::read`].
    pub(crate) fn read(&self, until: u64, now: impl Fn() -> u64) -> Option<TimesCopy> {
        self.times.read(&self.spent, until, now)
    }

    /// How many polls were how long: all, and those of them that count for the ancestors too.
    pub(crate) fn histograms(&self) -> [[u64; BUCKETS]; 2] {
        let [alone, through] = self.histograms.each_ref().map(Histogram::counts);
        [std::array::from_fn(|bucket| alone[bucket] + through[bucket]), through]
    }

    /// When polls of this thread have ended that left futures behind.
    pub(crate) fn ends(&self) -> Option<&'static PollEnds> {
        self.ends
    }

    /// What passes through children, and not through this node.
    pub(crate) fn stopped(&self) -> Option<&'static PassedPolls> {
        self.stopped.get()
    }

    pub(crate) fn longest(&self) -> u64 {
        self.spent.longest()
    }

    pub(crate) fn forget_longest(&self) {
        self.spent.forget_longest();
    }
}

#[cfg(all(test, not(diagnose_loom)))]
mod tests {
    use std::mem::offset_of;

    use super::Node;

    #[test]
    fn what_a_poll_touches_lies_on_two_lines() {
        assert_eq!(offset_of!(Node, spent), 64);
        assert_eq!(offset_of!(Node, site), 128);
    }
}
