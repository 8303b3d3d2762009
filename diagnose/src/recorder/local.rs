//! What the recorder keeps per thread: where the thread is in its tree.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use crate::live::{self, Anchor, Cache, Task};
use crate::site::Site;
use crate::sync::add;
use crate::tree::{self, Node, Tree};
use crate::waits;

/// What runs on a thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Here {
    pub(crate) task: Option<&'static Task>,
    /// The number of the span; zero between polls.
    pub(crate) span: u64,
    /// When the running poll began; zero between polls.
    pub(crate) stamp: u64,
    /// The number of the thread's tree.
    pub(crate) thread: Option<u32>,
}

/// Plain cells without a destructor: they can be used until the thread's very last instruction.
#[derive(Debug)]
pub(super) struct Local {
    /// The node whose poll is running; the tree's root between polls; `None` while the thread has no tree.
    current: Cell<Option<&'static Node>>,
    tree: Cell<Option<&'static Tree>>,
    /// How many spans have become pending directly under the running poll, less those that ceased to be.
    pending_children: Cell<i32>,
    /// The number of the span whose poll is running; zero between polls.
    id: Cell<u64>,
    /// The task whose poll is running.
    task: Cell<Option<&'static Task>>,
    /// The task that the next root belongs to, as its wrapper says.
    spawned: Cell<Option<&'static Task>>,
    /// Numbers for new spans: the next one, and the end of the block that the thread has taken.
    next_id: Cell<u64>,
    end_id: Cell<u64>,
    /// How long the running task had waited before this poll, until that is charged to a path; zero then.
    waited: Cell<u64>,
    /// The first path that waited by itself and was polled since.
    first_polled: Cell<Option<&'static Node>>,
    /// Free slots of the live registry.
    slots: Cache,
    /// Free records and stakes of resources.
    records: waits::Cache<waits::Record>,
    places: waits::Cache<waits::Place>,
    /// The await at which the running body is, if that is not a span of its own.
    awaiting: Cell<Option<&'static Node>>,
    await_state: Cell<AwaitState>,
    /// What an await hands to the span that it is about to poll: itself.
    via: Cell<Option<&'static Site>>,
    /// A reading of the clock that is handed on, because no user code runs between two readings: from the start of a
    /// body's poll to the await at which it goes on, from a pending await to the end of the body's poll. Zero is none.
    stamp: Cell<u64>,
}

/// What else there is to know of the await at which the running body is.
#[derive(Debug, Clone, Copy)]
pub(super) struct AwaitState {
    /// The count of pending children of the body when the await began, if that was in this poll.
    pub(super) base: i32,
    /// Whether it began in this poll.
    pub(super) is_new: bool,
    /// Whether it had waited by itself before this poll.
    pub(super) waited: bool,
    /// Whether it is a span that is awaited.
    pub(super) is_span: bool,
}

impl AwaitState {
    pub(super) const NONE: Self = Self { base: 0, is_new: false, waited: false, is_span: false };
}

thread_local! {
    static LOCAL: Local = const {
        Local {
            current: Cell::new(None),
            tree: Cell::new(None),
            pending_children: Cell::new(0),
            id: Cell::new(0),
            task: Cell::new(None),
            spawned: Cell::new(None),
            next_id: Cell::new(0),
            end_id: Cell::new(0),
            waited: Cell::new(0),
            first_polled: Cell::new(None),
            awaiting: Cell::new(None),
            await_state: Cell::new(AwaitState::NONE),
            slots: Cache::new(),
            records: waits::Cache::new(),
            places: waits::Cache::new(),
            via: Cell::new(None),
            stamp: Cell::new(0),
        }
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
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn current() -> Option<&'static Node> {
    LOCAL.with(|local| local.current.get())
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn set_current(node: Option<&'static Node>) {
    LOCAL.with(|local| local.current.set(node));
}

/// Sets the count of pending children and returns the old one.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn replace_pending_children(count: i32) -> i32 {
    LOCAL.with(|local| local.pending_children.replace(count))
}

/// The number of the running span; zero between polls.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn id() -> u64 {
    LOCAL.with(|local| local.id.get())
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn set_id(id: u64) {
    LOCAL.with(|local| local.id.set(id));
}

/// The running task.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn task() -> Option<&'static Task> {
    LOCAL.with(|local| local.task.get())
}

/// Sets the running task and returns the one before.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn replace_task(task: Option<&'static Task>) -> Option<&'static Task> {
    LOCAL.with(|local| local.task.replace(task))
}

/// What runs on this thread.
#[inline]
pub(crate) fn here() -> Here {
    LOCAL.with(|local| {
        let current = local.current.get();
        Here {
            task: local.task.get(),
            span: local.id.get(),
            // Between polls the root of the tree is current, which is never entered.
            stamp: current.map_or(0, |node| node.times.entered()),
            thread: current.map(|node| node.tree),
        }
    })
}

/// What the thread has at hand for the records of resources.
#[inline]
pub(crate) fn with_records<T>(run: impl FnOnce(&waits::Cache<waits::Record>) -> T) -> T {
    LOCAL.with(|local| {
        if local.tree.get().is_none() {
            return without_tree(|| run(&local.records));
        }
        run(&local.records)
    })
}

/// The same for stakes.
#[inline]
pub(crate) fn with_places<T>(run: impl FnOnce(&waits::Cache<waits::Place>) -> T) -> T {
    LOCAL.with(|local| {
        if local.tree.get().is_none() {
            return without_tree(|| run(&local.places));
        }
        run(&local.places)
    })
}

/// With a tree, which gives back at the thread's end what it has at hand.
#[cold]
fn without_tree<T>(run: impl FnOnce() -> T) -> T {
    let place = place();
    let result = run();
    if place.lent {
        end_loan();
    }
    result
}

/// Takes the task that the next root belongs to.
pub(super) fn take_spawned() -> Option<&'static Task> {
    LOCAL.with(|local| local.spawned.take())
}

/// Whether the next span is the root of a task that was spawned.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn is_spawned() -> bool {
    LOCAL.with(|local| local.spawned.get().is_some())
}

/// Says which task the next root belongs to.
#[inline]
pub(super) fn set_spawned(task: Option<&'static Task>) {
    LOCAL.with(|local| local.spawned.set(task));
}

/// What is to be charged of the running task's wait, and to whom if nobody else takes it.
pub(super) fn replace_waited(waited: (u64, Option<&'static Node>)) -> (u64, Option<&'static Node>) {
    LOCAL.with(|local| (local.waited.replace(waited.0), local.first_polled.replace(waited.1)))
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
            add(&node.wall, waited);
        }
    });
}

/// A number that no span of the process has had.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn new_id() -> u64 {
    LOCAL.with(|local| {
        let id = local.next_id.get();
        if id == local.end_id.get() {
            return new_block(local);
        }
        local.next_id.set(id + 1);
        id
    })
}

#[cold]
fn new_block(local: &Local) -> u64 {
    /// So many numbers a thread takes at once.
    const BLOCK: u64 = 1 << 12;
    static BLOCKS: AtomicU64 = AtomicU64::new(1);
    let first = BLOCKS.fetch_add(BLOCK, Relaxed);
    local.next_id.set(first + 1);
    local.end_id.set(first + BLOCK);
    first
}

/// Takes what an await has handed down to the span that it polls: itself, with its first poll, and the reading of the
/// clock with which its body was entered, zero if there is none.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn take_handed() -> (Option<&'static Site>, u64) {
    LOCAL.with(|local| {
        let via = local.via.get();
        if via.is_some() {
            local.via.set(None);
        }
        (via, take_stamp())
    })
}

/// Whether an await has handed something down.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn is_handed() -> bool {
    LOCAL.with(|local| local.via.get().is_some() || local.stamp.get() != 0)
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

/// How many spans have become pending directly under the running poll so far, less those that ceased to be.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn pending_children() -> i32 {
    LOCAL.with(|local| local.pending_children.get())
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn hand_down(via: &'static Site, stamp: u64) {
    LOCAL.with(|local| {
        local.via.set(Some(via));
        local.stamp.set(stamp);
    });
}

/// Takes the reading that was handed on; zero if there is none.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn take_stamp() -> u64 {
    LOCAL.with(|local| {
        let stamp = local.stamp.get();
        if stamp != 0 {
            local.stamp.set(0);
        }
        stamp
    })
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn set_stamp(stamp: u64) {
    LOCAL.with(|local| local.stamp.set(stamp));
}

/// A slot of the live registry.
#[inline]
pub(super) fn take_slot(listed: &live::Listed) -> Option<&'static Anchor> {
    LOCAL.with(|local| live::take(&local.slots, listed))
}

/// Gives a slot back to the live registry.
#[inline]
pub(super) fn put_slot(anchor: &'static Anchor) {
    LOCAL.with(|local| {
        live::put(&local.slots, anchor);
        // Nothing would give back at its end what a thread has at hand that has no tree.
        if local.tree.get().is_none() {
            live::give_back(&local.slots);
        }
    });
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
    let tree = tree::lease(name, if lent { 0 } else { thread_id() });
    LOCAL.with(|local| {
        local.tree.set(Some(tree));
        local.current.set(Some(&tree.root));
    });
    Place { tree, current: &tree.root, lent }
}

/// The kernel's number of this thread; zero if it is not known.
fn thread_id() -> u64 {
    let link = std::fs::read_link("/proc/thread-self").ok();
    let number = link.as_deref().and_then(|path| path.file_name()?.to_str()?.parse().ok());
    number.unwrap_or(0)
}

/// Gives back the tree, and what else the thread has at hand.
#[cold]
pub(super) fn end_loan() {
    LOCAL.with(|local| {
        live::give_back(&local.slots);
        waits::give_back(&local.records, &local.places);
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
