//! The recorder's state per thread: its tree, and its position in that tree.

use std::cell::Cell;
use std::ptr;
use std::thread;

use super::await_state::AwaitState;
use super::first_poll::{self, TaskPolls};
use crate::context;
use crate::live::{self, Task};
use crate::os;
use crate::site::Site;
use crate::sync::add;
use crate::text_limit;
use crate::tree::{self, Node, Tree};

/// Plain cells without a destructor, which are usable until the thread ends.
#[derive(Debug)]
pub(super) struct Local {
    /// The node whose poll is running; the tree's root between polls; `None` if the thread has no
    /// tree.
    current: Cell<Option<&'static Node>>,
    tree: Cell<Option<&'static Tree>>,
    /// Spans that became pending directly below the running poll, minus those that ceased to be.
    pending_children: Cell<i32>,
    /// The task that the next root belongs to, set by the spawn wrapper.
    spawned: Cell<Option<&'static Task>>,
    /// Ticks that the running task waited before this poll; zero once they are charged to a path.
    waited: Cell<u64>,
    /// The first node that waited by itself and was polled again in this poll of the task.
    first_polled: Cell<Option<&'static Node>>,
    /// The node of the await that the running body is at. `None` for the await of a span.
    awaiting: Cell<Option<&'static Node>>,
    /// The await that polls the next span.
    via: Cell<Option<&'static Site>>,
    await_state: Cell<AwaitState>,
    /// What a body hands down to the span that it polls: [`DIRECT`], [`ARM`], [`AGAIN`], or the
    /// clock reading with which the body resumes there. Zero if nothing is handed down.
    down: Cell<u64>,
    /// The node above the polls entered with that reading: see
    /// [`PassingChain::stopper`](crate::tree::PassingChain::stopper).
    stopper: Cell<Option<&'static Node>>,
    /// The clock reading with which a span returned `Pending` to the body that awaits it; zero if
    /// there is none.
    up: Cell<u64>,
    /// Whether the body around that span was entered with the span's reading, and only passes the
    /// `Pending` on.
    passing: Cell<bool>,
    polls: TaskPolls,
}

/// Instead of a reading: the span is awaited for the first time. It reads the clock itself, and
/// hands up the reading with which it returns `Pending`.
pub(super) const DIRECT: u64 = 1;

/// Instead of a reading: the code of a macro polls the span, through this arm.
pub(super) const ARM: u64 = 2;

/// Instead of a reading: the span is polled where it was, but unannotated code stands between it
/// and the body that resumes. The span reads the clock itself.
pub(super) const AGAIN: u64 = 3;

/// Returns whether `down` is a clock reading.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn is_reading(down: u64) -> bool {
    down > AGAIN
}

impl Local {
    /// The state of a thread that has no tree.
    const fn new() -> Self {
        Self {
            current: Cell::new(None),
            tree: Cell::new(None),
            pending_children: Cell::new(0),
            spawned: Cell::new(None),
            waited: Cell::new(0),
            first_polled: Cell::new(None),
            awaiting: Cell::new(None),
            await_state: Cell::new(AwaitState::NONE),
            via: Cell::new(None),
            down: Cell::new(0),
            stopper: Cell::new(None),
            up: Cell::new(0),
            passing: Cell::new(false),
            polls: TaskPolls::new(),
        }
    }

    fn swap(&self, other: &Self) {
        self.current.swap(&other.current);
        self.tree.swap(&other.tree);
        self.pending_children.swap(&other.pending_children);
        self.spawned.swap(&other.spawned);
        self.waited.swap(&other.waited);
        self.first_polled.swap(&other.first_polled);
        self.awaiting.swap(&other.awaiting);
        self.await_state.swap(&other.await_state);
        self.via.swap(&other.via);
        self.down.swap(&other.down);
        self.stopper.swap(&other.stopper);
        self.up.swap(&other.up);
        self.passing.swap(&other.passing);
    }
}

thread_local! {
    static LOCAL: Local = const { Local::new() };
    /// Releases the tree when the thread ends. Separate from `LOCAL`, because it has a destructor.
    static LEASE: TreeLease = const { TreeLease };
}

/// The thread's tree and running node, for one operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct TreePosition {
    pub(super) tree: &'static Tree,
    pub(super) current: &'static Node,
    /// Whether the tree is lent for this operation only, because the thread is ending.
    pub(super) lent: bool,
}

/// Calls `f` with the counts of `first_poll`. They are part of this struct because the address of
/// each thread-local has to be looked up.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn with_polls<T>(f: impl FnOnce(&TaskPolls) -> T) -> T {
    LOCAL.with(|local| f(&local.polls))
}

/// The running node; `None` if the thread has no tree.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn current() -> Option<&'static Node> {
    LOCAL.with(|local| local.current.get())
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn set_current(node: Option<&'static Node>) {
    LOCAL.with(|local| local.current.set(node));
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn pending_children() -> i32 {
    LOCAL.with(|local| local.pending_children.get())
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn replace_pending_children(count: i32) -> i32 {
    LOCAL.with(|local| local.pending_children.replace(count))
}

/// Records that this thread polls tasks.
#[inline]
pub(super) fn note_task() {
    LOCAL.with(|local| local.tree.get().into_iter().for_each(Tree::note_task));
}

/// Returns whether this thread was the first to poll some task.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn runs_tasks() -> bool {
    LOCAL.with(|local| local.tree.get().is_some_and(Tree::runs_tasks))
}

/// The task that the next root belongs to; `None` if it was not spawned.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn spawned() -> Option<&'static Task> {
    LOCAL.with(|local| local.spawned.get())
}

/// Sets the task that the next root on this thread belongs to. Returns the previous one if no root
/// has taken it.
#[inline]
pub(crate) fn set_spawned(task: Option<&'static Task>) -> Option<&'static Task> {
    LOCAL.with(|local| local.spawned.replace(task))
}

/// The ticks of the task's wait not charged yet, and the node charged if no other path ends the
/// wait.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn waited() -> (u64, Option<&'static Node>) {
    LOCAL.with(|local| (local.waited.get(), local.first_polled.get()))
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn set_waited((waited, first_polled): (u64, Option<&'static Node>)) {
    LOCAL.with(|local| {
        local.waited.set(waited);
        local.first_polled.set(first_polled);
    });
}

/// Records that a node that had waited by itself is polled again.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn polled_again(node: &'static Node) {
    LOCAL.with(|local| {
        if local.waited.get() != 0 && local.first_polled.get().is_none() {
            local.first_polled.set(Some(node));
        }
    });
}

/// Charges the task's wait to a node that had waited by itself and is now ready.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn charge(node: &'static Node) {
    LOCAL.with(|local| {
        let waited = local.waited.get();
        if waited != 0 {
            local.waited.set(0);
            local.first_polled.set(None);
            add_wait(node, waited);
        }
    });
}

/// Adds the running task's wait to a node's wall time, unless a reset came after the wait.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn add_wait(node: &'static Node, waited: u64) {
    let reset = live::last_reset();
    if live::current::registered().is_none_or(|task| task.since() > reset) {
        add(&node.wall, waited);
    }
}

/// The word that the await handed down to the span it polls; see [`Local::down`].
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn down() -> u64 {
    LOCAL.with(|local| local.down.get())
}

/// Returns whether `site` is the await that polls the span.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn is_via(site: Option<&'static Site>) -> bool {
    let address = |site: Option<&'static Site>| site.map_or(ptr::null(), ptr::from_ref);
    ptr::eq(address(site), address(via()))
}

/// The await that polls the span, handed down with the span's first poll.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn via() -> Option<&'static Site> {
    LOCAL.with(|local| local.via.get())
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn hand_down(via: Option<&'static Site>, down: u64) {
    LOCAL.with(|local| {
        local.via.set(via);
        local.down.set(down);
    });
}

/// Clears the word that an await handed down, because the span that took it hands down nothing
/// itself. Only an await that begins hands down its site.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn end_descent() {
    LOCAL.with(|local| local.down.set(0));
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn awaiting() -> (Option<&'static Node>, AwaitState) {
    LOCAL.with(|local| (local.awaiting.get(), local.await_state.get()))
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn set_awaiting(node: Option<&'static Node>, state: AwaitState) {
    LOCAL.with(|local| {
        local.awaiting.set(node);
        local.await_state.set(state);
    });
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn stopper() -> Option<&'static Node> {
    LOCAL.with(|local| local.stopper.get())
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn set_stopper(stopper: Option<&'static Node>) {
    LOCAL.with(|local| local.stopper.set(stopper));
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn up() -> u64 {
    LOCAL.with(|local| local.up.get())
}

/// Returns whether the running body has just stopped, with a reading handed up, at the await of a
/// span that is its only pending child.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn is_in_one_span() -> bool {
    LOCAL.with(|local| {
        local.await_state.get() == AwaitState::SPAN
            && local.awaiting.get().is_none()
            && local.pending_children.get() == 1
            && local.up.get() != 0
    })
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn is_passing() -> bool {
    LOCAL.with(|local| local.passing.get())
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn hand_up(up: u64, is_passing: bool) {
    LOCAL.with(|local| {
        local.up.set(up);
        local.passing.set(is_passing);
    });
}

/// The thread's tree and running node. Leases a tree if there is none; a `lent` one must be
/// returned with [`end_loan`].
#[cold]
pub(super) fn place() -> TreePosition {
    if let (Some(tree), Some(current)) = LOCAL.with(|local| (local.tree.get(), local.current.get())) {
        return TreePosition { tree, current, lent: false };
    }
    // Once the thread's destructors have begun, nothing would release the tree at the thread's end,
    // and the thread's name must not be read.
    let lent = LEASE.try_with(|_| ()).is_err();
    let current = (!lent).then(thread::current);
    let name = current.as_ref().and_then(|thread| thread.name()).map_or("", text_limit::cut).to_owned();
    crate::threads::prepare();
    let tree = tree::lease(name, if lent { 0 } else { os::thread_id() });
    LOCAL.with(|local| {
        local.tree.set(Some(tree));
        local.current.set(Some(&tree.root));
    });
    context::set_tree(Some((tree.root.tree, &tree.counts)));
    first_poll::begin_tree(tree.root.tree);
    TreePosition { tree, current: &tree.root, lent }
}

/// Runs `call` as if on a new thread, with a tree that no snapshot includes.
#[cold]
pub(crate) fn apart(tree: &'static Tree, call: impl FnOnce()) {
    let (poll, task) = (first_poll::suspend_poll(), live::current::replace(None));
    // The spare record may be that of the running task.
    let spare = live::replace_spare(None);
    let other = Local::new();
    other.tree.set(Some(tree));
    other.current.set(Some(&tree.root));
    LOCAL.with(|local| local.swap(&other));
    context::apart(tree.root.tree, &tree.counts, call);
    live::give_back_spare();
    live::replace_spare(spare);
    LOCAL.with(|local| local.swap(&other));
    live::current::replace(task);
    first_poll::resume_poll(poll);
}

/// Releases the thread's tree.
#[cold]
pub(super) fn end_loan() {
    context::set_tree(None);
    live::give_back_spare();
    LOCAL.with(|local| {
        local.current.set(None);
        if let Some(tree) = local.tree.take() {
            tree.release();
        }
    });
}

struct TreeLease;

impl Drop for TreeLease {
    fn drop(&mut self) {
        // A thread that ends inside a poll, by `exit`, keeps its tree: its nodes are still running.
        if current().is_some_and(Node::is_root) {
            end_loan();
        }
    }
}
