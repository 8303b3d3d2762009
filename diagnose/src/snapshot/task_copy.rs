//! Copies tasks while they may continue.

use std::collections::HashSet;
use std::panic::Location;
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::atomic::fence;

use diagnose_reports::model::{RunState, Task, TaskClass, TaskId};
use diagnose_reports::sort::sort_by_key;

use super::numbers::Table;
use super::runtimes::library;
use super::texts::Texts;
use crate::clock::{self, Scale};
use crate::label::Label;
use crate::live::{self, HANDLE, Memory, ON_DROP, SpawnRuntime, SpawnTarget, TaskKind, TaskOrigin};
use crate::site::Site;
use crate::tree::{self, Node};

/// A task and the copy of its state.
#[derive(Debug)]
pub(super) struct TaskCopy {
    pub(super) task: &'static live::Task,
    pub(super) id: u64,
    /// Without `spawned_by` and `made`, in which otherwise equal tasks differ.
    pub(super) origin: Rc<TaskOrigin>,
    pub(super) made: u64,
    pub(super) spawned_by: u64,
    pub(super) doing: RunState,
    pub(super) since: u64,
    /// Clones of its waker that existed then.
    pub(super) wakers: u32,
    pub(super) span: u64,
    /// The memory of its root.
    pub(super) memory: Memory,
    /// Tick at which the last finished poll began; 0 if none.
    pub(super) entered: u64,
    /// Tick at which the last poll ended; 0 if it was not polled yet.
    pub(super) left: u64,
    counts: TaskCounts,
    /// The current poll, while it is running.
    running: Option<Box<TaskPollCopy>>,
}

/// The content of a running poll.
#[derive(Debug)]
struct TaskPollCopy {
    /// Tick of the reading.
    at: u64,
    /// The nodes that run on its thread, from its root down.
    path: Vec<&'static Node>,
}

/// The counters of a task, read in one state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TaskCounts {
    polls: u64,
    busy: u64,
    queued: u64,
    wakes: u64,
    self_wakes: u64,
    /// Tick of the last wake; 0 if none.
    last_wake: u64,
    woken_by: u64,
}

impl TaskCounts {
    fn read(task: &live::Task) -> Self {
        let value = |counter: &std::sync::atomic::AtomicU64| counter.load(Relaxed);
        let (wakes, self_wakes) = task.wakes();
        Self {
            polls: value(&task.polls),
            busy: value(&task.busy),
            queued: value(&task.queued),
            wakes,
            self_wakes,
            last_wake: task.last_wake(),
            woken_by: value(&task.woken_by),
        }
    }
}

/// Copies all live tasks, in order of creation. Returns the numbers of hidden ones, too.
pub(super) fn all() -> (Vec<TaskCopy>, HashSet<u64>) {
    all_that(|_| true)
}

/// Copies the live tasks that satisfy `is_wanted`, in order of creation. Returns the numbers of
/// hidden ones, too.
pub(super) fn all_that(is_wanted: impl Fn(&live::Task) -> bool) -> (Vec<TaskCopy>, HashSet<u64>) {
    let wanted = live::all_tasks().filter(|task| task.id() != 0 && is_wanted(task));
    let mut origins = Origins::default();
    let mut tasks: Vec<TaskCopy> = wanted.filter_map(|task| listing(task, &mut origins)).collect();
    let hidden = hide_doubles(&mut tasks);
    sort_by_key(&mut tasks, |task| (task.made, task.id));
    (tasks, hidden)
}

/// Returns whether the task is the future of a `block_on`, or an annotated `main`.
pub(super) fn is_block_on(task: &live::Task, site: &Site) -> bool {
    site.name == "main" && task.runtime_id.load(Relaxed) == 0
}

/// The origins of tasks, each stored once: a million tasks come from few places.
#[derive(Debug, Default)]
struct Origins(Table<OriginKey, Rc<TaskOrigin>>);

/// Sites and places have one address each.
type OriginKey = (TaskKind, *const Site, Label, SpawnTarget, Option<*const Location<'static>>);

impl Origins {
    /// Returns the shared copy of an origin, without spawner and tick.
    fn share(&mut self, origin: TaskOrigin) -> Rc<TaskOrigin> {
        let TaskOrigin { work, site, label, target, spawned_at, .. } = origin;
        let key = (work, ptr::from_ref(site), label, target, spawned_at.map(ptr::from_ref));
        let shared = || Rc::new(TaskOrigin { made: 0, spawned_by: 0, ..origin });
        self.0.entry(key).or_insert_with(shared).clone()
    }
}

/// How many times a task whose state changes meanwhile is read again. Then its copy is unstable.
const MAX_READINGS: u32 = 32;

/// Copies one task; `None` if its record is unused, or another task has taken it meanwhile.
fn listing(task: &'static live::Task, origins: &mut Origins) -> Option<TaskCopy> {
    let (id, origin) = task.origin()?;
    let TaskOrigin { made, spawned_by, .. } = origin;
    let origin = origins.share(origin);
    let (mut doing, mut since) = task.doing();
    // The tick comes first: a span that begins during the reading may be missing from the path.
    let path = |doing| {
        let is_running = doing == RunState::Running && origin.work == TaskKind::Future;
        is_running.then(|| {
            let at = clock::now();
            Box::new(TaskPollCopy { at, path: running_on(task.thread.load(Relaxed), origin.site) })
        })
    };
    let (mut wakers, mut counts, mut running) = (task.live_wakers(), TaskCounts::read(task), path(doing));
    // A waker records its wake before its clone is dropped. So if the state is unchanged, these
    // clones belong to it.
    for _ in 0..MAX_READINGS {
        if (doing, since) == task.doing() || task.id() != id {
            break;
        }
        (doing, since) = task.doing();
        (wakers, counts, running) = (task.live_wakers(), TaskCounts::read(task), path(doing));
    }
    let left = if doing == RunState::Unpolled { 0 } else { task.since() };
    // During a poll, this is the start of the previous poll: the running one has not left out any
    // future yet.
    let entered = task.entered.load(Relaxed);
    let span = task.span.load(Relaxed);
    let memory = Memory(task.memory.load(Relaxed));
    // Pairs with the Release fences in `occupy` and `begin_root`: if something was read of a later
    // task, the id has changed.
    fence(Acquire);
    (task.id() == id).then_some(TaskCopy {
        task,
        id,
        origin,
        made,
        spawned_by,
        doing,
        since,
        wakers,
        span,
        memory,
        entered,
        left,
        counts,
        running,
    })
}

/// Hides a task that only runtime hooks report if a root inside it is listed. Returns the numbers
/// of these tasks.
fn hide_doubles(tasks: &mut Vec<TaskCopy>) -> HashSet<u64> {
    let mut hidden = HashSet::new();
    if !tasks.iter().any(TaskCopy::is_hooked) {
        return hidden;
    }
    let runtime_id = |task: &TaskCopy| task.task.runtime_id.load(Relaxed);
    let listed: HashSet<u64> = tasks.iter().filter(|task| !task.is_hooked()).map(runtime_id).collect();
    tasks.retain(|task| {
        let is_double = task.is_hooked() && listed.contains(&runtime_id(task));
        if is_double {
            hidden.insert(task.id);
        }
        !is_double
    });
    hidden
}

/// Returns the nodes that run in a tree, from the root of a task down.
fn running_on(thread: u32, site: &'static Site) -> Vec<&'static Node> {
    let Some(tree) = tree::all().into_iter().find(|tree| tree.root.tree == thread) else { return Vec::new() };
    let is_running = |node: &&'static Node| node.times.is_running() && !tree::is_nested(node.site);
    // If several tasks run, each runs inside another's poll.
    let own = tree.root.children().filter(is_running).find(|node| std::ptr::eq(node.site, site));
    let first = own.or_else(|| tree.root.children().find(is_running));
    std::iter::successors(first, |node| node.children().find(is_running)).collect()
}

impl TaskCopy {
    /// Returns whether its state has changed since the copy.
    pub(super) fn has_changed(&self) -> bool {
        self.task.id() != self.id || self.task.doing() != (self.doing, self.since)
    }

    /// Returns whether it is known only from the hooks of its runtime.
    fn is_hooked(&self) -> bool {
        self.origin.target.runtime == SpawnRuntime::TokioHooks
    }

    /// Returns the nodes that run on its thread, from its root down; empty while it is not running.
    pub(super) fn running(&self) -> &[&'static Node] {
        self.running.as_ref().map_or(&[], |running| &running.path)
    }

    /// Returns the tick of that reading; `None` while it is not running.
    pub(super) fn read_at(&self) -> Option<u64> {
        self.running.as_ref().map(|running| running.at)
    }

    /// Returns whether it is in a poll now.
    pub(super) fn is_running(&self) -> bool {
        self.task.doing().0 == RunState::Running
    }

    /// Returns whether its spawner is unknown: neither this crate nor a hook of its runtime saw the
    /// spawn.
    pub(super) fn is_spawner_unknown(&self) -> bool {
        self.origin.target.runtime == SpawnRuntime::Unknown
    }

    /// Returns whether it is the future of a `block_on`, which may borrow from the code around.
    pub(super) fn is_block_on(&self) -> bool {
        is_block_on(self.task, self.origin.site)
    }

    pub(super) fn build(&self, now: u64, scale: Scale, texts: &Texts) -> Task {
        let ago = |tick: u64| scale.ns(now.saturating_sub(tick));
        let TaskCounts { polls, busy, queued, wakes, self_wakes, last_wake, woken_by } = self.counts;
        let mut task = Task::default();
        // Borrowed once, because each mutable borrow checks that the class is not shared.
        let class: &mut TaskClass = &mut task;
        class.label = texts.of_label(self.origin.label);
        class.kind = self.origin.work;
        class.runtime = texts.of(library(self.origin.target.runtime));
        class.spawned_at = self.origin.spawned_at.map(|at| texts.place(at));
        class.runtime_number = u64::from(self.origin.target.number);
        class.future_bytes = self.memory.range().map(|it| it.end - it.start).filter(|&it| it >= LARGE_BYTES);
        class.is_local = self.origin.target.is_local;
        // Handles of other libraries are not recorded.
        let is_counted = !matches!(
            self.origin.target.runtime,
            SpawnRuntime::Smol | SpawnRuntime::AsyncStd | SpawnRuntime::Other
        );
        class.has_handle = !is_counted || self.task.handles() & HANDLE != 0;
        class.has_abort_handle = self.task.handles() & !(HANDLE | ON_DROP) != 0;
        class.is_aborted_on_drop = self.task.handles() & ON_DROP != 0;
        class.is_unspawned =
            matches!(self.origin.target.runtime, SpawnRuntime::Unknown | SpawnRuntime::TokioHooks);
        class.spawned_by = some(self.spawned_by).map(TaskId::new);
        class.state = self.doing;
        class.self_wakes = self_wakes;
        class.wakers = (live::has_wakers() && self.origin.work == TaskKind::Future && !self.is_hooked())
            .then(|| u64::from(self.wakers));
        task.id = TaskId::new(self.id);
        task.runtime_id = some(self.task.runtime_id.load(Relaxed));
        task.since_ns = ago(self.since);
        task.age_ns = ago(self.made);
        task.polls = polls;
        task.busy_ns = scale.ns(busy);
        task.queued_ns = scale.ns(queued);
        match task.state {
            RunState::Running => task.busy_ns = task.busy_ns.saturating_add(task.since_ns),
            RunState::Queued => task.queued_ns = task.queued_ns.saturating_add(task.since_ns),
            _ => {}
        }
        task.wakes = wakes;
        task.woken_by = some(woken_by).map(TaskId::new);
        task.woken_ns = some(last_wake).map(ago);
        task
    }
}

/// Minimum size of a future, in bytes, for its size to be stored in each task.
const LARGE_BYTES: u64 = 1 << 10;

/// Returns `None` for 0.
pub(super) fn some(number: u64) -> Option<u64> {
    (number != 0).then_some(number)
}
