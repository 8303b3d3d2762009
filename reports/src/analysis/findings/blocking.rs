//! The rule `blocking`: long polls that used little CPU: they slept, or waited for a device.
//!
//! No poll's own CPU time is measured. But all workers together cannot have spent more CPU time, or
//! waited longer for a CPU, than the kernel says:
//! ```text
//! polls of the function     |██████████████████████████████|
//! CPU and waits for a CPU   |███████|                          of all workers, for all they did
//! asleep at least                    |█████████████████████|
//! ```
//! So it is a `hog` in doubt: on other systems than Linux, and where the polls may have been on
//! threads that are no workers. Without workers on record, all threads that have polled count.

use super::facts::Facts;
use super::finding::{Finding, Severity};
use super::hog::{Hog, roots_of};
use super::rule::Rule;
use super::workers::CpuShare;
use crate::model::{SiteIndex, Task, TaskKind, Worker};
use crate::units::{count, time};

/// Returns whether most of the function's own time inside polls was spent asleep.
pub(super) fn blocks(facts: &Facts<'_>, cpu: &CpuShare, hog: &Hog) -> bool {
    let awake_ns = cpu.cpu_ns.saturating_add(cpu.delayed_ns);
    // Without workers on record, the times are those of all threads that have polled.
    let polled_ns =
        if cpu.is_of_workers { on_workers_ns(facts, hog.site, hog.self_busy_ns) } else { hog.self_busy_ns };
    cpu.is_known && polled_ns.saturating_sub(awake_ns) > hog.self_busy_ns / 2
}

/// How much of the function's own time was inside polls of workers, at least: all of it if workers
/// poll the live tasks that call it, else what is more than all polls elsewhere.
pub(super) fn on_workers_ns(facts: &Facts<'_>, site: SiteIndex, self_busy_ns: u64) -> u64 {
    let snapshot = facts.snapshot;
    let roots = roots_of(facts, site);
    let threads: Vec<u64> = snapshot
        .tasks
        .iter()
        .filter(|task| roots.contains(&facts.root_site(task)))
        .filter_map(|task| task.thread_id)
        .collect();
    let is_worker = |thread: &u64| snapshot.workers.iter().any(|worker| worker.thread_id == Some(*thread));
    if !threads.is_empty() && threads.iter().all(is_worker) {
        return self_busy_ns;
    }
    let by_workers_ns = snapshot.workers.iter().map(|worker| worker.busy_ns).fold(0, u64::saturating_add);
    let is_job = |root: &usize| facts.site(*root).is_some_and(|site| site.is_blocking);
    let polled = facts.tree.roots.iter().filter(|root| !is_job(root)).map(|&root| facts.node(root).busy_ns);
    let elsewhere_ns = polled.fold(0, u64::saturating_add).saturating_sub(by_workers_ns);
    self_busy_ns.saturating_sub(elsewhere_ns)
}

/// Returns whether all calls of the function are in tasks that their own threads block on, such as
/// `main`, while the workers of the runtime poll all others. These tasks are alive, so each is
/// known: its long polls delay no other task.
pub(super) fn is_beside_workers(facts: &Facts<'_>, site: SiteIndex) -> bool {
    let snapshot = facts.snapshot;
    let roots = roots_of(facts, site);
    let blocked_on = |task: &&Task| {
        let is_worker = |worker: &Worker| worker.thread_id == task.thread_id;
        task.kind == TaskKind::Future
            && !task.is_unspawned
            && task.runtime_number == 0
            && task.thread_id.is_some()
            && roots.contains(&facts.root_site(task))
            && !snapshot.workers.iter().any(is_worker)
    };
    let alive = snapshot.tasks.iter().filter(blocked_on).count() as u64;
    let all = roots.iter().map(|&root| facts.totals(root).calls).fold(0, u64::saturating_add);
    !snapshot.workers.is_empty() && alive == all
}

pub(super) fn blocking(facts: &Facts<'_>, hog: &Hog) -> Finding {
    let sentence = format!(
        "{} blocks its thread: {} polls of {} on average, most of it asleep, {}",
        facts.name_and_line(hog.site),
        count(hog.long.polls),
        time(hog.long.mean_ns()),
        hog.harm_words(facts),
    );
    let next = "use the async version of the call that blocks, or move it to `spawn_blocking`; what the function calls \
                without annotation counts as its own";
    hog.finding(facts, Rule::Blocking, Severity::Slow, &sentence, next)
}
