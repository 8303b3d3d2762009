//! The threads that tasks need: an unblocked thread, a free worker, or a blocking-pool thread.
//!
//! A timer or a socket does not help a task whose workers all sleep inside polls: the task is woken
//! and never polled. So every task that can be woken also needs a thread, if its thread is known.

use super::build::{System, task_node};
use super::graph::NodeId;
use super::node::Node;
use crate::analysis::hangs::facts::{IdSet, has_waited_long, is_blocked, step};
use crate::model::{RunState, Task, TaskKind, Worker};

/// The workers of a runtime.
#[derive(Debug)]
pub(crate) struct RuntimeWorkers {
    /// Whether all workers are listed, so that no other worker can be free.
    is_complete: bool,
    /// Whether every thread that the runtime has started is a listed worker, or runs a task of the
    /// runtime. Any other thread may be a worker that has not parked yet: it replaces a worker that
    /// left for good in tokio's own `block_in_place`.
    are_threads_known: bool,
    /// The OS ids of the worker threads; `None` if any is unknown.
    threads: Option<IdSet<u64>>,
}

impl System<'_> {
    /// The node for "the call that blocks the thread returns". If no call blocks the thread, the
    /// node stands for "any task bound to the thread continues".
    pub(crate) fn thread_node(&mut self, thread: u64) -> NodeId {
        if let Some(&node) = self.shared.threads.get(&thread) {
            return node;
        }
        let node = self.add_node(Node::Thread(thread), 1);
        self.shared.threads.insert(thread, node);
        let facts = self.facts;
        for &wait in facts.blocking_waits.get(&thread).into_iter().flatten() {
            self.add_alternative(node, self.wait_node(wait));
        }
        if !facts.blocking_waits.contains_key(&thread) {
            for &task in facts.local_tasks.get(&thread).into_iter().flatten() {
                self.add_alternative(node, task_node(task));
            }
        }
        node
    }

    /// The node of a thread outside of all tasks. The thread continues if the call that blocks it
    /// returns, or if any task that it runs in a `block_on` continues. In that `block_on`, the
    /// thread may also poll unrecorded tasks. Their actions count as actions of the thread.
    pub(crate) fn outside_thread_node(&mut self, thread: u64) -> NodeId {
        let facts = self.facts;
        let has_local = facts.local_tasks.contains_key(&thread);
        let is_in_listed = has_local && !self.is_exact_only() && facts.snapshot.unrecorded_tasks == 0;
        let is_known = facts.blocking_waits.contains_key(&thread) || is_in_listed;
        let node = self.thread_node(thread);
        if !is_known {
            self.set_can_progress(node);
        }
        node
    }

    /// Requires a thread for a task that could otherwise be polled.
    pub(crate) fn require_thread(&mut self, node: NodeId, task: &Task) {
        let facts = self.facts;
        if task.kind == TaskKind::Blocking {
            let pool = self.free_pool_thread_node(task);
            self.graph.require(node, pool);
            return;
        }
        if task.is_local {
            if let Some(thread) = task.thread_id.filter(|thread| facts.blocking_waits.contains_key(thread)) {
                let thread = self.thread_node(thread);
                self.graph.require(node, thread);
            }
            return;
        }
        if let Some(thread) = self.lifo_slot_thread(task) {
            let thread = self.thread_node(thread);
            self.graph.require(node, thread);
        } else if let Some(workers) = self.free_worker_node(task) {
            self.graph.require(node, workers);
        }
    }

    /// The worker thread whose LIFO slot most likely contains the task: the task was woken in a
    /// poll that has slept ever since, and has not been polled. No other worker takes a task from
    /// that slot.
    fn lifo_slot_thread(&mut self, task: &Task) -> Option<u64> {
        let facts = self.facts;
        let by = facts.task(task.woken_by.filter(|_| has_waited_long(task))?)?;
        let by = &facts.snapshot.tasks[by];
        let is_asleep = is_blocked(by) && by.kind == TaskKind::Future && by.since_ns >= task.since_ns;
        let thread = by.thread_id.filter(|thread| is_asleep && facts.blocking_waits.contains_key(thread))?;
        let is_worker = |worker: &Worker| {
            worker.thread_id == Some(thread) && worker.runtime_number == task.runtime_number
        };
        // Each task that the poll woke later took the place of the one before.
        let is_last = self.last_woken_by(by) == Some(task.since_ns);
        let is_in_slot = is_last && task.runtime_number != 0 && facts.snapshot.workers.iter().any(is_worker);
        (is_in_slot && !self.is_exact_only()).then_some(thread)
    }

    /// How long ago the task woke one that is still queued, at least; `None` if there is none.
    fn last_woken_by(&mut self, by: &Task) -> Option<u64> {
        let snapshot = self.facts.snapshot;
        *self.shared.last_woken_by.entry(by.id.get()).or_insert_with(|| {
            let woken = snapshot.tasks.iter().inspect(|_| step());
            let woken = woken.filter(|it| it.woken_by == Some(by.id) && it.state == RunState::Queued);
            let woken = woken.filter(|it| it.runtime_number == by.runtime_number && !it.is_local);
            woken.map(|it| it.since_ns).min()
        })
    }

    /// The node for "a worker of the task's runtime is free"; `None` if other threads may poll the
    /// task.
    fn free_worker_node(&mut self, task: &Task) -> Option<NodeId> {
        let (facts, runtime, is_exact) = (self.facts, task.runtime_number, self.is_exact_only());
        let all_workers = self.runtime_workers(runtime);
        if runtime == 0 || !all_workers.is_complete || is_exact && !all_workers.are_threads_known {
            return None;
        }
        // A task that was polled on another thread is the root of a `block_on`, and no worker polls
        // it.
        let elsewhere =
            |thread| all_workers.threads.as_ref().is_some_and(|threads| !threads.contains(&thread));
        if task.state != RunState::Unpolled && task.thread_id.is_some_and(elsewhere) {
            return None;
        }
        if let Some(&node) = self.shared.workers.get(&runtime) {
            return Some(node);
        }
        let node = self.add_node(Node::FreeWorker(runtime), 1);
        self.shared.workers.insert(runtime, node);
        for worker in facts.snapshot.workers.iter().filter(|worker| worker.runtime_number == runtime) {
            match worker.task.filter(|_| !worker.parked).and_then(|task| facts.task(task)) {
                Some(task) => self.add_alternative(node, task_node(task)),
                None => self.set_can_progress(node),
            }
        }
        if is_exact {
            // A worker that has not parked yet is polling one of these tasks.
            let snapshot = facts.snapshot;
            for (index, _) in
                snapshot.tasks.iter().enumerate().filter(|(_, task)| is_polled_in(runtime, task))
            {
                self.add_alternative(node, task_node(index));
            }
        }
        Some(node)
    }

    /// The workers of a runtime, computed once.
    fn runtime_workers(&mut self, runtime: u64) -> &RuntimeWorkers {
        let snapshot = self.facts.snapshot;
        self.shared.runtime_workers.entry(runtime).or_insert_with(|| {
            let own = snapshot.workers.iter().inspect(|_| step());
            let own = own.filter(|worker| worker.runtime_number == runtime);
            let known = snapshot.runtimes.iter().find(|known| known.number == runtime);
            let all = known.map_or(1, |known| known.workers.max(1));
            let jobs = snapshot.tasks.iter().inspect(|_| step());
            let jobs = jobs.filter(|task| task.runtime_number == runtime && task.state == RunState::Running);
            let listed = own.clone().filter_map(|worker| worker.thread_id);
            let listed: IdSet<u64> = listed.chain(jobs.filter_map(|job| job.thread_id)).collect();
            RuntimeWorkers {
                is_complete: own.clone().count() as u64 >= all,
                are_threads_known: known.is_none_or(|known| known.threads <= listed.len() as u64),
                threads: own.map(|worker| worker.thread_id).collect(),
            }
        })
    }

    /// The node for "a thread for blocking work is free". A queued job proves that all threads are
    /// taken. If the size of the pool is unknown, this is only likely.
    fn free_pool_thread_node(&mut self, task: &Task) -> NodeId {
        let (facts, runtime) = (self.facts, task.runtime_number);
        if let Some(&node) = self.shared.pools.get(&runtime) {
            return node;
        }
        let snapshot = facts.snapshot;
        let is_job = |job: &Task| job.kind == TaskKind::Blocking && job.runtime_number == runtime;
        let running = || {
            let running = |job: &Task| is_job(job) && job.state == RunState::Running;
            snapshot.tasks.iter().enumerate().filter(move |(_, job)| running(job)).map(|(index, _)| index)
        };
        let bound = snapshot.blocking_pools.iter().find(|pool| pool.runtime_number == runtime);
        let is_full = bound.is_some_and(|pool| running().count() as u64 >= pool.threads);
        let node = self.add_node(Node::FreePoolThread(runtime), 1);
        self.shared.pools.insert(runtime, node);
        let are_blocked = running().all(|job| is_blocked(&snapshot.tasks[job]));
        // A pool that is known not to be full may have threads for work that is not recorded.
        let may_be_full = |system: &mut Self| {
            !system.is_exact_only()
                && (bound.is_none() && system.are_all_listed() || !system.rejects_suspect())
        };
        let is_known = is_full || are_blocked && may_be_full(self);
        if running().next().is_none() || !is_known {
            self.set_can_progress(node);
        }
        for job in running() {
            self.add_alternative(node, task_node(job));
        }
        node
    }
}

/// Returns whether a thread of the runtime polls the task, most likely a worker.
fn is_polled_in(runtime: u64, task: &Task) -> bool {
    let is_of_workers = task.kind == TaskKind::Future && !task.is_local;
    is_of_workers && task.runtime_number == runtime && task.state == RunState::Running
}
