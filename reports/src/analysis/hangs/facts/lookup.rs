//! A snapshot with its ids looked up: which task, which waits, which queue.

use std::cell::OnceCell;

use super::id_map::IdSet;
use super::predicates::{is_active, is_blocked, is_pending, queue_side};
use super::steps::step;
use crate::index::Index;
use crate::lists::Lists;
use crate::model::{
    Holding, ResourceId, ResourceKind, Role, SiteKind, Snapshot, SpanId, TaskId, Wait, WaitMode,
};
use crate::ordered::OrderedMap;

/// Maximum number of enclosing futures that are searched.
const MAX_DEPTH: usize = 128;

/// The future that a waiting task awaits if no recorded wait is pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnrecordedAwait {
    /// A future whose `poll` the program implements by hand.
    OwnPoll,
    /// Only `pending()`: the task waits forever on purpose.
    Pending,
    /// Something unrecorded, which may be `pending()`.
    Unknown,
}

/// Answers the rules' questions about a snapshot, each in constant time.
#[derive(Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) snapshot: &'a Snapshot,
    tasks: Index<TaskId>,
    /// By span id: the first span with that id, which is the body and not one of its awaits.
    spans: Index<SpanId>,
    resources: Index<ResourceId>,
    /// By task index: the waits of its futures.
    pub(crate) waits_of_task: Lists,
    /// By resource index: all waits for the resource, in queue order.
    pub(crate) waits_of_resource: Lists,
    /// By OS thread id: the waits that block the thread.
    pub(crate) blocking_waits: OrderedMap<u64, Vec<usize>>,
    /// By OS thread id: the tasks bound to the thread. A thread with such tasks most likely runs
    /// nothing else.
    pub(crate) local_tasks: OrderedMap<u64, Vec<usize>>,
    /// Whether any thread is blocked, inside or outside of a poll.
    pub(crate) is_any_blocked: bool,
    /// By span index: whether the span or one of its descendants has a wait that its task polls.
    is_polled: Vec<bool>,
    /// By twice the resource index plus [`queue_side`]: the waits that are still queued, in queue
    /// order.
    queues: Lists,
    /// By wait index: the number of waits on the same side that are certainly ahead of it.
    pub(crate) waits_ahead: Vec<usize>,
    /// By task index.
    pub(crate) unrecorded_awaits: Vec<UnrecordedAwait>,
    /// By task index: whether un-annotated code in the task polls annotated functions, as a
    /// connection polls its handlers, and these functions wait only for recorded resources.
    pub(crate) are_handlers: Vec<bool>,
    /// By task index: whether a future of the task waits for something unrecorded. A future that
    /// was set aside counts only if no wait that uses the task's own waker is active.
    pub(crate) waits_unrecorded: Vec<bool>,
    /// By task index: whether one of its futures waits with the waker of a group of futures, such
    /// as a `FuturesUnordered`.
    has_group: Vec<bool>,
    /// By task index: whether the task awaits anything other than its group of futures.
    awaits_beside: Vec<bool>,
    /// By task index: whether anything waits for the task to end.
    pub(crate) is_joined: Vec<bool>,
    /// By task index: the index of the wait for its handle, plus one; 0 if there is none. Most
    /// tasks have no such wait, so their entries are never touched.
    join_wait: Vec<u32>,
    /// By task index: the tasks it spawned. Computed on first use.
    spawned: OnceCell<Lists>,
    /// Ids of the tasks that hold a guard or a permit.
    holders: OnceCell<IdSet<TaskId>>,
}

impl<'a> Facts<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot) -> Self {
        let mut facts = Self {
            snapshot,
            tasks: Index::new(snapshot.tasks.iter().map(|task| task.id)),
            spans: Index::new(snapshot.spans.iter().map(|span| span.id)),
            resources: Index::new(snapshot.resources.iter().map(|it| it.id)),
            waits_of_task: Lists::default(),
            waits_of_resource: Lists::default(),
            blocking_waits: OrderedMap::new(),
            local_tasks: OrderedMap::new(),
            is_any_blocked: snapshot.tasks.iter().any(is_blocked),
            is_polled: vec![false; snapshot.spans.len()],
            queues: Lists::default(),
            waits_ahead: vec![0; snapshot.waits.len()],
            unrecorded_awaits: vec![UnrecordedAwait::Unknown; snapshot.tasks.len()],
            are_handlers: vec![false; snapshot.tasks.len()],
            waits_unrecorded: vec![false; snapshot.tasks.len()],
            has_group: vec![false; snapshot.tasks.len()],
            awaits_beside: vec![false; snapshot.tasks.len()],
            is_joined: vec![false; snapshot.tasks.len()],
            join_wait: vec![0; snapshot.tasks.len()],
            spawned: OnceCell::new(),
            holders: OnceCell::new(),
        };
        for (index, task) in snapshot.tasks.iter().enumerate() {
            if let Some(thread) = task.thread_id.filter(|_| task.is_local) {
                facts.local_tasks.entry(thread).or_default().push(index);
            }
        }
        for (index, wait) in snapshot.waits.iter().enumerate() {
            if let Some(thread) = wait.thread_id {
                facts.blocking_waits.entry(thread).or_default().push(index);
                facts.is_any_blocked = true;
            }
            for task in wait.tasks.iter().filter_map(|task| facts.tasks.get(*task)) {
                facts.is_joined[task] = true;
                if is_active(wait) && wait.thread_id.is_none() {
                    facts.join_wait[task] = u32::try_from(index + 1).unwrap_or(0);
                }
            }
            if is_active(wait) {
                facts.mark_polled(wait.span);
            }
        }
        facts.fill_lists();
        facts.fill_queues();
        let is_deepest = deepest(snapshot);
        facts.fill_unrecorded_awaits(&is_deepest);
        facts.fill_handlers(&is_deepest);
        facts.fill_waits_unrecorded(&is_deepest);
        facts
    }

    /// Lists waits by task and by resource.
    fn fill_lists(&mut self) {
        let Snapshot { tasks, waits, resources, .. } = self.snapshot;
        let is_future = |(_, wait): &(usize, &Wait)| wait.thread_id.is_none();
        let of_task = waits.iter().enumerate().filter(is_future);
        let of_task = of_task.filter_map(|(index, wait)| Some((self.task_of(wait)?, index)));
        let queued = waits.iter().enumerate();
        let queued = queued.filter_map(|(index, wait)| Some((self.resource_of(wait)?, index)));
        let of_task = Lists::new(tasks.len(), of_task);
        self.waits_of_resource = Lists::new(resources.len(), queued);
        self.waits_of_task = of_task;
    }

    /// The indices of the tasks that a task spawned.
    pub(crate) fn spawned(&self, task: usize) -> &[usize] {
        let lists = self.spawned.get_or_init(|| {
            let tasks = self.snapshot.tasks.iter().enumerate();
            let spawned = tasks.filter_map(|(index, task)| Some((self.task(task.spawned_by?)?, index)));
            Lists::new(self.snapshot.tasks.len(), spawned)
        });
        lists.of(task)
    }

    /// The index of the wait for a task's handle, or for the `JoinSet` that contains the task.
    pub(crate) fn join_wait(&self, task: usize) -> Option<usize> {
        self.join_wait.get(task)?.checked_sub(1).map(|wait| wait as usize)
    }

    /// The index of a live task.
    pub(crate) fn task(&self, id: TaskId) -> Option<usize> {
        self.tasks.get(id)
    }

    /// Returns whether the task holds a guard or a permit. The first call reads all holdings.
    pub(crate) fn is_holder(&self, task: TaskId) -> bool {
        let holders = self.holders.get_or_init(|| {
            let holdings = self.snapshot.resources.iter().flat_map(|it| &it.holdings).inspect(|_| step());
            holdings
                .filter(|holding| holding.role == Role::Holds)
                .filter_map(|holding| holding.task)
                .collect()
        });
        holders.contains(&task)
    }

    /// The index of a resource.
    pub(crate) fn resource(&self, id: ResourceId) -> Option<usize> {
        self.resources.get(id)
    }

    /// The index of a span.
    pub(crate) fn span(&self, id: Option<SpanId>) -> Option<usize> {
        self.spans.get(id?)
    }

    /// The index of the span that polled this one last.
    pub(crate) fn parent_of(&self, index: usize) -> Option<usize> {
        let parent = self.snapshot.spans.get(index)?.parent?.get();
        // A saved snapshot may break this order. The check keeps every path finite.
        (parent < index).then_some(parent)
    }

    /// The index of the resource that a wait is for.
    pub(crate) fn resource_of(&self, wait: &Wait) -> Option<usize> {
        wait.resource.and_then(|resource| self.resource(resource))
    }

    /// The live task that a wait belongs to.
    pub(crate) fn task_of(&self, wait: &Wait) -> Option<usize> {
        wait.task.and_then(|task| self.task(task))
    }

    /// Returns whether the future with this holding is alive, and its task polls neither that
    /// future nor any of its descendants.
    pub(crate) fn is_set_aside(&self, holding: &Holding) -> bool {
        let Some(index) = self.span(holding.span).filter(|_| holding.role == Role::Holds) else {
            return false;
        };
        let span = &self.snapshot.spans[index];
        span.is_set_aside && span.task == holding.task && !self.is_polled[index]
    }

    /// Returns whether the future with this holding is in a group, such as a `FuturesUnordered`,
    /// that its task awaits. Another future then waits with a waker of the group. In addition, the
    /// holder is below the task's current await, or the task is not known to await anything else.
    /// The group polls a future again once the future is woken.
    pub(crate) fn is_in_awaited_group(&self, holding: &Holding) -> bool {
        let Some(task) = holding.task.and_then(|task| self.task(task)) else { return false };
        if !self.has_group[task] {
            return false;
        }
        let spans = &self.snapshot.spans;
        let above = std::iter::successors(self.span(holding.span), |&index| self.parent_of(index));
        let around = above.skip(1).take(MAX_DEPTH).find(|&index| !spans[index].is_set_aside);
        let site = around.and_then(|index| self.snapshot.site(spans[index].site));
        let is_at_await = site.is_some_and(|site| site.kind == SiteKind::Await);
        is_at_await || !self.awaits_beside[task]
    }

    /// Returns whether code outside of all tasks acquired the holding on a thread that is now
    /// blocked outside of all tasks. Most likely the thread still has the holding.
    pub(crate) fn is_of_blocked_thread(&self, holding: &Holding) -> bool {
        let waits = holding.thread_id.and_then(|thread| self.blocking_waits.get(&thread));
        let is_outside = |&wait: &usize| self.snapshot.waits[wait].task.is_none();
        holding.task.is_none() && waits.is_some_and(|waits| waits.iter().any(is_outside))
    }

    /// Returns whether the holding records that a task has added permits, that task is done, and no
    /// other task may have taken over.
    pub(crate) fn is_last_refill(&self, holding: &Holding) -> bool {
        let is_done = holding.task.is_some_and(|task| self.task(task).is_none());
        holding.role == Role::Uses && is_done && holding.candidates.is_empty()
    }

    fn mark_polled(&mut self, span: Option<SpanId>) {
        let mut next = self.span(span);
        while let Some(index) = next.filter(|&index| !self.is_polled[index]) {
            self.is_polled[index] = true;
            next = self.parent_of(index);
        }
    }

    /// Fills in the queues. A granted wait has left the queue of a fair lock, although its future
    /// is still alive.
    fn fill_queues(&mut self) {
        let Snapshot { waits, resources, .. } = self.snapshot;
        // By side: the number of its waits among the first 0, 1, 2, … waits of both sides.
        let mut within = [Vec::new(), Vec::new()];
        for resource in 0..resources.len() {
            within.iter_mut().for_each(Vec::clear);
            let mut queued = [0, 0];
            for (position, &index) in self.waits_of_resource[resource].iter().enumerate() {
                let side = queue_side(waits[index].mode);
                let ahead = usize::try_from(waits[index].ahead).unwrap_or(usize::MAX).min(position);
                for side in 0..2 {
                    within[side].push(queued[side]);
                }
                self.waits_ahead[index] = within[side][ahead];
                queued[side] += usize::from(!waits[index].is_granted);
            }
        }
        let all = (0..resources.len()).flat_map(|resource| {
            self.waits_of_resource[resource].iter().map(move |&index| (resource, index))
        });
        let queued = all.filter(|&(_, index)| !waits[index].is_granted);
        let by_side = queued.map(|(resource, index)| (2 * resource + queue_side(waits[index].mode), index));
        self.queues = Lists::new(2 * resources.len(), by_side);
    }

    /// The waits on one side of a resource that are still queued, in queue order.
    pub(crate) fn queue(&self, resource: usize, side: usize) -> &[usize] {
        self.queues.of(2 * resource + side)
    }

    /// Returns whether the wait for a message continues although the channel is closed, because the
    /// owner of a reserved slot may still send. Closing tokio's channel wakes the waiting senders.
    pub(crate) fn awaits_reserved_slots(&self, resource: usize, wait: &Wait) -> bool {
        let it = &self.snapshot.resources[resource];
        let is_drain = it.kind == ResourceKind::Mpsc && it.library == *"tokio" && it.filled == 0;
        is_drain
            && wait.mode == WaitMode::Receive
            && self.queue(resource, queue_side(WaitMode::Send)).is_empty()
            && it.holdings.iter().any(|holding| holding.role == Role::Holds)
    }

    fn fill_unrecorded_awaits(&mut self, is_deepest: &[bool]) {
        let spans = &self.snapshot.spans;
        let mut found: Vec<Option<UnrecordedAwait>> = vec![None; self.unrecorded_awaits.len()];
        for (span, _) in
            spans.iter().zip(is_deepest).filter(|(span, is_deepest)| **is_deepest && !span.is_set_aside)
        {
            let Some(task) = span.task.and_then(|task| self.task(task)) else { continue };
            let site = self.snapshot.site(span.site);
            let awaits = match site {
                Some(site) if is_pending(&site.name) => UnrecordedAwait::Pending,
                // Nothing inside this `main` is recorded. Most likely it only keeps the program
                // alive.
                Some(site) if site.kind == SiteKind::Task && site.name == "main" => UnrecordedAwait::Pending,
                Some(site) if site.is_hand_written || site.kind == SiteKind::Impl => UnrecordedAwait::OwnPoll,
                _ => UnrecordedAwait::Unknown,
            };
            let both =
                |other: UnrecordedAwait| if other == awaits { awaits } else { UnrecordedAwait::Unknown };
            found[task] = Some(found[task].map_or(awaits, both));
        }
        for (awaits, found) in self.unrecorded_awaits.iter_mut().zip(found) {
            *awaits = found.unwrap_or(UnrecordedAwait::Unknown);
        }
    }

    fn fill_waits_unrecorded(&mut self, is_deepest: &[bool]) {
        let Snapshot { spans, waits, .. } = self.snapshot;
        // By index of the first span with each id.
        let mut has_wait = vec![false; spans.len()];
        let mut is_elsewhere = vec![false; self.awaits_beside.len()];
        for wait in waits.iter().filter(|wait| wait.thread_id.is_none()) {
            step();
            if let Some(span) = self.span(wait.span) {
                has_wait[span] = true;
            }
            if let Some(task) = self.task_of(wait).filter(|_| is_active(wait)) {
                let of_task = if wait.is_indirect { &mut self.has_group } else { &mut self.awaits_beside };
                of_task[task] = true;
            }
        }
        for (span, _) in spans.iter().zip(is_deepest).filter(|(_, is_deepest)| **is_deepest) {
            let Some(task) = span.task.and_then(|task| self.task(task)) else { continue };
            let is_recorded = self.span(Some(span.id)).is_some_and(|first| has_wait[first]);
            let is_pending = self.snapshot.site(span.site).is_some_and(|site| is_pending(&site.name));
            if is_recorded || is_pending {
                continue;
            }
            // If the task also awaits something else, its group may really be set aside. Otherwise
            // the futures of the group only look set aside because they were not woken.
            self.waits_unrecorded[task] |= !span.is_set_aside || !self.awaits_beside[task];
            is_elsewhere[task] |= !span.is_set_aside;
        }
        for (awaits_beside, is_elsewhere) in self.awaits_beside.iter_mut().zip(is_elsewhere) {
            *awaits_beside |= is_elsewhere;
        }
    }

    fn fill_handlers(&mut self, is_deepest: &[bool]) {
        let Snapshot { spans, waits, .. } = self.snapshot;
        // By index of the first span with each id.
        let mut is_waiting = vec![false; spans.len()];
        for wait in waits.iter().filter(|wait| is_active(wait) && wait.thread_id.is_none()) {
            step();
            let Some(span) = self.span(wait.span) else { continue };
            is_waiting[span] |= spans[span].task == wait.task;
        }
        // By span: whether its root is a task without annotation, and whether the span is at or
        // below an annotated function.
        let mut is_below: Vec<(bool, bool)> = Vec::with_capacity(spans.len());
        let mut found: Vec<Option<bool>> = vec![None; self.are_handlers.len()];
        for (index, (span, is_deepest)) in spans.iter().zip(is_deepest).enumerate() {
            let kind = self.snapshot.site(span.site).map(|site| site.kind);
            let (is_task, is_function) = match self.parent_of(index) {
                Some(parent) => is_below[parent],
                None => (kind == Some(SiteKind::Task), false),
            };
            is_below.push((is_task, is_function || is_task && kind == Some(SiteKind::Fn)));
            let task = span.task.and_then(|task| self.task(task));
            if let Some(task) = task.filter(|_| *is_deepest && !span.is_set_aside) {
                let is_handler = is_below[index] == (true, true)
                    && self.span(Some(span.id)).is_some_and(|first| is_waiting[first]);
                found[task] = Some(found[task].unwrap_or(true) && is_handler);
            }
        }
        self.are_handlers = found.into_iter().map(|found| found == Some(true)).collect();
    }
}

/// By span index: no span is below it.
fn deepest(snapshot: &Snapshot) -> Vec<bool> {
    let mut is_deepest = vec![true; snapshot.spans.len()];
    for parent in snapshot.spans.iter().filter_map(|span| span.parent) {
        if let Some(is_deepest) = is_deepest.get_mut(parent.get()) {
            *is_deepest = false;
        }
    }
    is_deepest
}
