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
//! threads that are no workers.

use super::facts::Facts;
use super::finding::{Finding, Severity};
use super::hog::Hog;
use super::rule::Rule;
use super::workers::CpuShare;
use crate::units::{count, time};

/// Whether most of the function's own time inside polls was spent asleep.
pub(super) fn blocks(facts: &Facts<'_>, cpu: &CpuShare, hog: &Hog) -> bool {
    let awake_ns = cpu.cpu_ns.saturating_add(cpu.delayed_ns);
    cpu.is_known && awake_ns < hog.self_busy_ns / 2 && is_on_workers(facts, hog)
}

/// Whether the live tasks that call the function are polled by workers.
fn is_on_workers(facts: &Facts<'_>, hog: &Hog) -> bool {
    let snapshot = facts.snapshot;
    let roots = facts.nodes_of_site(hog.site).iter().map(|&node| facts.node(facts.root(node)).site);
    let roots: Vec<_> = roots.collect();
    let threads: Vec<u64> = snapshot
        .tasks
        .iter()
        .filter(|task| roots.contains(&facts.root_site(task)))
        .filter_map(|task| task.thread_id)
        .collect();
    let is_worker = |thread: &u64| snapshot.workers.iter().any(|worker| worker.thread_id == Some(*thread));
    !threads.is_empty() && threads.iter().all(is_worker)
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
