//! Copies the live registry: all tasks, spans and waits, in order.

use std::sync::atomic::Ordering::Relaxed;

use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    Alike, Classes, NodeIndex, RunState, SiteIndex, Span, SpanId, SpanIndex, Task, TaskId,
};

use super::block_ons::BlockOns;
use super::capture_context::{CaptureContext, KnownThread, TaskTable};
use super::confined::Confined;
use super::draining::in_place;
use super::lost_wakes;
use super::merged::Merged;
use super::numbers::Table;
use super::runtimes;
use super::span_order::Spans;
use super::task_copy::{self, TaskCopy, some};
use super::texts::Texts;
use super::unrecorded::{self, RuntimeTaskCount};
use super::waits::WaitsCopy;
use crate::clock::{self, Scale};
use crate::cpu;
use crate::live::{self, SlotCopy, TaskKind};
use crate::own_thread;
use crate::site::Site;
use crate::system_call;
use crate::tree::{self, Node, Tree};

/// A copy of the live registry, taken at the tick `now`.
#[derive(Debug)]
pub(super) struct LiveSpans {
    tasks: TaskTable,
    spans: Spans,
    waits: WaitsCopy,
    /// Each runtime's own task count, before and after the tasks were read.
    counted: [Vec<RuntimeTaskCount>; 2],
    now: u64,
    /// `now` as [`clock::instant_ns`] shows it, to compare deadlines with.
    instant_ns: u64,
}

impl LiveSpans {
    /// Copies the live registry. No task is stopped, and its spans are read after it: a task that
    /// runs in between appears half changed.
    pub(super) fn capture() -> Self {
        // Read before the tasks: if a task has waited since before this, all of its waits are read
        // here.
        let waits = WaitsCopy::capture();
        let before = unrecorded::counted();
        let (tasks, hidden) = task_copy::all();
        let counted = [before, unrecorded::counted()];
        let read_at: Table<u64, u64> =
            tasks.iter().filter_map(|task| Some((task.id, task.read_at()?))).collect();
        // A running task's span that is younger than the reading does not belong to it.
        let is_later = |span: &SlotCopy| {
            !read_at.is_empty() && read_at.get(&span.task).is_some_and(|at| span.made > *at)
        };
        let spans = live::all().filter_map(live::LiveSlot::read).filter(|span| !is_later(span)).collect();
        let (now, instant_ns) = (clock::now(), clock::instant_ns());
        let tasks = TaskTable::new(tasks, hidden);
        let spans = Spans::new(spans, &tasks);
        Self { tasks, spans, waits, counted, now, instant_ns }
    }

    /// Copies only tasks that run or could run.
    pub(super) fn running() -> Self {
        let (mut tasks, hidden) = task_copy::all_that(|task| task.doing().0 != RunState::Waiting);
        tasks.retain(|task| task.doing != RunState::Waiting);
        Self {
            tasks: TaskTable::new(tasks, hidden),
            spans: Spans::default(),
            waits: WaitsCopy::default(),
            counted: Default::default(),
            now: clock::now(),
            instant_ns: clock::instant_ns(),
        }
    }

    /// Returns the sites in use.
    pub(super) fn sites(&self) -> impl Iterator<Item = &'static Site> {
        let tasks = &self.tasks.all;
        let running = tasks.iter().flat_map(TaskCopy::running);
        let running = running.flat_map(|node| [Some(node.site), node.via]);
        let spans = self.spans.iter().flat_map(|spot| [Some(spot.node.site), spot.node.via]);
        spans.chain(running).flatten().chain(tasks.iter().map(|task| task.origin.site))
    }

    /// Charges each task's open wait to its first path that waits by itself.
    pub(super) fn charge(&self, merged: &mut Merged) {
        // By path: total open waiting time and queued time of its tasks.
        let mut open: Table<*const Node, (&'static Node, u64, u64)> = Table::default();
        let reset = live::last_reset();
        let tasks = &self.tasks.all;
        for (task, node) in tasks.iter().zip(self.spans.waiting_nodes(tasks.len())) {
            let Some(node) = node else { continue };
            let since = task.since.max(task.left).max(reset);
            let (waited, queued) = match task.doing {
                RunState::Waiting => (self.now.saturating_sub(since), 0),
                RunState::Queued => {
                    let left = task.left.max(reset);
                    (task.since.saturating_sub(left), self.now.saturating_sub(since))
                }
                _ => continue,
            };
            let (_, all_waited, all_queued) = open.entry(node).or_insert((node, 0, 0));
            *all_waited += waited;
            *all_queued += queued;
        }
        for (node, waited, queued) in open.into_values() {
            merged.add_open(node, waited, queued);
        }
    }

    /// Adds waits, spans and tasks to a snapshot. The memory of the copies is freed on the way, the
    /// tasks last, since everything else needs them.
    pub(super) fn build(
        self,
        snapshot: &mut Snapshot,
        scale: Scale,
        site_index: impl Fn(&'static Site) -> SiteIndex,
        node_index: &dyn Fn(&'static Node) -> Option<NodeIndex>,
    ) {
        let Self { tasks, spans, mut waits, counted, now, instant_ns } = self;
        let ago = |tick: u64| scale.ns(now.saturating_sub(tick));
        let (texts, threads) = (Texts::default(), threads());
        // If several tasks run in each other's polls, the outermost one counts.
        let running = tasks.all.iter().rev();
        let running =
            running.filter(|task| task.doing == RunState::Running && task.origin.work == TaskKind::Future);
        let running = running.map(|task| (task.task.thread.load(Relaxed), task.id)).collect();
        runtimes::add(snapshot, &running, now, scale);
        let block_ons = BlockOns::new(&tasks.all, ago);
        let (read_at, other_threads) = (waits.read_at(), waits.take_threads());
        let confined = Confined::new(&spans, &tasks);
        let (stored, left) = (waits.stored_wakers(&tasks), waits.left.count(&tasks, &confined));
        let is_whole = !snapshot.nodes.is_empty();
        let capture = CaptureContext {
            instant_ns,
            now,
            scale,
            tasks: &tasks,
            confined: &confined,
            threads: &threads,
            texts: &texts,
            node_index,
            is_whole,
        };
        waits.build(snapshot, &capture);
        drop(confined);
        let roots = add_spans(snapshot, spans, &tasks.all, ago, &texts, &site_index);
        let records: Vec<&live::Task> = tasks.all.iter().map(|task| task.task).collect();
        let mut classes = Classes::default();
        let build = |index: usize, listing: TaskCopy| {
            let mut task = listing.build(now, scale, &texts);
            task.site = site_index(listing.origin.site);
            let path = listing.running().iter().flat_map(|node| [node.via, Some(node.site)]);
            task.running = path.flatten().map(&site_index).collect();
            task.span = roots[index];
            if task.label.is_none() {
                // A spawned task gets its label with its root span.
                task.label = task.span.and_then(|span| snapshot.span(span)?.label.clone());
            }
            add_thread(&mut task, threads.get(&listing.task.thread.load(Relaxed)));
            task.wakers = task.wakers.map(|wakers| wakers.saturating_add(block_ons.more_wakers(&listing)));
            let (stored, left) = (stored[index], left[index]);
            task.wakers = task.wakers.map(|wakers| wakers.saturating_sub(left.resting));
            let mut known = u64::from(stored.unwrap_or(0));
            // Without a wait, the task may rely on what it has left.
            if known > 0 {
                known += left.in_vain + left.likely_in_vain;
                task.left_wakers = left.likely_in_vain;
            }
            task.opaque_wakers = task.wakers.map(|wakers| wakers.saturating_sub(known));
            // A state that began later may have waits that were not read.
            task.is_unstable = stored.is_none() || listing.since > read_at || listing.has_changed();
            task.share(&mut classes);
            Some(task)
        };
        snapshot.tasks = in_place(tasks.all, build);
        runtimes::add_busy_workers(snapshot);
        runtimes::add_cpu_times(snapshot);
        unrecorded::add(snapshot, &records, other_threads.as_deref(), &counted);
        runtimes::check_delayed(snapshot);
        lost_wakes::mark(snapshot);
    }
}

/// Adds the spans. Returns the index of each task's root span.
fn add_spans(
    snapshot: &mut Snapshot,
    spans: Spans,
    tasks: &[TaskCopy],
    ago: impl Fn(u64) -> u64,
    texts: &Texts,
    site_index: impl Fn(&'static Site) -> SiteIndex,
) -> Vec<Option<SpanIndex>> {
    let mut roots = vec![None; tasks.len()];
    snapshot.spans.reserve_exact(spans.len());
    for (number, spot) in spans.drain().enumerate() {
        if spot.parent.is_none() && !spot.is_detached {
            if let Some(root) = spot.task.and_then(|task| roots.get_mut(task)) {
                *root = Some(SpanIndex::new(number));
            }
        }
        let mut span = Span::default();
        span.id = SpanId::new(spot.listed.id);
        span.site = site_index(spot.node.site);
        span.at = spot.node.via.map(&site_index);
        span.label = texts.of_label(spot.node.label);
        span.parent = spot.parent.map(SpanIndex::new);
        span.task = spot.task.map(|task| TaskId::new(tasks[task].id));
        span.state = spot.listed.state;
        span.since_ns = ago(spot.listed.since);
        span.age_ns = ago(spot.listed.made);
        span.polls = spot.listed.polls;
        span.is_detached = spot.is_detached;
        span.is_set_aside = spot.is_set_aside;
        snapshot.spans.push(span);
    }
    roots
}

/// Sets the name and the id of the thread that last polled a task.
fn add_thread(task: &mut Task, thread: Option<&KnownThread>) {
    if task.polls > 0 || task.state == RunState::Running {
        if let Some(thread) = thread {
            task.thread = thread.name.clone();
            task.thread_id = some(thread.id);
        }
    }
    if task.state == RunState::Running {
        // The thread that ends the process waits for this snapshot.
        let is_asleep = |id| if own_thread::of_snapshot() == id { Some(false) } else { cpu::is_asleep(id) };
        task.is_asleep = task.thread_id.and_then(is_asleep);
        let sleeper = task.thread_id.filter(|_| task.is_asleep == Some(true));
        task.waits_for_thread =
            sleeper.and_then(system_call::of).map(|call| system_call::waits_for_thread(&call));
    }
}

/// Returns the threads, by the numbers of their trees.
fn threads() -> Table<u32, KnownThread> {
    let known = |tree: &'static Tree| {
        let name = tree.thread()?.0.into();
        let thread = KnownThread { name, id: tree.thread_id(), is_first: tree.has_one_lease() };
        Some((tree.root.tree, thread))
    };
    tree::all().into_iter().filter_map(known).collect()
}
