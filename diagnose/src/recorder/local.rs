//! What the recorder keeps per thread: where the thread is in its tree.

use std::cell::Cell;
use std::thread;

use super::await_state::AwaitState;
use super::first_poll;
use crate::context;
use crate::live::{self, Task};
use crate::os;
use crate::site::Site;
use crate::sync::add;
use crate::tree::{self, Node, PassingChain, Tree};

/// Plain cells without a destructor: they can be used until the thread's very last instruction.
#[derive(Debug)]
pub(super) struct Local {
    /// The node whose poll is running; the tree's root between polls; `None` while the thread has no tree.
    current: Cell<Option<&'static Node>>,
    tree: Cell<Option<&'static Tree>>,
    /// How many spans have become pending directly under the running poll, less those that ceased to be.
    pending_children: Cell<i32>,
    /// The task that the next root belongs to, as its wrapper says.
    spawned: Cell<Option<&'static Task>>,
    /// How long the running task had waited before this poll, until that is charged to a path; zero then.
    waited: Cell<u64>,
    /// The first path that waited by itself and was polled since.
    first_polled: Cell<Option<&'static Node>>,
    /// The await at which the running body is, if that is not a span of its own.
    awaiting: Cell<Option<&'static Node>>,
    await_state: Cell<AwaitState>,
    /// What an await hands to the span that it is about to poll: itself.
    via: Cell<Option<&'static Site>>,
    /// What a body hands to the span that it is about to poll: [`DIRECT`], [`ARM`], or the reading of the clock with which it
    /// goes on there; zero if it hands nothing.
    down: Cell<u64>,
    /// The polls that have been entered with the same reading.
    levels: Cell<u32>,
    /// The node above them: see [`Chain::stopper`].
    stopper: Cell<Option<&'static Node>>,
    /// The reading of the clock with which a span has returned `Pending` to the body that awaits it; zero if there is none.
    up: Cell<u64>,
    /// How many bodies around that span only pass it on.
    passing: Cell<u32>,
}

/// In the place of a reading: the span is awaited for the first time, so it reads the clock itself, and hands on the reading
/// with which it returns `Pending`.
pub(super) const DIRECT: u64 = 1;

/// In the place of a reading: the span is polled by the code of a macro, through that arm.
pub(super) const ARM: u64 = 2;

/// In the place of a reading: the span is polled where it was, and reads the clock itself, because code that is not annotated
/// stands between it and the body that goes on.
pub(super) const AGAIN: u64 = 3;

/// Whether what was handed down is a reading.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn is_reading(down: u64) -> bool {
    down > AGAIN
}

impl Local {
    /// Of a thread that has no tree.
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
            levels: Cell::new(0),
            stopper: Cell::new(None),
            up: Cell::new(0),
            passing: Cell::new(0),
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
        self.levels.swap(&other.levels);
        self.stopper.swap(&other.stopper);
        self.up.swap(&other.up);
        self.passing.swap(&other.passing);
    }
}

thread_local! {
    static LOCAL: Local = const { Local::new() };
    /// Gives the tree back when the thread ends. Apart from `LOCAL`, because it has a destructor.
    static LEASE: Lease = const { Lease };
}

/// Where a thread stands for the length of one visit.
#[derive(Debug, Clone, Copy)]
pub(super) struct TreePosition {
    pub(super) tree: &'static Tree,
    pub(super) current: &'static Node,
    /// Whether the tree is lent for this visit only, because the thread is ending.
    pub(super) lent: bool,
}

/// The running node, or `None` while the thread has no tree.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn current() -> Option<&'static Node> {
    LOCAL.with(|local| local.current.get())
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn set_current(node: Option<&'static Node>) {
    LOCAL.with(|local| local.current.set(node));
}

/// How many spans have become pending directly under the running poll so far, less those that ceased to be.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn pending_children() -> i32 {
    LOCAL.with(|local| local.pending_children.get())
}

/// Sets the count of pending children and returns the old one.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn replace_pending_children(count: i32) -> i32 {
    LOCAL.with(|local| local.pending_children.replace(count))
}

/// This thread polls tasks.
#[inline]
pub(super) fn note_task() {
    LOCAL.with(|local| local.tree.get().into_iter().for_each(Tree::note_task));
}

/// Takes the task that the next root belongs to.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn take_spawned() -> Option<&'static Task> {
    LOCAL.with(|local| local.spawned.take())
}

/// The task that the next root belongs to, if it was spawned.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn spawned() -> Option<&'static Task> {
    LOCAL.with(|local| local.spawned.get())
}

/// Whether the next span is the root of a task that was spawned.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn is_spawned() -> bool {
    spawned().is_some()
}

/// Says which task the next root belongs to.
#[inline]
pub(super) fn set_spawned(task: Option<&'static Task>) {
    LOCAL.with(|local| local.spawned.set(task));
}

/// What is to be charged of the running task's wait, and to whom if nobody else takes it.
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

/// A path that has waited by itself is polled again.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn polled_again(node: &'static Node) {
    LOCAL.with(|local| {
        if local.waited.get() != 0 && local.first_polled.get().is_none() {
            local.first_polled.set(Some(node));
        }
    });
}

/// A path that has waited by itself is ready: it has ended the wait of its task.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn charge(node: &'static Node) {
    LOCAL.with(|local| {
        let waited = local.waited.get();
        if waited != 0 {
            local.waited.set(0);
            local.first_polled.set(None);
            add(&node.wall, waited);
        }
    });
}

/// What an await has handed down to the span that it polls; see [`Local::down`].
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn down() -> u64 {
    LOCAL.with(|local| local.down.get())
}

/// The await itself, which it has handed down with the span's first poll.
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

/// The await at which the running body is, if that is not a span of its own.
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

/// The polls that have been entered with the last reading, and are handed down with it.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn chain() -> PassingChain {
    LOCAL.with(|local| PassingChain { levels: local.levels.get(), stopper: local.stopper.get() })
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn set_chain(chain: PassingChain) {
    LOCAL.with(|local| {
        local.levels.set(chain.levels);
        local.stopper.set(chain.stopper);
    });
}

/// Sets how many polls have been entered with the last reading of the clock.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn set_levels(levels: u32) {
    LOCAL.with(|local| local.levels.set(levels));
}

/// The reading that was handed up by what is pending; zero if there is none.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn up() -> u64 {
    LOCAL.with(|local| local.up.get())
}

/// How many nodes around what is pending only pass it on.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn passing() -> u32 {
    LOCAL.with(|local| local.passing.get())
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn set_passing(passing: u32) {
    LOCAL.with(|local| local.passing.set(passing));
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn hand_up(up: u64, passing: u32) {
    LOCAL.with(|local| {
        local.up.set(up);
        local.passing.set(passing);
    });
}

/// Where the thread stands. It gets a tree if it has none; one that is `lent` must be given back with [`end_loan`].
#[cold]
pub(super) fn place() -> TreePosition {
    if let (Some(tree), Some(current)) = LOCAL.with(|local| (local.tree.get(), local.current.get())) {
        return TreePosition { tree, current, lent: false };
    }
    // Once the thread's destructors have begun, nothing would give the tree back at its end, and the thread may not even
    // be asked for its name.
    let lent = LEASE.try_with(|_| ()).is_err();
    let name = if lent { String::new() } else { thread::current().name().unwrap_or_default().to_owned() };
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

/// Calls that function as if the thread had just begun, with a tree that no snapshot has.
#[cold]
pub(crate) fn apart(tree: &'static Tree, call: impl FnOnce()) {
    let (poll, task) = (first_poll::poll(), live::current::replace(None));
    live::give_back_spare();
    let other = Local::new();
    other.tree.set(Some(tree));
    other.current.set(Some(&tree.root));
    LOCAL.with(|local| local.swap(&other));
    first_poll::set_poll(first_poll::TaskPoll::NONE);
    context::apart(tree.root.tree, &tree.counts, call);
    live::give_back_spare();
    LOCAL.with(|local| local.swap(&other));
    live::current::replace(task);
    first_poll::set_poll(poll);
}

/// Gives back the tree.
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

struct Lease;

impl Drop for Lease {
    fn drop(&mut self) {
        // A thread that ends in the middle of a poll, by `exit`, keeps its tree: its nodes are still running.
        if current().is_some_and(Node::is_root) {
            end_loan();
        }
    }
}
