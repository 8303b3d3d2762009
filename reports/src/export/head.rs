//! The head of the task dump: the number of tasks, and the state of runtimes.
//!
//! ```text
//! tasks: 3 alive, 1 running, 2 waiting
//! runtimes: 1 payments (tokio, 4 workers, 6 threads)
//! workers: 4, 3 parked for 1.00 s to 4.20 s, 1 busy: tokio-rt-worker polling task 7 for 312 ms
//! polls of tasks: 1,234, 56.7 per second; mean time in the queue after a wake: 12.3 µs
//! ```

use std::fmt::Write as _;

use crate::analysis::tree::is_task;
use crate::clean::printable;
use crate::index::TasksById;
use crate::model::{Node, RunState, Snapshot, Task, Worker};
use crate::ordered::OrderedMap;
use crate::units::{count, counted, time};

/// Maximum number of busy workers, and of runtimes, that are named.
const MAX_NAMED: usize = 8;

pub(crate) fn head(snapshot: &Snapshot, tasks: &TasksById<'_>) -> String {
    let mut page = format!("tasks: {} alive", count(snapshot.tasks.len() as u64));
    let mut numbers =
        [RunState::Running, RunState::Queued, RunState::Waiting, RunState::Unpolled].map(|state| (state, 0));
    for task in &snapshot.tasks {
        for (state, number) in &mut numbers {
            *number += u64::from(task.state == *state);
        }
    }
    for (state, number) in numbers.into_iter().filter(|(_, number)| *number > 0) {
        // Writing to a string cannot fail.
        let _ = write!(page, ", {} {}", count(number), word(state));
    }
    page.push('\n');
    runtimes(&mut page, snapshot);
    workers(&mut page, snapshot, tasks);
    if snapshot.are_threads_unknown {
        page.push_str(
            "threads: not counted on this system; verdicts that depend on their number are at most likely\n",
        );
    }
    polls(&mut page, snapshot);
    page
}

pub(crate) fn word(state: RunState) -> &'static str {
    match state {
        RunState::Unpolled => "not polled yet",
        RunState::Running => "running",
        RunState::Queued => "queued",
        RunState::Waiting => "waiting",
    }
}

fn runtimes(page: &mut String, snapshot: &Snapshot) {
    if snapshot.runtimes.is_empty() {
        return;
    }
    let mut shown: Vec<String> = snapshot
        .runtimes
        .iter()
        .take(MAX_NAMED)
        .map(|runtime| {
            let name =
                runtime.name.as_deref().map(|name| format!(" {}", printable(name))).unwrap_or_default();
            let threads = if runtime.threads == 0 {
                String::new()
            } else {
                format!(", {}", counted(runtime.threads, "thread"))
            };
            let workers = counted(runtime.workers, "worker");
            format!("{}{name} ({}, {workers}{threads})", runtime.number, printable(&runtime.library))
        })
        .collect();
    if snapshot.runtimes.len() > MAX_NAMED {
        shown.push(format!("{} more", snapshot.runtimes.len() - MAX_NAMED));
    }
    let _ = writeln!(page, "runtimes: {}", shown.join(", "));
}

/// Writes one line for the workers of each runtime.
fn workers(page: &mut String, snapshot: &Snapshot, tasks: &TasksById<'_>) {
    let mut by_runtime = OrderedMap::<u64, Vec<&Worker>>::new();
    for worker in &snapshot.workers {
        by_runtime.entry(worker.runtime_number).or_default().push(worker);
    }
    let is_one = by_runtime.len() == 1;
    for (number, workers) in by_runtime {
        match number {
            number if number != 0 && !is_one => {
                let _ = write!(page, "workers of runtime {number}: ");
            }
            _ => page.push_str("workers: "),
        }
        workers_of_one(page, &workers, tasks);
    }
}

fn workers_of_one(page: &mut String, workers: &[&Worker], tasks: &TasksById<'_>) {
    let (parked, busy): (Vec<&Worker>, Vec<&Worker>) =
        workers.iter().copied().partition(|worker| worker.parked);
    let _ = write!(page, "{}, {} parked", count(workers.len() as u64), count(parked.len() as u64));
    let since = || parked.iter().map(|worker| worker.since_ns);
    if let Some((shortest, longest)) = since().min().zip(since().max()) {
        let (shortest, longest) = (time(shortest), time(longest));
        let range = if shortest == longest { longest } else { format!("{shortest} to {longest}") };
        let _ = write!(page, " for {range}");
    }
    let _ = write!(page, ", {} busy", count(busy.len() as u64));
    for (number, worker) in busy.iter().take(MAX_NAMED).enumerate() {
        let task = worker.task.and_then(|task| tasks.get(task));
        let (with, since_ns) = match task {
            Some(task) => (format!(" polling task {}", task.id), task.since_ns),
            None => (String::new(), worker.since_ns),
        };
        let separator = if number == 0 { ":" } else { "," };
        let _ = write!(page, "{separator} {}{with} for {}", printable(&worker.thread), time(since_ns));
    }
    if busy.len() > MAX_NAMED {
        let _ = write!(page, ", {} more", busy.len() - MAX_NAMED);
    }
    page.push('\n');
}

/// Writes how often tasks were polled, and their mean time in the queue.
fn polls(page: &mut String, snapshot: &Snapshot) {
    let tasks = &snapshot.tasks;
    let sum = |value: fn(&Task) -> u64| tasks.iter().map(value).fold(0, u64::saturating_add);
    let roots = || snapshot.nodes.iter().filter(|node| is_task(snapshot, node));
    let of_roots = |value: fn(&Node) -> u64| roots().map(value).fold(0, u64::saturating_add);
    // Without recorded nodes, the rate covers only live tasks, over the age of the oldest one.
    let (polls, first, queued_ns, over_ns) = if snapshot.nodes.is_empty() {
        let oldest_ns = tasks.iter().map(|task| task.age_ns).max().unwrap_or(0);
        let first = sum(|task| task.polls.min(1));
        (sum(|task| task.polls), first, sum(|task| task.queued_ns), oldest_ns)
    } else {
        let first: fn(&Node) -> u64 = |root| root.calls.min(root.polls);
        (of_roots(|root| root.polls), of_roots(first), of_roots(|root| root.queued_ns), snapshot.elapsed_ns)
    };
    if polls == 0 {
        return;
    }
    let _ = write!(page, "polls of tasks: {}", count(polls));
    if let Some(tenths) = (u128::from(polls) * 10_000_000_000).checked_div(u128::from(over_ns)) {
        let tenths = u64::try_from(tenths).unwrap_or(u64::MAX);
        let rate =
            if tenths < 1_000 { format!("{}.{}", tenths / 10, tenths % 10) } else { count(tenths / 10) };
        let _ = write!(page, ", {rate} per second");
    }
    // The time before a first poll is unpolled time.
    if let Some(mean_ns) = queued_ns.checked_div(polls.saturating_sub(first)) {
        let _ = write!(page, "; mean time in the queue after a wake: {}", time(mean_ns));
    }
    page.push('\n');
}
