//! A node: one path of sites in one thread's tree, with everything counted on it.

use std::ptr;

use super::histogram::Histogram;
use super::link::Link;
use super::times::Times;
use crate::label::Label;
use crate::site::{Kind, Site};
use crate::sync::{AtomicU64, Ordering};

/// What tells a node from its siblings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    pub(crate) site: &'static Site,
    pub(crate) label: Label,
    /// The await through which the parent polls this node's spans, if the parent awaits them directly. Such an await
    /// has no node of its own: it begins and ends with its span.
    pub(crate) via: Option<&'static Site>,
}

impl Key {
    /// A site that has no label and is not awaited.
    pub(crate) fn plain(site: &'static Site) -> Self {
        Self { site, label: Label::NONE, via: None }
    }
}

/// Sites are compared by address.
impl PartialEq for Key {
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
/// What every poll touches comes first, on the first two cache lines; the histogram comes last.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Node {
    pub(crate) times: Times,
    /// The node above, in the same tree; `None` for the tree's root.
    pub(crate) parent: Option<&'static Node>,
    pub(crate) site: &'static Site,
    /// The child that was appended last.
    first_child: Link<Node>,
    /// The child that was appended to the parent before this one.
    next_sibling: Link<Node>,
    pub(crate) label: Label,
    pub(crate) via: Option<&'static Site>,
    /// Number of the tree.
    pub(crate) tree: u32,
    /// Distance from the tree's root.
    pub(crate) depth: u32,
    /// The longest finished poll, in ticks. A reset may store zero from another thread: a poll that ends at that very
    /// moment may then be kept or lost, and either is right.
    longest: AtomicU64,
    /// Spans polled at least once.
    pub(crate) calls: AtomicU64,
    pub(crate) completed: AtomicU64,
    /// Ticks from construction to first poll, summed.
    pub(crate) unpolled: AtomicU64,
    /// Of a root, ticks between a wake and the poll that it led to, summed.
    pub(crate) queued: AtomicU64,
    /// Ticks that tasks have waited until this path ended the wait. See `recorder/root.rs`.
    pub(crate) wall: AtomicU64,
    pub(crate) cancelled: AtomicU64,
    pub(crate) panicked: AtomicU64,
    pub(crate) never_polled: AtomicU64,
    /// Tick of the node's making.
    pub(crate) first_seen: u64,
    pub(crate) histogram: Histogram,
}

impl Node {
    /// The root of a tree, which stands for "nothing annotated is running".
    pub(crate) fn root(site: &'static Site, tree: u32) -> Self {
        Self::with(None, Key::plain(site), tree, 0, 0)
    }

    fn with(parent: Option<&'static Node>, key: Key, tree: u32, depth: u32, now: u64) -> Self {
        let Key { site, label, via } = key;
        let zero = || AtomicU64::new(0);
        Self {
            times: Times::new(),
            parent,
            site,
            first_child: Link::new(None),
            next_sibling: Link::new(parent.and_then(|parent| parent.first_child.get())),
            label,
            via,
            tree,
            depth,
            longest: zero(),
            calls: zero(),
            completed: zero(),
            unpolled: zero(),
            queued: zero(),
            wall: zero(),
            cancelled: zero(),
            panicked: zero(),
            never_polled: zero(),
            first_seen: now,
            histogram: Histogram::new(),
        }
    }

    /// Appends a child. Only the tree's thread may, and it has looked for one before.
    #[cold]
    pub(super) fn append(&'static self, key: Key, now: u64) -> &'static Node {
        let child = Box::leak(Box::new(Self::with(Some(self), key, self.tree, self.depth + 1, now)));
        self.first_child.set(child);
        child
    }

    /// What tells this node from its siblings.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn key(&self) -> Key {
        Key { site: self.site, label: self.label, via: self.via }
    }

    /// The child of this key that can be entered. One that is running is passed over: a task polled inside
    /// a poll of itself, through a nested executor, gets a twin, and captures merge the two.
    #[inline]
    pub(crate) fn child(&'static self, key: Key) -> Option<&'static Node> {
        let mut next = self.first_child.get();
        while let Some(child) = next {
            if child.key() == key && !child.times.is_running() {
                return Some(child);
            }
            next = child.next_sibling.get();
        }
        None
    }

    /// The child of this key, running or not.
    pub(super) fn any_child(&'static self, key: Key) -> Option<&'static Node> {
        self.children().find(|child| child.key() == key)
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
            Kind::Sync | Kind::Impl => false,
            Kind::Await => !self.site.is_direct,
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

    /// Whether no future is running: nothing, or plain functions only, which then run an executor.
    pub(crate) fn is_outside_of_tasks(&self) -> bool {
        let mut node = self;
        while let (Kind::Sync, Some(parent)) = (node.site.kind, node.parent) {
            node = parent;
        }
        node.is_root()
    }

    /// Whether this is a node of the recorder's own, below which nothing is recorded.
    pub(crate) fn is_other(&self) -> bool {
        self.site.kind == Kind::Other && !self.is_root()
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

    /// Counts a finished poll of this length.
    #[inline]
    pub(crate) fn count_poll(&self, ticks: u64) {
        self.histogram.count(ticks);
        if ticks > self.longest.load(Ordering::Relaxed) {
            self.longest.store(ticks, Ordering::Relaxed);
        }
    }

    pub(crate) fn longest(&self) -> u64 {
        self.longest.load(Ordering::Relaxed)
    }

    pub(crate) fn forget_longest(&self) {
        self.longest.store(0, Ordering::Relaxed);
    }
}
