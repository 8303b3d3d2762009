//! A node: one path of sites in one thread's tree, with everything counted on it.

use std::ptr;

use super::histogram::Histogram;
use super::link::Link;
use super::times::Times;
use crate::label::Label;
use crate::site::{Kind, Site};
use crate::sync::{AtomicU64, Ordering};

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
    pub(crate) cancelled: AtomicU64,
    pub(crate) panicked: AtomicU64,
    pub(crate) never_polled: AtomicU64,
    /// Tick of the node's making.
    pub(crate) first_seen: u64,
    pub(crate) histogram: Histogram,
}

impl Node {
    /// The root of a tree, which stands for "nothing annotated is running".
    pub(super) fn root(site: &'static Site, tree: u32) -> Self {
        Self::with(None, site, Label::NONE, tree, 0, 0)
    }

    fn with(
        parent: Option<&'static Node>,
        site: &'static Site,
        label: Label,
        tree: u32,
        depth: u32,
        now: u64,
    ) -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            times: Times::new(),
            parent,
            site,
            first_child: Link::new(None),
            next_sibling: Link::new(parent.and_then(|parent| parent.first_child.get())),
            label,
            tree,
            depth,
            longest: zero(),
            calls: zero(),
            completed: zero(),
            unpolled: zero(),
            cancelled: zero(),
            panicked: zero(),
            never_polled: zero(),
            first_seen: now,
            histogram: Histogram::new(),
        }
    }

    /// Appends a child. Only the tree's thread may, and it has looked for one before.
    #[cold]
    pub(super) fn append(&'static self, site: &'static Site, label: Label, now: u64) -> &'static Node {
        let child = Box::leak(Box::new(Self::with(Some(self), site, label, self.tree, self.depth + 1, now)));
        self.first_child.set(child);
        child
    }

    /// The child of this site and label that can be entered. One that is running is passed over: a task polled inside
    /// a poll of itself, through a nested executor, gets a twin, and captures merge the two.
    #[inline]
    pub(crate) fn child(&'static self, site: &'static Site, label: Label) -> Option<&'static Node> {
        let mut next = self.first_child.get();
        while let Some(child) = next {
            if ptr::eq(child.site, site) && child.label == label && !child.times.is_running() {
                return Some(child);
            }
            next = child.next_sibling.get();
        }
        None
    }

    /// The child of this site and label, running or not.
    pub(super) fn any_child(&'static self, site: &'static Site, label: Label) -> Option<&'static Node> {
        self.children().find(|child| ptr::eq(child.site, site) && child.label == label)
    }

    /// All children, the youngest first.
    pub(crate) fn children(&'static self) -> impl Iterator<Item = &'static Node> {
        std::iter::successors(self.first_child.get(), |child| child.next_sibling.get())
    }

    /// This node, or the nearest above it that is not a synchronous call: the one that counts pending children.
    pub(crate) fn span(&'static self) -> &'static Node {
        let mut node = self;
        while let (Kind::Sync | Kind::Impl, Some(parent)) = (node.site.kind, node.parent) {
            node = parent;
        }
        node
    }

    #[inline]
    pub(crate) fn is_root(&self) -> bool {
        self.parent.is_none()
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
            if !ptr::eq(a.site, b.site) || a.label != b.label {
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
