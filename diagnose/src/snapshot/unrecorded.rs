//! Detects unrecorded tasks, and threads outside of listed tasks.
//!
//! Any of them may have a holding that moves without a record. A runtime counts its own tasks, and
//! the kernel its threads. Both counts are compared with the lists. Threads that wait for other
//! threads are not counted if all threads do: none can go on by itself. Otherwise another thread
//! may end their waits: the driver of a runtime that waits for a timer or a socket, or the thread
//! that takes the snapshot.

use std::cell::LazyCell;

use diagnose_reports::Snapshot;
use diagnose_reports::model::{RunState, Runtime, Task, TaskKind, Worker};
use diagnose_reports::ordered::{OrderedMap, OrderedSet};

use super::local_sets;
use crate::{alarms, cpu, live, own_thread, system_call};

/// A runtime's own task count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RuntimeTaskCount {
    /// Number of the runtime in this process.
    runtime: u64,
    /// Whether all its tasks run on the thread that blocks on it.
    is_current_thread: bool,
    tasks: u64,
}

/// A thread that is not this crate's, as it was before the tasks were listed.
#[derive(Debug)]
pub(super) struct OtherThread {
    /// The kernel's number.
    id: u64,
    /// Its system call then; `None` if unknown.
    system_call: Option<String>,
}

impl OtherThread {
    pub(super) fn read(id: u64) -> Self {
        Self { id, system_call: system_call::of(id) }
    }

    /// Returns whether it has waited for another thread since before the tasks were listed.
    fn waits_for_thread(&self) -> bool {
        let is_wait = |call: &&String| system_call::waits_for_thread(call);
        let call = self.system_call.as_ref().filter(is_wait);
        call.is_some() && system_call::of(self.id).as_ref() == call
    }

    /// Returns whether it waits for another thread, or the system does not say.
    fn may_wait_for_thread(&self) -> bool {
        self.system_call.is_none() || self.waits_for_thread()
    }

    fn is_main(&self) -> bool {
        self.id == u64::from(std::process::id())
    }

    /// Returns whether it cannot go on by itself. `is_own` says whether a thread of this crate
    /// takes the snapshot. Most main threads wait for the others, even on a system that does not
    /// report it.
    fn is_idle(&self, is_own: bool) -> bool {
        let is_unknown_main = self.is_main() && self.system_call.is_none();
        is_unknown_main || ((is_own || self.is_main()) && self.waits_for_thread())
    }
}

/// Returns the runtimes' current task counts.
#[cfg(feature = "tokio")]
pub(super) fn counted() -> Vec<RuntimeTaskCount> {
    let counted = crate::tokio::counted_tasks().into_iter();
    let counted = counted.map(|(number, is_current_thread, tasks)| RuntimeTaskCount {
        runtime: u64::from(number),
        is_current_thread,
        tasks,
    });
    counted.collect()
}

/// Returns no counts: without the feature `tokio`, no runtime can be asked.
#[cfg(not(feature = "tokio"))]
pub(super) fn counted() -> Vec<RuntimeTaskCount> {
    Vec::new()
}

/// The address of the vtable of the wakers of tokio's tasks; `None` if unknown.
fn vtable_of_tasks() -> Option<usize> {
    #[cfg(feature = "tokio")]
    return crate::tokio::task::ids::waker_vtable();
    #[cfg(not(feature = "tokio"))]
    None
}

/// Sets the unrecorded activity of a snapshot. `threads` are all threads but this crate's, if
/// known. `records` has the record of each task. The counts were taken before and after the tasks
/// were listed.
pub(super) fn add(
    snapshot: &mut Snapshot,
    records: &[&live::Task],
    threads: Option<&[OtherThread]>,
    [before, after]: &[Vec<RuntimeTaskCount>; 2],
) {
    let listed = ListedTasks::new(snapshot, records);
    let fewest = |it: &RuntimeTaskCount| {
        let later = after.iter().find(|later| later.runtime == it.runtime).map_or(0, |later| later.tasks);
        let known =
            listed.recorded(it.runtime).saturating_add(listed.wakers_on_workers(snapshot, it.runtime));
        it.tasks.min(later).saturating_sub(known)
    };
    let unrecorded: u64 = before.iter().map(fewest).sum();
    let is_counted = |runtime: u64| {
        let tasks = listed.recorded(runtime);
        [before, after].iter().all(|all| all.iter().any(|it| it.runtime == runtime && it.tasks == tasks))
    };
    let runs_here = |runtime: u64| after.iter().any(|it| it.runtime == runtime && it.is_current_thread);
    let runtimes = snapshot.runtimes.iter();
    let trusted: OrderedSet<u64> =
        runtimes.filter(|runtime| !listed.has_former_worker(snapshot, runtime)).map(|it| it.number).collect();
    let is_worker = |worker: &Worker| {
        worker.parked || worker.runtime_number == 0 || trusted.contains(&worker.runtime_number)
    };
    let is_recorded = |id: u64| {
        let mut own = snapshot.workers.iter().filter(|worker| worker.thread_id == Some(id));
        let is_here = |worker: &Worker| worker.runtime_number != 0 && !runs_here(worker.runtime_number);
        listed.running.contains(&id) || own.any(|worker| is_here(worker) && is_worker(worker))
    };
    // A timer or a socket may wake any task. A waker with code of its own may have what a task
    // waits for, and release it.
    let is_quiet =
        |thread: &OtherThread| listed.in_polls.contains(&thread.id) || thread.may_wait_for_thread();
    let is_recorded = |thread: &OtherThread| is_recorded(thread.id) && is_quiet(thread);
    let is_all_recorded = snapshot.runtimes.iter().all(|runtime| is_counted(runtime.number))
        && threads.is_some_and(|threads| threads.iter().all(is_recorded));
    let is_own = own_thread::takes_snapshot();
    // Any thread that waits for an event may end the waits of the others. For example, a runtime's
    // worker wakes a thread that is parked in a `block_on` of the original tokio.
    let is_quiet =
        LazyCell::new(|| threads.is_some_and(|it| it.iter().all(OtherThread::may_wait_for_thread)));
    let is_foreign = |thread: &&OtherThread| {
        let mut own = snapshot.workers.iter().filter(|worker| worker.thread_id == Some(thread.id));
        let is_known = listed.running.contains(&thread.id)
            || listed.bound.contains(&thread.id) && thread.may_wait_for_thread();
        !(is_known || own.any(is_worker) || thread.is_idle(is_own) && *is_quiet)
    };
    let foreign_threads = match threads {
        Some(threads) => threads.iter().filter(is_foreign).count() as u64,
        None => u64::from(!cpu::counts_threads()),
    };
    let has_more = local_sets::has_unknown_tasks();
    // Not every runtime was built through this crate, or has a number: those without one are not
    // among the listed runtimes.
    let is_uncounted = |task: &Task| {
        let is_of_runtime = task.kind == TaskKind::Future && task.runtime == *"tokio" && !task.is_local;
        is_of_runtime && before.iter().all(|it| it.runtime != task.runtime_number)
    };
    let has_unnumbered = [before, after].into_iter().flatten().any(|it| it.runtime == 0);
    let has_uncounted = has_unnumbered || snapshot.tasks.iter().any(is_uncounted);
    // Each alarm calls the function of `Builder::on_alarm`, on a thread of this crate.
    let is_without_callback = !alarms::has_owning_callback();
    snapshot.is_all_recorded = is_all_recorded && is_without_callback && !has_more && !has_uncounted;
    snapshot.foreign_threads = foreign_threads;
    let more = u64::from(has_uncounted) + u64::from(has_more);
    snapshot.unrecorded_tasks = unrecorded.saturating_add(more);
}

/// Counts of the listed tasks, made in one pass.
#[derive(Debug, Default)]
struct ListedTasks {
    /// By runtime: number of its futures, without those of `block_on`.
    recorded: OrderedMap<u64, u64>,
    /// By thread: the wakers of tokio's tasks with which unspawned roots without a known runtime
    /// were last polled there. Several roots in one task have the same waker. A combinator has
    /// wakers of its own, which do not show the task.
    wakers: OrderedMap<u64, OrderedSet<usize>>,
    /// The threads on which a task or a `block_on` runs.
    running: OrderedSet<u64>,
    /// The running threads that are inside a poll.
    in_polls: OrderedSet<u64>,
    /// By runtime: the threads in polls of its futures.
    polling: OrderedMap<u64, OrderedSet<u64>>,
    /// The last polling threads of tasks that neither a worker polls nor a `LocalSet`: each runs an
    /// executor. A task that runs a set is on record itself, and its thread may have left it.
    bound: OrderedSet<u64>,
}

impl ListedTasks {
    fn new(snapshot: &Snapshot, records: &[&live::Task]) -> Self {
        let (mut listed, vtable_of_tasks) = (Self::default(), vtable_of_tasks());
        for (task, record) in snapshot.tasks.iter().zip(records) {
            let is_run = is_run(snapshot, task);
            if task.kind == TaskKind::Future && !is_run {
                *listed.recorded.entry(task.runtime_number).or_default() += 1;
            }
            if task.kind == TaskKind::Future && task.runtime_number == 0 && !may_be_in_set(task) {
                listed.bound.extend(task.thread_id);
            }
            if task.state == RunState::Running || is_run {
                listed.running.extend(task.thread_id);
            }
            if task.state == RunState::Running {
                listed.in_polls.extend(task.thread_id);
            }
            if task.state == RunState::Running && task.kind == TaskKind::Future && !task.is_local && !is_run {
                listed.polling.entry(task.runtime_number).or_default().extend(task.thread_id);
            }
            if let Some(thread) = task.thread_id.filter(|_| task.is_unspawned && task.runtime_number == 0) {
                let [waker, vtable] = record.outer_waker();
                if vtable != 0 && Some(vtable) == vtable_of_tasks {
                    listed.wakers.entry(thread).or_default().insert(waker);
                }
            }
        }
        listed
    }

    /// Returns the number of listed tasks of a runtime.
    fn recorded(&self, runtime: u64) -> u64 {
        self.recorded.get(&runtime).copied().unwrap_or(0)
    }

    /// Returns whether more threads count as workers of the runtime than it has workers. One of
    /// them was replaced in a `block_in_place` of tokio's own, and may run blocking work since.
    fn has_former_worker(&self, snapshot: &Snapshot, runtime: &Runtime) -> bool {
        let workers = snapshot.workers.iter().filter(|worker| worker.runtime_number == runtime.number);
        let mut threads: OrderedSet<u64> = workers.filter_map(|worker| worker.thread_id).collect();
        threads.extend(self.polling.get(&runtime.number).into_iter().flatten().copied());
        threads.len() as u64 > runtime.workers
    }

    /// Returns the number of wakers of unspawned roots on the workers of a runtime: most likely,
    /// each is the waker of a task of the runtime.
    fn wakers_on_workers(&self, snapshot: &Snapshot, runtime: u64) -> u64 {
        let is_worker = |id: u64| {
            let mut workers = snapshot.workers.iter();
            workers.any(|worker| worker.runtime_number == runtime && worker.thread_id == Some(id))
        };
        self.wakers
            .iter()
            .filter(|(thread, _)| is_worker(*thread))
            .map(|(_, wakers)| wakers.len() as u64)
            .sum()
    }
}

/// Returns whether a task is the future of a `block_on`, which runs on the calling thread.
fn is_run(snapshot: &Snapshot, task: &Task) -> bool {
    let is_main = || snapshot.site(task.site).is_some_and(|site| site.name == "main");
    task.is_local && task.runtime_id.is_none() && is_main()
}

/// Returns whether a `LocalSet` of tokio may have the task.
fn may_be_in_set(task: &Task) -> bool {
    task.is_local && task.runtime == *"tokio" && task.runtime_id.is_some()
}
