//! What the recorder keeps per thread: where the thread is in its tree.

use std::cell::Cell;
use std::thread;

use crate::tree::{self, Node, Tree};

/// Plain cells without a destructor: they can be used until the thread's very last instruction.
#[derive(Debug)]
pub(super) struct Local {
    /// The node whose poll is running; the tree's root between polls; `None` while the thread has no tree.
    current: Cell<Option<&'static Node>>,
    tree: Cell<Option<&'static Tree>>,
    /// How many spans have become pending directly under the running poll, less those that ceased to be.
    pending_children: Cell<i32>,
}

thread_local! {
    static LOCAL: Local = const {
        Local { current: Cell::new(None), tree: Cell::new(None), pending_children: Cell::new(0) }
    };
    /// Gives the tree back when the thread ends. Apart from `LOCAL`, because it has a destructor.
    static LEASE: Lease = const { Lease };
}

/// Where a thread stands for the length of one visit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) tree: &'static Tree,
    pub(super) current: &'static Node,
    /// Whether the tree is lent for this visit only, because the thread is ending.
    pub(super) lent: bool,
}

/// The running node, or `None` while the thread has no tree.
#[inline(always)]
pub(super) fn current() -> Option<&'static Node> {
    LOCAL.with(|local| local.current.get())
}

#[inline(always)]
pub(super) fn set_current(node: Option<&'static Node>) {
    LOCAL.with(|local| local.current.set(node));
}

/// Sets the count of pending children and returns the old one.
#[inline(always)]
pub(super) fn replace_pending_children(count: i32) -> i32 {
    LOCAL.with(|local| local.pending_children.replace(count))
}

/// Where the thread stands. It gets a tree if it has none; one that is `lent` must be given back with [`end_loan`].
#[cold]
pub(super) fn place() -> Place {
    if let (Some(tree), Some(current)) = LOCAL.with(|local| (local.tree.get(), local.current.get())) {
        return Place { tree, current, lent: false };
    }
    // Once the thread's destructors have begun, nothing would give the tree back at its end, and the thread may not even
    // be asked for its name.
    let lent = LEASE.try_with(|_| ()).is_err();
    let name = if lent { String::new() } else { thread::current().name().unwrap_or_default().to_owned() };
    let tree = tree::lease(name);
    LOCAL.with(|local| {
        local.tree.set(Some(tree));
        local.current.set(Some(&tree.root));
    });
    Place { tree, current: &tree.root, lent }
}

/// Gives back a tree that was lent for one visit.
#[cold]
pub(super) fn end_loan() {
    LOCAL.with(|local| {
        local.current.set(None);
        if let Some(tree) = local.tree.take() {
            tree.release();
        }
    });
}

struct Lease;

impl Drop for Lease {
    fn drop(&mut self) {
        // A thread that ends in the middle of a poll, by `exit`, keeps its tree: its nodes are still running.
        if current().is_some_and(Node::is_root) {
            end_loan();
        }
    }
}
