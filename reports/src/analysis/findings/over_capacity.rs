//! The rule `held` for a call that waits for more permits than its semaphore has.
//!
//! ```text
//! permits   ████████          8
//! calls     1 1 1 [    16    ] 1 1 1 ▶   permits are handed out in order: no other call gets one
//! ```
//! A semaphore to which permits are added is a signal. So none may have been added, and calls must
//! have acquired it before. If there were enough permits until `forget` removed some, the place of
//! the last `forget` is the cause.

use super::facts::{Facts, line};
use super::finding::{Finding, Severity};
use super::given_up::lost;
use super::held::lock_words;
use super::rule::Rule;
use super::workers::CpuShare;
use crate::model::{Resource, ResourceId, ResourceKind, Wait};
use crate::ordered::OrderedMap;
use crate::units::{count, counted, time};

/// How long it must wait, in ns, if CPUs are free: permits may be added at the start.
const MIN_WAIT_NS: u64 = 1_000_000_000;
/// How often it must have been acquired.
const MIN_ACQUISITIONS: u64 = 20;
const NEXT: &str = "acquire at most as many permits as there are, or create the semaphore with more: permits are handed out in \
                    order, so all later calls wait behind that one";

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let least_ns = CpuShare::new(facts.snapshot).stretched(MIN_WAIT_NS);
    // For each semaphore, the wait that keeps the others back.
    let mut oldest: OrderedMap<ResourceId, &Wait> = OrderedMap::new();
    for wait in facts.snapshot.waits.iter().filter(|wait| wait.since_ns >= least_ns && !wait.is_granted) {
        let it = wait.resource.and_then(|id| facts.snapshot.resource(id));
        if let Some(it) = it.filter(|it| is_pool(it) && Some(wait.units) > permits(it)) {
            let first = oldest.entry(it.id).or_insert(wait);
            *first = if wait.since_ns > first.since_ns { wait } else { *first };
        }
    }
    let found = oldest.into_iter().filter(|(id, _)| !facts.stuck_resources.contains(id));
    found.filter_map(|(id, wait)| of_wait(facts, facts.snapshot.resource(id)?, wait)).collect()
}

/// How many there are, without those that were forgotten.
fn permits(it: &Resource) -> Option<u64> {
    it.capacity.map(|all| all.saturating_sub(it.forgotten))
}

fn of_wait(facts: &Facts<'_>, it: &Resource, wait: &Wait) -> Option<Finding> {
    let permits = permits(it)?;
    let lost = lost(it).filter(|_| it.capacity.is_some_and(|all| wait.units <= all));
    let at = wait.place.as_ref().map_or_else(String::new, |at| format!(" at {}", line(at)));
    let others = facts.snapshot.waits.iter().filter(|other| other.resource == wait.resource);
    let behind = match others.count().saturating_sub(1) as u64 {
        0 => String::new(),
        1 => "; 1 more call waits for it as well".to_owned(),
        more => format!("; {} wait for it as well", counted(more, "more call")),
    };
    let (of, has) = match &lost {
        Some((cause, ..)) => (format!("{cause}; a call waits for {}", counted(wait.units, "permit")), None),
        None => {
            let wanted = format!("a call waits for {} of {}", counted(wait.units, "permit"), lock_words(it));
            (wanted, Some(format!(", and that has {}", count(permits))))
        }
    };
    let sentence = format!("{of}{at}, for {}{}{behind}", time(wait.since_ns), has.unwrap_or_default());
    let (next, place) = lost.map_or_else(
        || (NEXT.to_owned(), wait.place.clone()),
        |(_, next, place)| (next, place.or_else(|| wait.place.clone())),
    );
    let mut finding = Finding::new(Rule::Held, Severity::Slow, &sentence, &next);
    finding.place = place;
    finding.explains_ns = wait.since_ns;
    finding.evidence.set_tasks(wait.task);
    finding.evidence.resources.push(it.id);
    Some(finding)
}

/// Returns whether it has a fixed number of permits, which calls acquire and give back.
fn is_pool(it: &Resource) -> bool {
    it.kind == ResourceKind::Semaphore
        && it.is_fair
        && it.capacity.is_some()
        && !it.is_refilled
        && !it.is_closed
        && it.usage.acquisitions >= MIN_ACQUISITIONS
}
