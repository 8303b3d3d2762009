//! The table of workers: how each runtime thread spent its time.
//!
//! ```text
//! WORKERS, most polls first
//!   polls  share   busy    parked  listed for  worker
//! ```
//! In the rest of its time, a thread runs other code: unrecorded tasks, the runtime itself, or
//! destructors.

use std::cmp::Reverse;
use std::fmt::Write as _;

use crate::clean::printable;
use crate::export::table::Table;
use crate::export::wrap::WIDTH;
use crate::model::{Snapshot, Worker};
use crate::ordered::OrderedMap;
use crate::sort::sort_by_key;
use crate::units::{count, percent, time};

/// Renders at most `bound` workers, with whole names if `is_full`. Returns the text and the total
/// number of workers. The text is empty if no times are known.
pub(crate) fn render(snapshot: &Snapshot, bound: usize, is_full: bool) -> (String, usize) {
    let mut workers: Vec<&Worker> = snapshot.workers.iter().filter(|worker| worker.listed_ns > 0).collect();
    if workers.is_empty() {
        return (String::new(), 0);
    }
    let mut polls = OrderedMap::<u64, u64>::new();
    for worker in &workers {
        let sum = polls.entry(worker.runtime_number).or_default();
        *sum = sum.saturating_add(worker.polls);
    }
    sort_by_key(&mut workers, |worker| (worker.runtime_number, Reverse(worker.polls)));
    let mut table = Table::new(&["polls", "share", "busy", "parked", "listed for"], &["worker"]);
    for worker in workers.iter().take(bound) {
        table.push(vec![
            count(worker.polls),
            percent(worker.polls, polls[&worker.runtime_number]),
            percent(worker.busy_ns, worker.listed_ns),
            percent(worker.parked_ns, worker.listed_ns),
            time(worker.listed_ns),
            name(snapshot, worker),
        ]);
    }
    if !is_full {
        table.fit(WIDTH);
    }
    (table.render(), workers.len())
}

/// The thread's name, which the workers of a runtime usually share, with its id and, if there are
/// several, its runtime.
fn name(snapshot: &Snapshot, worker: &Worker) -> String {
    let mut name = printable(&worker.thread);
    // Writing to a string cannot fail.
    let _ = match worker.thread_id {
        // Threads of std may have no name.
        Some(id) if name.is_empty() => write!(name, "thread {id}"),
        Some(id) => write!(name, " ({id})"),
        None => Ok(()),
    };
    if snapshot.runtimes.len() > 1 {
        let _ = write!(name, " of runtime {}", worker.runtime_number);
    }
    name
}
