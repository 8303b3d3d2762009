//! The trees of all threads, and who may write to which.

use std::sync::atomic::AtomicBool;

use super::node::{Node, NodeKey};
use super::poll_ends::PollEnds;
use crate::context::ThreadCounts;
use crate::site::Site;
use crate::sync::{AtomicU64, Mutex, MutexGuard, Ordering, add};

/// The bound of a tree; `[other]` and `[nested]` nodes, at most one each to a node, come on top. A node is about 1,100
/// bytes, so a thread's tree stays around 18 MB.
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
    pub(crate) counts: ThreadCounts,
    /// Whether a thread holds the lease. Changed under the lock of [`TREES`] only, which orders one holder's writes
    /// before the next one's.
    leased: AtomicBool,
    /// Whether that thread has polled a task first: it runs an executor.
    runs_tasks: AtomicBool,
    /// Whether this is the tree of [`STRAYS`].
    is_for_strays: bool,
    /// Name of the thread that holds the lease or held it last, and the kernel's number of it, zero if that is not known.
    /// Locked after [`TREES`], never before.
    name: Mutex<(String, u64)>,
}

static TREES: Mutex<Vec<&'static Tree>> = Mutex::new(Vec::new());

/// The tree for what a full tree cannot book: the ends of waits, and cancellations, of paths that only other threads
/// have. One for the process, so that each path is in it at most once; its lock makes it a tree with one writer.
static STRAYS: Mutex<Option<&'static Tree>> = Mutex::new(None);

/// The tree of a new thread: one that an ended thread left behind, else a new one.
#[cold]
pub(crate) fn lease(name: String, thread_id: u64) -> &'static Tree {
    let mut trees = lock();
    let free = trees.iter().find(|tree| !tree.leased.load(Ordering::Relaxed));
    let tree = free.copied().unwrap_or_else(|| new_tree(&mut trees, false));
    tree.leased.store(true, Ordering::Relaxed);
    tree.runs_tasks.store(false, Ordering::Relaxed);
    *tree.name.lock() = (name, thread_id);
    tree
}

fn new_tree(trees: &mut Vec<&'static Tree>, is_for_strays: bool) -> &'static Tree {
    let number = u32::try_from(trees.len()).unwrap_or(u32::MAX);
    let tree: &'static Tree = Box::leak(Box::new(Tree::new(number, is_for_strays)));
    trees.push(tree);
    tree
}

/// How many threads have a tree.
#[cfg(unix)]
pub(crate) fn leased() -> usize {
    lock().iter().filter(|tree| !tree.is_for_strays && tree.leased.load(Ordering::Relaxed)).count()
}

/// Every tree there is.
pub(crate) fn all() -> Vec<&'static Tree> {
    lock().clone()
}

fn lock() -> MutexGuard<'static, Vec<&'static Tree>> {
    TREES.lock()
}

impl Tree {
    /// Its thread polls tasks.
    pub(crate) fn note_task(&self) {
        self.runs_tasks.store(true, Ordering::Relaxed);
    }

    /// Whether its thread has polled a task that it was the first to poll.
    pub(crate) fn runs_tasks(&self) -> bool {
        self.runs_tasks.load(Ordering::Relaxed)
    }

    fn new(number: u32, is_for_strays: bool) -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            root: Node::root(&ROOT, number, Some(Box::leak(Box::new(PollEnds::new())))),
            nodes: zero(),
            over_nodes: zero(),
            over_depth: zero(),
            counts: ThreadCounts::default(),
            leased: AtomicBool::new(is_for_strays),
            runs_tasks: AtomicBool::new(false),
            is_for_strays,
            name: Mutex::new((String::new(), 0)),
        }
    }

    /// A tree that belongs to no thread and is in no report.
    pub(crate) fn detached() -> &'static Self {
        Box::leak(Box::new(Self::new(u32::MAX, false)))
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
        key: NodeKey,
        now: impl Fn() -> u64,
    ) -> Option<&'static Node> {
        if parent.is_other() {
            return None;
        }
        if let Some(child) = parent.child(key) {
            return Some(child);
        }
        if parent.depth >= MAX_DEPTH {
            add(&self.over_depth, 1);
        } else if self.nodes.load(Ordering::Relaxed) >= MAX_NODES {
            self.count_over();
        } else {
            return Some(self.append(parent, key, now()));
        }
        Some(self.own_child(parent, &OTHER, now))
    }

    /// Counts something that found no room.
    pub(crate) fn count_over(&self) {
        add(&self.over_nodes, 1);
    }

    /// The child of `parent` that covers a nested executor.
    #[cold]
    pub(crate) fn nested(&'static self, parent: &'static Node, now: impl Fn() -> u64) -> &'static Node {
        self.own_child(parent, &NESTED, now)
    }

    /// Books something on the path of a node of whichever tree: here if the path is here or has room, else in the tree
    /// for strays. The node may be running.
    #[cold]
    pub(crate) fn book(&'static self, node: &'static Node, entry: impl FnOnce(&'static Node)) {
        if let Some(own) = self.mirror(node) {
            return entry(own);
        }
        let mut strays = STRAYS.lock();
        let tree = strays.get_or_insert_with(|| new_tree(&mut lock(), true));
        entry(tree.mirror_at_any_size(node));
    }

    /// The node of this tree with the same path as a node of another. `None` if there is none and no room for one:
    /// otherwise a thread that drops what others have made would collect the paths of all of them.
    #[cold]
    pub(crate) fn mirror(&'static self, node: &'static Node) -> Option<&'static Node> {
        if node.tree == self.root.tree {
            return Some(node);
        }
        let Some(parent) = node.parent else { return Some(&self.root) };
        let parent = self.mirror(parent)?;
        let known = parent.any_child(node.key());
        known.or_else(|| {
            let has_room = self.nodes.load(Ordering::Relaxed) < MAX_NODES;
            has_room.then(|| self.append(parent, node.key(), node.first_seen))
        })
    }

    fn mirror_at_any_size(&'static self, node: &'static Node) -> &'static Node {
        let Some(parent) = node.parent else { return &self.root };
        let parent = self.mirror_at_any_size(parent);
        let known = parent.any_child(node.key());
        known.unwrap_or_else(|| self.append(parent, node.key(), node.first_seen))
    }

    /// The lease-holder's name, and whether it is still there. `None` for the tree of strays.
    pub(crate) fn thread(&self) -> Option<(String, bool)> {
        let _trees = lock();
        (!self.is_for_strays).then(|| (self.name.lock().0.clone(), self.leased.load(Ordering::Relaxed)))
    }

    /// The kernel's number of the thread that holds the lease or held it last; zero if that is not known.
    pub(crate) fn thread_id(&self) -> u64 {
        self.name.lock().1
    }

    fn own_child(
        &'static self,
        parent: &'static Node,
        site: &'static Site,
        now: impl Fn() -> u64,
    ) -> &'static Node {
        let key = NodeKey::plain(site);
        parent.child(key).unwrap_or_else(|| self.append(parent, key, now()))
    }

    fn append(&'static self, parent: &'static Node, key: NodeKey, now: u64) -> &'static Node {
        add(&self.nodes, 1);
        parent.append(key, now)
    }
}

/// Whether `site` is the one that covers nested executors.
pub(crate) fn is_nested(site: &'static Site) -> bool {
    std::ptr::eq(site, &raw const NESTED)
}
