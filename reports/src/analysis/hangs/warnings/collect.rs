//! Collects all warnings: signs of a hang that are no proof.
//!
//! | kind | if | confidence |
//! |---|---|---|
//! | `driver_starved` | a timer is overdue by more than 1 s and was not woken, and for 1 s no poll has begun or ended on the threads that should drive it | likely; suspect if one of the polls that block these threads may end by itself, or its thread used no CPU |
//! | `spin`, `blocked_worker` | a poll has run, or slept, for 0.5 s, another task has waited for a thread for 0.25 s, and no worker is free | likely; suspect if the poll sleeps with a time limit, or waits for an event outside of the process |
//! | `blocked_worker` | a thread has slept for 0.5 s in a wait for a task that is done | likely |
//! | `blocked_worker`, `spin` | a future in a `block_on` inside a poll has no budget left, and the poll has slept, or run, for 0.5 s | suspect |
//! | `lost_waker` | a hand-written future has waited for 1 s without a recorded wait, and something waits for its task, or it is a root | suspect |
//! | `blocked_worker` | a poll has slept for 1 s, and it is unknown whether any task waits for its thread | suspect |
//! | `pool_exhausted` | all threads for blocking work sleep, and a job has waited for one for 1 s | suspect |
//! | `starved` | a task that others need has awaited an unrecorded call like `recv()` for 1 s | suspect |
//! | `starved` | no task can progress, a blocking job has waited for another thread for 1 s without a record, and a task that has to end awaits such a job | suspect |
//! | `starved` | a task that has to end has waited for 1 s for a lock that un-annotated code holds, and no such code is known to make progress | suspect |
//! | `cycle`, `self_wait` | futures have waited for 1 s for each other's locks, or for their own, while their tasks continue, or also wait for a signal | suspect |
//! | `shutdown` | a runtime has waited for 10 s for blocking work that waits for another thread; for 1 s for any blocking work | likely; suspect |
//! | `hazard` | an unpolled future that is alive, or was granted something, was woken more than 1 s ago, or it holds a resource that others have waited for as long | suspect |
//!
//! Tasks that are stuck for a known reason are left out.

use super::hazards::hazards;
use super::long_polls::long_polls;
use super::missed_wakes::{out_of_budget, sleep_after_join, unused_wakers};
use super::shutdowns::shutdown;
use super::sleeping_threads::{full_pools, long_sleeps, sleeping_jobs};
use super::supervised::supervised;
use super::timers::overdue;
use super::undriven::undriven;
use super::unexplained::unexplained;
use super::unknown_holders::unknown_holders;
use crate::analysis::hangs::facts::{Facts, IdMap};
use crate::analysis::hangs::system::Node;
use crate::analysis::hangs::verdict::{Link, Verdict};
use crate::model::TaskId;
use crate::ordered::OrderedSet;

/// Returns all warnings, except about the `stuck` tasks (indices) and about nodes that already have
/// one of the `verdicts`.
pub(crate) fn warnings(
    facts: &Facts<'_>,
    stuck: &OrderedSet<usize>,
    verdict_of_node: &IdMap<Node, usize>,
    verdicts: &[Verdict],
) -> Vec<Verdict> {
    let mut warnings = Vec::new();
    warnings.extend(overdue(facts, stuck));
    warnings.extend(long_polls(facts, stuck));
    warnings.extend(facts.snapshot.waits.iter().filter_map(|wait| sleep_after_join(facts, wait)));
    warnings.extend(facts.snapshot.waits.iter().filter_map(|wait| out_of_budget(facts, wait)));
    warnings.extend(unused_wakers(facts, stuck));
    warnings.extend(facts.snapshot.waits.iter().filter_map(|wait| shutdown(facts, stuck, verdicts, wait)));
    warnings.extend(hazards(facts, stuck, verdict_of_node));
    warnings.extend(undriven(facts, stuck));
    warnings.extend(unexplained(facts, stuck));
    warnings.extend(unknown_holders(facts, stuck));
    warnings.extend(supervised(facts, stuck));
    let pools = full_pools(facts, stuck);
    if pools.is_empty() {
        warnings.extend(sleeping_jobs(facts, stuck));
    }
    warnings.extend(pools);
    let mentioned: OrderedSet<TaskId> =
        warnings.iter().flat_map(|it| &it.chain).filter_map(Link::task).collect();
    warnings.extend(long_sleeps(facts, stuck, &mentioned));
    warnings
}
