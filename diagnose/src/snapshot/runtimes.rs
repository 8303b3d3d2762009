//! Lists runtimes and their workers, each with its running task.

use std::time::{Duration, Instant};

use diagnose_reports::Snapshot;
use diagnose_reports::model::{RunState, TaskKind, Wait};

use super::numbers::Table;
use super::reset;
use crate::clock::Scale;
use crate::live::SpawnRuntime;
use crate::{cpu, own_thread};

/// The `due_ns` of a timer that is late, in ns; negative, because it is overdue. The verdict
/// `driver_starved` has the same bound.
const LATE_TIMER_NS: i64 = -1_000_000_000;

/// Adds the known runtimes to a snapshot. `running` maps the trees of threads to running tasks;
/// `now` and `scale` are those of the capture.
#[cfg(feature = "tokio")]
pub(super) fn add(snapshot: &mut Snapshot, running: &Table<u32, u64>, now: u64, scale: Scale) {
    use diagnose_reports::sort::sort_by;

    use crate::live::{last_reset, runtimes, workers};
    use crate::{clock, tree};

    let ago = |tick: u64| scale.ns(now.saturating_sub(tick));
    // Only a capture of all times reads the trees. They are read before the workers, and the clock
    // after both. So no time counts as both polled and parked, or is later than the end.
    let trees = if snapshot.nodes.is_empty() { Vec::new() } else { tree::all() };
    let trees: Vec<_> = trees.into_iter().map(|tree| (tree, tree.root_polls())).collect();
    let listed_workers = workers::all_workers();
    let end = clock::now();

    for listed in listed_workers {
        let mut worker = diagnose_reports::model::Worker::default();
        worker.runtime.push_str(library(listed.runtime));
        worker.runtime_number = u64::from(listed.runtime_number);
        worker.thread = listed.name;
        worker.thread_id = listed.os_id;
        worker.parked = listed.is_parked;
        worker.since_ns = ago(listed.since);
        let task = listed.tree.filter(|_| !worker.parked).and_then(|tree| running.get(&tree));
        worker.task = task.map(|id| diagnose_reports::model::TaskId::new(*id));
        // If the thread parked last before its first poll, it had no tree then.
        let tree = trees.iter().find(|(tree, _)| match listed.tree {
            Some(number) => tree.root.tree == number,
            None => listed.os_id.is_some_and(|id| tree.thread_id() == id) && tree.is_leased(),
        });
        let polled = tree.map(|(_, polled)| *polled).unwrap_or_default();
        worker.listed_ns = scale.ns(end.saturating_sub(listed.listed.max(last_reset())));
        worker.polls = polled.polls;
        worker.busy_ns = scale.ns(polled.busy).min(worker.listed_ns);
        worker.parked_ns = scale.ns(listed.parked).min(worker.listed_ns);
        snapshot.workers.push(worker);
    }
    sort_by(&mut snapshot.workers, |a, b| (&a.thread, a.thread_id).cmp(&(&b.thread, b.thread_id)));
    for listed in runtimes::all_runtimes() {
        let number = u64::from(listed.number);
        if let Some(threads) = listed.max_blocking {
            let mut pool = diagnose_reports::model::BlockingPool::default();
            pool.runtime_number = number;
            pool.threads = threads;
            snapshot.blocking_pools.push(pool);
        }
        let mut runtime = diagnose_reports::model::Runtime::default();
        runtime.number = number;
        runtime.library.push_str(library(listed.runtime));
        runtime.name = listed.name;
        runtime.workers = listed.workers;
        runtime.threads = listed.threads;
        snapshot.runtimes.push(runtime);
    }
}

/// Does nothing: no recorded runtime exists without the feature `tokio`.
#[cfg(not(feature = "tokio"))]
pub(super) fn add(_: &mut Snapshot, _: &Table<u32, u64>, _: u64, _: Scale) {}

/// Adds workers that have not parked yet and run a spawned task: a thread is listed as a worker at
/// its first park. A worker that had recorded nothing at its last park is found by its system
/// thread id.
pub(super) fn add_busy_workers(snapshot: &mut Snapshot) {
    let Snapshot { workers, tasks, sites, runtimes, .. } = snapshot;
    for worker in workers.iter_mut().filter(|worker| !worker.parked && worker.task.is_none()) {
        let is_its = |task: &&diagnose_reports::model::Task| {
            let is_running = task.state == RunState::Running && task.kind == TaskKind::Future;
            is_running && task.thread_id.is_some() && task.thread_id == worker.thread_id
        };
        worker.task = tasks.iter().find(is_its).map(|task| task.id);
    }
    let is_spawned = |task: &&diagnose_reports::model::Task| {
        let is_main = sites.get(task.site.get()).is_some_and(|site| site.name == "main");
        // In `block_in_place`, another thread has replaced this one as a worker.
        let is_blocking =
            task.running.iter().any(|site| sites.get(site.get()).is_some_and(|site| site.is_blocking));
        !is_blocking
            && task.state == RunState::Running
            && task.kind == TaskKind::Future
            && task.runtime_number != 0
            && !is_main
    };
    for task in tasks.iter().filter(is_spawned).filter(|task| !task.is_local) {
        let is_listed = workers.iter().any(|worker| worker.thread_id == task.thread_id);
        let listed =
            workers.iter().filter(|worker| worker.runtime_number == task.runtime_number).count() as u64;
        let runtime = runtimes.iter().find(|runtime| runtime.number == task.runtime_number);
        if !is_listed && task.thread_id.is_some() && runtime.is_some_and(|runtime| listed < runtime.workers) {
            let mut worker = diagnose_reports::model::Worker::default();
            worker.runtime.push_str(&task.runtime);
            worker.runtime_number = task.runtime_number;
            worker.thread.push_str(&task.thread);
            worker.thread_id = task.thread_id;
            worker.since_ns = task.since_ns;
            worker.task = Some(task.id);
            workers.push(worker);
        }
    }
}

/// Adds the CPU times of all workers.
pub(super) fn add_cpu_times(snapshot: &mut Snapshot) {
    let own = own_thread::of_snapshot();
    for worker in &mut snapshot.workers {
        (worker.cpu_ns, worker.delayed_ns) = worker.thread_id.and_then(reset::cpu_times_of).unzip();
        let other = worker.thread_id.filter(|&thread| thread != own);
        worker.is_delayed = other.and_then(cpu::goes_on) == Some(true);
    }
}

/// Clears the mark of delayed workers, except for those that hardly run during a pause of 20 ms.
/// Pauses only if a worker is marked and a timer is late.
pub(super) fn check_delayed(snapshot: &mut Snapshot) {
    const PAUSE: Duration = Duration::from_millis(20);
    /// Minimum share of the pause, in percent, that a thread has to be on a CPU to count as
    /// running.
    const RUNS: u128 = 20;
    let is_late = |wait: &Wait| wait.due_ns.is_some_and(|due_ns| due_ns < LATE_TIMER_NS);
    let is_checked = snapshot.waits.iter().any(is_late) && snapshot.workers.iter().any(|it| it.is_delayed);
    let start = Instant::now();
    if is_checked {
        std::thread::sleep(PAUSE);
    }
    for worker in snapshot.workers.iter_mut().filter(|worker| worker.is_delayed) {
        let now = worker.thread_id.filter(|_| is_checked).and_then(reset::cpu_times_of);
        let ran_ns = now.zip(worker.cpu_ns).map(|((now_ns, _), cpu_ns)| now_ns.saturating_sub(cpu_ns));
        let runs = |ran_ns: u64| u128::from(ran_ns) * 100 > start.elapsed().as_nanos() * RUNS;
        worker.is_delayed = ran_ns.is_some_and(|ran_ns| !runs(ran_ns));
    }
}

/// Returns the name of a runtime's library.
pub(super) fn library(runtime: SpawnRuntime) -> &'static str {
    match runtime {
        SpawnRuntime::Unknown | SpawnRuntime::Other => "",
        SpawnRuntime::Tokio | SpawnRuntime::TokioHooks => "tokio",
        SpawnRuntime::Smol => "smol",
        SpawnRuntime::AsyncStd => "async-std",
    }
}
