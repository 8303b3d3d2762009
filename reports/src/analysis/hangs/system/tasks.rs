//! The conditions for the progress of a task: a wake and a thread. Unrecorded code may provide the
//! wake.

use super::build::{System, task_node};
use super::graph::NodeId;
use super::node::Node;
use crate::analysis::hangs::facts::{
    UnrecordedAwait, completes_by_itself, is_active, is_block_on_main, is_blocked, is_in_place, is_main,
    records_handles,
};
use crate::model::{RunState, Task, TaskKind, Wait, WaitMode};

/// Code that polls an unspawned root under a timeout has most likely given up after this time.
const TIMEOUT_NS: u64 = 60_000_000_000;

/// A task with more waits, such as a `join_all`, is not searched: none of its handles counts as
/// awaited.
const MAX_WAITS: usize = 16;
/// Waits for handles that began so soon after each other, in ns, are those of one `join!`.
const JOINED_NS: u64 = 1_000_000;

impl System<'_> {
    pub(super) fn add_task(&mut self, index: usize, task: &Task) {
        let node = task_node(index);
        match task.state {
            _ if task.is_unstable => self.set_can_progress(node),
            RunState::Running if is_blocked(task) => self.add_blocked(node, index, task),
            RunState::Running => self.set_can_progress(node),
            RunState::Unpolled | RunState::Queued => {
                self.graph.set_needed(node, 0);
                self.require_thread(node, task);
            }
            RunState::Waiting if self.may_be_dropped(task) => self.set_can_progress(node),
            RunState::Waiting => {
                self.graph.set_needed(node, 0);
                if !self.is_surely_woken(index)
                    && !self.may_be_woken(index, task)
                    && !self.may_be_polled_after_lost_wake(index)
                {
                    let woken = self.add_node(Node::Woken(index), 1);
                    self.graph.require(node, woken);
                    for &wait in &self.facts.waits_of_task[index] {
                        if self.may_wake(task, &self.facts.snapshot.waits[wait]) {
                            self.add_alternative(woken, self.wait_node(wait));
                        }
                    }
                    self.add_aborts(woken, index, task);
                }
                self.require_thread(node, task);
            }
        }
    }

    /// Adds the ways in which the task may be aborted. Any task or thread that owns a `LocalSet`, a
    /// `JoinSet` or the like can abort its tasks by dropping it. A `LocalSet` most likely belongs
    /// to the `block_on` of its thread. An awaited handle or set belongs to the task that awaits
    /// it. Any other handle may be anywhere, even in a static.
    ///
    /// The owner of an `AbortHandle`, or of a handle under a timeout, may abort the task later.
    /// Awaits of handles are recorded for tokio only, and dropping a handle of smol aborts its
    /// task. A thread of the runtime then drops the task, as it would poll the task after a wake.
    fn add_aborts(&mut self, woken: NodeId, index: usize, task: &Task) {
        let facts = self.facts;
        // The future of a `block_on` is bound to its thread, too, but nothing can abort it.
        if task.is_local && !is_block_on_main(facts.snapshot, task) {
            if self.is_exact_only() {
                let others = self.any_task();
                self.graph.add_hidden_edge(others, woken);
            } else if let Some(thread) = task.thread_id.filter(|_| task.since_ns < TIMEOUT_NS) {
                let runner = self.block_on_node(thread);
                self.graph.add_hidden_edge(runner, woken);
            }
        }
        let may_be = task.has_handle || task.has_abort_handle;
        let is_recorded = records_handles(task) || is_main(facts.snapshot, task);
        // The owner of the handle or set may soon drop it, or may await it under a timeout.
        let is_at_hand =
            task.has_abort_handle || task.is_aborted_on_drop || facts.is_joined[index] || !is_recorded;
        let may_soon_be = may_be && is_at_hand && task.since_ns < TIMEOUT_NS;
        if !(may_be && self.is_exact_only() || may_soon_be && self.rejects_suspect()) {
            return;
        }
        // An `AbortHandle` may be anywhere, and may have been used. Neither is recorded.
        if task.has_abort_handle && self.is_exact_only() {
            return self.set_can_progress(woken);
        }
        match self.joiner(index).filter(|_| !task.has_abort_handle) {
            Some(joiner) => self.graph.add_hidden_edge(task_node(joiner), woken),
            None if task.spawned_by.is_none() && (is_recorded || self.is_exact_only()) => {
                self.set_can_progress(woken);
            }
            None => {
                let others = self.any_task();
                self.graph.add_hidden_edge(others, woken);
            }
        }
    }

    /// The node for "a `block_on` on the thread continues". The `block_on` runs the sets of that
    /// thread, and may drop them. Without a recorded `block_on`, nothing is known about the owner
    /// of the sets.
    fn block_on_node(&mut self, thread: u64) -> NodeId {
        if let Some(&node) = self.shared.block_ons.get(&thread) {
            return node;
        }
        let node = self.add_node(Node::BlockOn(thread), 1);
        self.shared.block_ons.insert(thread, node);
        let snapshot = self.facts.snapshot;
        for &local in self.facts.local_tasks.get(&thread).into_iter().flatten() {
            if self.rejects_suspect() && is_block_on_main(snapshot, &snapshot.tasks[local]) {
                self.add_alternative(node, task_node(local));
            }
        }
        node
    }

    /// The task that awaits the handle of this task, or the set that contains it. A handle that was
    /// polled may be shared behind a lock, or may be handed on in the same poll, as after a
    /// `select!`. So the handle certainly belongs to the awaiting task only if the await owns the
    /// handle, or borrows the set. In two cases, the handle most likely belongs to the task that
    /// polled it. Either that task waits for nothing else, or it began to wait for other tasks at
    /// the same time, as in a `join!` of handles.
    fn joiner(&mut self, index: usize) -> Option<usize> {
        let facts = self.facts;
        let wait = &facts.snapshot.waits[facts.join_wait(index)?];
        let joiner = facts.task_of(wait)?;
        if self.is_exact_only() {
            return wait.is_confined.then_some(joiner);
        }
        let waits = &facts.waits_of_task[joiner];
        let active =
            || waits.iter().map(|&other| &facts.snapshot.waits[other]).filter(|wait| is_active(wait));
        // A wait that began later may follow a `select!` after which the handle was handed on. If
        // the task was polled only once, all its waits began in that poll, even if a busy machine
        // interrupted the poll for long.
        let has_one_poll = facts.snapshot.tasks[joiner].polls == 1;
        let is_beside = |other: &Wait| {
            let is_soon = || other.since_ns.abs_diff(wait.since_ns) <= JOINED_NS;
            other.mode == WaitMode::Join && (has_one_poll || is_soon())
        };
        let count = active().count();
        let is_only = waits.len() <= MAX_WAITS && (count == 1 || count > 1 && active().all(is_beside));
        // If the span is gone, the await that polled the handle is over.
        let is_awaited = wait.span.is_none() || facts.span(wait.span).is_some();
        (is_only && is_awaited && !wait.may_have_moved).then_some(joiner)
    }

    /// Returns whether the code that polls an unspawned root may drop it, or poll it without a
    /// wake. Nothing about an unspawned root is proven, and nothing is likely while a timeout may
    /// be around it.
    fn may_be_dropped(&mut self, task: &Task) -> bool {
        let may_be_under_a_timeout = task.is_unspawned && task.since_ns < TIMEOUT_NS;
        // An executor of the program's own may use a timeout too.
        let is_unknown = task.is_unspawned || task.runtime.is_empty();
        (is_unknown && self.is_exact_only()) || (may_be_under_a_timeout && self.rejects_suspect())
    }

    /// Returns whether a future may still be polled although its wake seems to have reached no
    /// task.
    fn may_be_polled_after_lost_wake(&mut self, index: usize) -> bool {
        let facts = self.facts;
        facts.waits_of_task[index].iter().any(|&wait| facts.snapshot.waits[wait].is_wake_lost)
            && self.is_exact_only()
    }

    /// Returns whether a wait of the task completes regardless of other tasks, such as a timer.
    /// Most tasks of a large program have such a wait, and need no node for their wake.
    fn is_surely_woken(&mut self, index: usize) -> bool {
        let facts = self.facts;
        let waits = facts.waits_of_task[index].iter().map(|&wait| &facts.snapshot.waits[wait]);
        let task = &facts.snapshot.tasks[index];
        waits.into_iter().any(|wait| completes_by_itself(wait) && self.may_wake(task, wait))
    }

    /// Returns whether the task may progress once this wait completes. If the task has set the
    /// future of the wait aside, the answer is yes only under exact evidence. The wait then still
    /// wakes the task. The current await of the task may be a hand-written `poll` that owns both
    /// futures, and may poll the one that was set aside. Without a clone of the task's waker, the
    /// wait wakes nothing.
    fn may_wake(&mut self, task: &Task, wait: &Wait) -> bool {
        let has_waker = task.wakers != Some(0) && !wait.is_indirect && wait.woken_ns.is_none();
        is_active(wait) || has_waker && self.is_exact_only()
    }

    /// Returns whether something unrecorded may wake a waiting task.
    fn may_be_woken(&mut self, index: usize, task: &Task) -> bool {
        let has_waits = !self.facts.waits_of_task[index].is_empty();
        match (task.opaque_wakers, task.wakers) {
            _ if task.kind == TaskKind::Blocking => true,
            // The current await may be a hand-written `poll` that polls what the waker is from.
            _ if task.left_wakers > 0 && self.is_exact_only() => true,
            // No clone of the waker is left, and no recorded wait is pending. So the task is stuck,
            // unless it waits forever on purpose, or is polled without wakes.
            (None | Some(0), Some(0)) if !has_waits => {
                task.polls > task.wakes.saturating_add(1)
                    || match self.facts.unrecorded_awaits[index] {
                        // A waker left over from an earlier `block_on` of the thread, maybe an
                        // unrecorded one, also polls the future of this `block_on`.
                        UnrecordedAwait::OwnPoll => {
                            is_block_on_main(self.facts.snapshot, task) && self.is_exact_only()
                        }
                        UnrecordedAwait::Pending => true,
                        UnrecordedAwait::Unknown => self.rejects_suspect(),
                    }
            }
            (Some(0), _) => !has_waits,
            // A combinator that polls these waits with its own wakers keeps one clone of the task's
            // waker. It also wakes the task for its other futures.
            (Some(1), _) if self.has_indirect(index) => {
                self.rejects_suspect() || self.facts.waits_unrecorded[index]
            }
            // A connection also reads its socket, and may then drop its handlers.
            (Some(_), _) if self.facts.are_handlers[index] => self.rejects_suspect(),
            _ => true,
        }
    }

    /// Returns whether a wait of the task uses a waker other than the task's.
    fn has_indirect(&self, index: usize) -> bool {
        let waits = self.facts.waits_of_task[index].iter().map(|&wait| &self.facts.snapshot.waits[wait]);
        waits.into_iter().any(|wait| wait.is_indirect && wait.woken_ns.is_none() && !wait.is_unstable)
    }

    /// Adds the cause that blocks the sleeping poll of the task.
    fn add_blocked(&mut self, node: NodeId, index: usize, task: &Task) {
        let facts = self.facts;
        if let Some(thread) = task.thread_id.filter(|thread| facts.blocking_waits.contains_key(thread)) {
            let thread = self.thread_node(thread);
            self.add_alternative(node, thread);
            return;
        }
        // A wait that began during this poll, and does not use the task's waker, most likely
        // belongs to a `block_on` inside the poll.
        let is_inside = |wait: &&usize| {
            let wait = &facts.snapshot.waits[**wait];
            wait.is_indirect && wait.since_ns <= task.since_ns
        };
        let inside: Vec<usize> = facts.waits_of_task[index].iter().filter(is_inside).copied().collect();
        // A task that was created and polled on this thread since the poll began was polled inside
        // the poll, which still occupies the thread. If a `block_on` runs that task, the poll
        // returns only once the task is done. Another executor may run many tasks there.
        let is_inside = |other: &Task| {
            let is_here = task.thread_id.is_some() && other.thread_id == task.thread_id;
            is_here && other.state == RunState::Waiting && other.age_ns <= task.since_ns
        };
        let mut nested =
            facts.spawned(index).iter().filter(|&&other| is_inside(&facts.snapshot.tasks[other]));
        let is_certain = |&&other: &&usize| is_block_on_main(facts.snapshot, &facts.snapshot.tasks[other]);
        let certain = nested.clone().find(is_certain);
        if let Some(&nested) = certain.or_else(|| nested.next().filter(|_| !self.is_exact_only())) {
            self.add_alternative(node, task_node(nested));
            return;
        }
        // The future of an unrecorded `block_on` may have a time limit. A blocked worker delays
        // other tasks, which shows the hang. A job delays none, nor does a replaced worker.
        let may_give_up = |&wait: &usize| facts.snapshot.waits[wait].since_ns < TIMEOUT_NS;
        let has_own_thread = task.kind == TaskKind::Blocking || is_in_place(facts.snapshot, task);
        let has_limit = has_own_thread && inside.iter().any(may_give_up);
        if inside.is_empty() || self.is_exact_only() || has_limit && self.rejects_suspect() {
            self.set_can_progress(node);
        }
        for wait in inside {
            self.add_alternative(node, self.wait_node(wait));
        }
    }

    /// Adds the thread of a guard that may have moved to another task of that thread.
    pub(super) fn add_thread_of_guard(&mut self, node: NodeId, thread: u64) {
        if self.rejects_suspect() {
            let thread = self.outside_thread_node(thread);
            self.graph.add_hidden_edge(thread, node);
        }
    }

    /// Adds all tasks that may have received a boxed future that its task has set aside, and so may
    /// poll or drop it. Under weaker evidence, the future is assumed to be where it was polled
    /// last.
    pub(super) fn add_new_owners(&mut self, node: NodeId) {
        if self.is_exact_only() {
            let others = self.any_task();
            self.graph.add_hidden_edge(others, node);
        }
    }

    /// Adds the dependencies of the end of a wait. A wait leaves its queue when its task continues:
    /// the wait completes, or the task drops it.
    pub(super) fn add_wait_end(&mut self, index: usize) {
        let (node, wait) = (self.wait_end_node(index), &self.facts.snapshot.waits[index]);
        match self.facts.task_of(wait) {
            _ if wait.is_unstable => self.set_can_progress(node),
            Some(task) => {
                let arm = if is_active(wait) { None } else { self.join_arm_node(task, wait.span) };
                match arm {
                    Some(arm) => self.add_alternative(node, arm),
                    // The needs of all tasks are known by now. This avoids an edge for each of a
                    // million timers.
                    None if self.graph.needs_nothing(task_node(task)) => self.set_can_progress(node),
                    None => self.add_alternative(node, task_node(task)),
                }
                if wait.may_have_moved {
                    self.add_new_owners(node);
                }
                if wait.is_wake_lost && self.rejects_suspect() {
                    // The future may have moved to another task that polls it.
                    let others = self.any_task();
                    self.graph.add_hidden_edge(others, node);
                }
            }
            None if wait.thread_id.is_some() => self.add_alternative(node, self.wait_node(index)),
            None if wait.task.is_some() && !self.is_exact_only() => {
                // Its task is done, and no other task has polled the future since. Any of them may
                // have it.
                if let Some(others) = self.other_owners() {
                    self.graph.add_hidden_edge(others, node);
                }
            }
            None => self.set_can_progress(node),
        }
    }
}
