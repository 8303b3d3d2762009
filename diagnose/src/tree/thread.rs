//! The trees of all threads, and who may write to which.

use std::sync::atomic::AtomicBool;

use super::node::Node;
use crate::label::Label;
use crate::site::Site;
use crate::sync::{AtomicU64, Mutex, MutexGuard, Ordering, add};

/// The bounds of a tree. A node is about 700 bytes, so a thread's tree stays below 12 MB.
const MAX_NODES: u64 = 16_384;
/// Deep enough for any call path that is not a runaway recursion.
const MAX_DEPTH: u32 = 128;

static ROOT: Site = Site::own("");
static OTHER: Site = Site::own("[other]");
static NESTED: Site = Site::own("[nested]");

/// One thread's span tree.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) root: Node,
    /// Nodes appended so far. This and the counters below are written by the tree's thread only.
    pub(crate) nodes: AtomicU64,
    pub(crate) over_nodes: AtomicU64,
    pub(crate) over_depth: AtomicU64,
    /// Whether a thread holds the lease. Changed under the lock of [`TREES`] only, which orders one holder's writes
    /// before the next one's.
    leased: AtomicBool,
    /// Name of the thread that holds the lease or held it last. Locked after [`TREES`], never before.
    name: Mutex<String>,
}

static TREES: Mutex<Vec<&'static Tree>> = Mutex::new(Vec::new());

/// The tree of a new thread: one that an ended thread left behind, else a new one.
#[cold]
pub(crate) fn lease() -> &'static Tree {
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    let mut trees = lock();
    let free = trees.iter().find(|tree| !tree.leased.load(Ordering::Relaxed));
    let tree = free.copied().unwrap_or_else(|| {
        let number = u32::try_from(trees.len()).unwrap_or(u32::MAX);
        let tree: &'static Tree = Box::leak(Box::new(Tree::new(number)));
        trees.push(tree);
        tree
    });
    tree.leased.store(true, Ordering::Relaxed);
    *tree.name.lock() = name;
    tree
}

/// Every tree there is.
pub(crate) fn all() -> Vec<&'static Tree> {
    lock().clone()
}

fn lock() -> MutexGuard<'static, Vec<&'static Tree>> {
    TREES.lock()
}

impl Tree {
    fn new(number: u32) -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            root: Node::root(&ROOT, number),
            nodes: zero(),
            over_nodes: zero(),
            over_depth: zero(),
            leased: AtomicBool::new(false),
            name: Mutex::new(String::new()),
        }
    }

    /// A tree that belongs to no thread and is in no report.
    pub(crate) fn detached() -> &'static Self {
        Box::leak(Box::new(Self::new(u32::MAX)))
    }

    /// The thread gives the tree back: it ends.
    #[cold]
    pub(crate) fn release(&self) {
        let _trees = lock();
        self.leased.store(false, Ordering::Relaxed);
    }

    /// The child of `parent` to enter: an old one, a new one, or `[other]` past the bounds. `None` below `[other]`,
    /// whose own poll covers everything under it.
    pub(crate) fn child(
        &'static self,
        parent: &'static Node,
        site: &'static Site,
        label: Label,
        now: impl Fn() -> u64,
    ) -> Option<&'static Node> {
        if parent.is_other() {
            return None;
        }
        if let Some(child) = parent.child(site, label) {
            return Some(child);
        }
        if parent.depth >= MAX_DEPTH {
            add(&self.over_depth, 1);
        } else if self.nodes.load(Ordering::Relaxed) >= MAX_NODES {
            add(&self.over_nodes, 1);
        } else {
            return Some(self.append(parent, site, label, now()));
        }
        Some(self.own_child(parent, &OTHER, now))
    }

    /// The child of `parent` that covers a nested executor.
    #[cold]
    pub(crate) fn nested(&'static self, parent: &'static Node, now: impl Fn() -> u64) -> &'static Node {
        self.own_child(parent, &NESTED, now)
    }

    /// The node of this tree with the same path as a node of another, to book on, not to enter: it may be running.
    /// Bounds do not apply, because the path exists already.
    #[cold]
    pub(crate) fn mirror(&'static self, node: &'static Node) -> &'static Node {
        if node.tree == self.root.tree {
            return node;
        }
        let Some(parent) = node.parent else { return &self.root };
        let parent = self.mirror(parent);
        let known = parent.any_child(node.site, node.label);
        known.unwrap_or_else(|| self.append(parent, node.site, node.label, node.first_seen))
    }

    /// The lease-holder's name, and whether it is still there.
    pub(crate) fn thread(&self) -> (String, bool) {
        let _trees = lock();
        let name = self.name.lock().clone();
        (name, self.leased.load(Ordering::Relaxed))
    }

    fn own_child(
        &'static self,
        parent: &'static Node,
        site: &'static Site,
        now: impl Fn() -> u64,
    ) -> &'static Node {
        let known = parent.child(site, Label::NONE);
        known.unwrap_or_else(|| self.append(parent, site, Label::NONE, now()))
    }

    fn append(
        &'static self,
        parent: &'static Node,
        site: &'static Site,
        label: Label,
        now: u64,
    ) -> &'static Node {
        add(&self.nodes, 1);
        parent.append(site, label, now)
    }
}

/// Whether `site` is the one that covers nested executors.
pub(crate) fn is_nested(site: &'static Site) -> bool {
    std::ptr::eq(site, &raw const NESTED)
}
