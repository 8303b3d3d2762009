//! The trees of all threads, and the leases to write to them.

use std::sync::atomic::AtomicBool;

use super::node::{Node, NodeKey};
use super::root_polls::RootPollsBefore;
use crate::context::ThreadCounts;
use crate::label::Label;
use crate::site::Site;
use crate::switch;
use crate::sync::{AtomicU32, AtomicU64, Mutex, MutexGuard, Ordering, add, lock_at_end};

/// Maximum number of nodes in a tree. `[other]` and `[nested]` nodes, at most one each per node,
/// are not included. A node takes about 1,100 bytes, so a tree stays around 18 MB. The durations of
/// calls take additional memory: see [`durations`](super::durations).
const MAX_NODES: u64 = 16_384;
/// From this number of nodes on, a label that took another's place counts as `[other]`. Labels may
/// change for hours, and must not use up the room for functions that are called for the first time.
const MAX_REPLACED: u64 = MAX_NODES / 4 * 3;
/// Deep enough for any call path except a runaway recursion.
const MAX_DEPTH: u32 = 128;

static ROOT: Site = Site::own("");
static OTHER: Site = Site::own("[other]");
static NESTED: Site = Site::own("[nested]");

/// One thread's span tree.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) root: Node,
    /// Nodes appended so far. Only the tree's thread writes this and the counters below.
    pub(crate) nodes: AtomicU64,
    pub(crate) over_nodes: AtomicU64,
    pub(crate) over_depth: AtomicU64,
    pub(crate) counts: ThreadCounts,
    /// The total of the roots at the start of the lease, or at the last reset.
    pub(super) before: RootPollsBefore,
    /// Whether a thread holds the lease. Changed only under the lock of [`TREES`], which orders one
    /// holder's writes before the next one's.
    leased: AtomicBool,
    /// Whether the lease holder was the first to poll some task, and so runs an executor.
    runs_tasks: AtomicBool,
    /// Number of leases so far. Changed as `leased` is.
    leases: AtomicU32,
    /// Whether this is the tree in [`STRAYS`].
    is_for_strays: bool,
    /// Name and kernel thread id (zero if unknown) of the current or last lease holder. Locked
    /// after [`TREES`], never before.
    name: Mutex<(String, u64)>,
}

static TREES: Mutex<Vec<&'static Tree>> = Mutex::new(Vec::new());

/// The tree for events that a full tree has no room for: ends of waits, and cancellations, on paths
/// that only other threads have. The process has one, so each path is in it at most once. The lock
/// gives it one writer at a time.
static STRAYS: Mutex<Option<&'static Tree>> = Mutex::new(None);

/// Leases a tree to a new thread: one that an ended thread left, otherwise a new one.
#[cold]
pub(crate) fn lease(name: String, thread_id: u64) -> &'static Tree {
    let mut trees = lock();
    let free = trees.iter().copied().find(|tree| !tree.leased.load(Ordering::Relaxed));
    let tree = free.unwrap_or_else(|| new_tree(&mut trees, false));
    tree.leased.store(true, Ordering::Relaxed);
    tree.runs_tasks.store(false, Ordering::Relaxed);
    tree.leases.store(tree.leases.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
    *tree.name.lock() = (name, thread_id);
    drop(trees);
    // Only workers of tokio read this total.
    if cfg!(feature = "tokio") && free.is_some() {
        tree.restart_root_polls();
    }
    tree
}

fn new_tree(trees: &mut Vec<&'static Tree>, is_for_strays: bool) -> &'static Tree {
    let number = u32::try_from(trees.len()).unwrap_or(u32::MAX);
    let tree: &'static Tree = Box::leak(Box::new(Tree::new(number, is_for_strays)));
    trees.push(tree);
    tree
}

/// Number of threads that lease a tree.
#[cfg(unix)]
pub(crate) fn leased() -> usize {
    lock().iter().filter(|tree| !tree.is_for_strays && tree.leased.load(Ordering::Relaxed)).count()
}

/// All trees.
pub(crate) fn all() -> Vec<&'static Tree> {
    lock().clone()
}

fn lock() -> MutexGuard<'static, Vec<&'static Tree>> {
    TREES.lock()
}

impl Tree {
    /// Records that the lease holder polls tasks.
    pub(crate) fn note_task(&self) {
        self.runs_tasks.store(true, Ordering::Relaxed);
    }

    /// Returns whether the lease holder was the first to poll some task.
    pub(crate) fn runs_tasks(&self) -> bool {
        self.runs_tasks.load(Ordering::Relaxed)
    }

    /// Returns whether only one thread has leased it so far.
    pub(crate) fn has_one_lease(&self) -> bool {
        self.leases.load(Ordering::Relaxed) <= 1
    }

    fn new(number: u32, is_for_strays: bool) -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            root: Node::root(&ROOT, number, Some(Box::leak(Box::default()))),
            nodes: zero(),
            over_nodes: zero(),
            over_depth: zero(),
            counts: ThreadCounts::default(),
            before: RootPollsBefore::default(),
            leased: AtomicBool::new(is_for_strays),
            runs_tasks: AtomicBool::new(false),
            leases: AtomicU32::new(0),
            is_for_strays,
            name: Mutex::new((String::new(), 0)),
        }
    }

    /// A tree without a thread, which no report includes.
    pub(crate) fn detached() -> &'static Self {
        Box::leak(Box::new(Self::new(u32::MAX, false)))
    }

    /// Ends the lease, because the thread ends.
    #[cold]
    pub(crate) fn release(&self) {
        if switch::is_cut_off() {
            return;
        }
        // Otherwise the tree stays leased.
        if let Some(_trees) = lock_at_end(&TREES) {
            self.leased.store(false, Ordering::Relaxed);
        }
    }

    /// The child of `parent` to enter: existing, new, or `[other]` past the limits. `None` below
    /// `[other]`, whose own poll covers everything under it.
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
        let nodes = self.nodes.load(Ordering::Relaxed);
        if key.label.is_replacement() && nodes >= MAX_REPLACED {
            self.count_over();
            let key = NodeKey { label: Label::OTHER, ..key };
            let has_room = nodes < MAX_NODES && parent.depth < MAX_DEPTH;
            let other = parent.child(key).or_else(|| has_room.then(|| self.append(parent, key, now())));
            return other.or_else(|| Some(self.own_child(parent, &OTHER, now)));
        }
        if parent.depth >= MAX_DEPTH {
            add(&self.over_depth, 1);
        } else if nodes >= MAX_NODES {
            self.count_over();
        } else {
            return Some(self.append(parent, key, now()));
        }
        Some(self.own_child(parent, &OTHER, now))
    }

    /// Counts an event that the tree has no room for.
    pub(crate) fn count_over(&self) {
        add(&self.over_nodes, 1);
    }

    /// The child of `parent` that covers a nested executor.
    #[cold]
    pub(crate) fn nested(&'static self, parent: &'static Node, now: impl Fn() -> u64) -> &'static Node {
        self.own_child(parent, &NESTED, now)
    }

    /// Records an event on the path of `node`, which may be of any tree and may be running. It goes
    /// to this tree if the path exists here or has room, otherwise to the tree for strays.
    #[cold]
    pub(crate) fn book(&'static self, node: &'static Node, entry: impl FnOnce(&'static Node)) {
        if let Some(own) = self.mirror(node) {
            return entry(own);
        }
        let mut strays = STRAYS.lock();
        let tree = strays.get_or_insert_with(|| new_tree(&mut lock(), true));
        entry(tree.mirror_at_any_size(node));
    }

    /// The node of this tree with the path of `node`. `None` if it does not exist and there is no
    /// room. Without the limit, a thread that drops other threads' futures would collect all of
    /// their paths.
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

    /// The lease holder's name, and whether it still runs. `None` for the tree of strays.
    pub(crate) fn thread(&self) -> Option<(String, bool)> {
        let _trees = lock();
        (!self.is_for_strays).then(|| (self.name.lock().0.clone(), self.leased.load(Ordering::Relaxed)))
    }

    /// Returns whether a thread holds the lease.
    pub(crate) fn is_leased(&self) -> bool {
        let _trees = lock();
        self.leased.load(Ordering::Relaxed)
    }

    /// The kernel thread id of the current or last lease holder; zero if unknown.
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

/// Returns whether `site` is the site of nodes that cover nested executors.
pub(crate) fn is_nested(site: &'static Site) -> bool {
    std::ptr::eq(site, &raw const NESTED)
}
