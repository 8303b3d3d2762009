//! The rule `growing` for futures that are not tasks, so no list of tasks has them. Everything that
//! they own stays: memory, guards, permits.
//!
//! - Left behind: calls poll them once, keep them, end, and no task polls them again.
//! - Kept: a live task has them in a set, such as a `FuturesUnordered`. Sets of connections and of
//!   slow jobs are healthy, so others of the function must have ended far sooner.

use super::facts::{Facts, line, per_mille};
use super::finding::{Finding, Severity};
use super::growing::{LONG_NS, MAX_ENDED, MIN_TASKS, OUTLIVED, goes_on, rate_words};
use super::rule::Rule;
use crate::model::{Place, RunState, SiteIndex, Snapshot, Span, TaskId, Wait, WaitMode};
use crate::ordered::OrderedMap;
use crate::units::{count, time};

/// The least time that the growth has to last. Until then they may wait for the next round of a
/// loop.
const MIN_NS: u64 = 5_000_000_000;
/// How many futures of one task are a set, and how many others must have ended: fewer may be all
/// that there are.
const MIN_SET: usize = 32;
const MIN_ENDED: u64 = 100;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let mut by_site: OrderedMap<SiteIndex, Vec<&Span>> = OrderedMap::new();
    for span in detached(facts.snapshot) {
        by_site.entry(span.site).or_default().push(span);
    }
    let left = by_site.into_iter().filter_map(|(site, futures)| of_site(facts, site, &futures));
    left.chain(sets(facts).iter().filter_map(|set| of_set(facts, set))).collect()
}

/// The futures of one function that a live task keeps, and that wait without a time limit for
/// something on record.
#[derive(Debug)]
struct FutureSet<'a> {
    site: SiteIndex,
    task: TaskId,
    futures: Vec<(&'a Span, &'a Wait)>,
}

fn sets<'a>(facts: &Facts<'a>) -> Vec<FutureSet<'a>> {
    let spans = &facts.snapshot.spans;
    // A parent stands before its children.
    let mut roots: Vec<usize> = Vec::with_capacity(spans.len());
    for (index, span) in spans.iter().enumerate() {
        let parent = span.parent.and_then(|parent| roots.get(parent.get()).copied());
        roots.push(parent.unwrap_or(index));
    }
    let is_kept = |span: &Span| {
        span.is_detached && span.parent.is_none() && span.state == RunState::Waiting && span.task.is_some()
    };
    // By root: a wait inside it, unless a timer is set there.
    let mut waits: OrderedMap<usize, Option<&Wait>> = OrderedMap::new();
    for wait in &facts.snapshot.waits {
        let root = wait.span.and_then(|span| facts.span_position(span)).map(|span| roots[span]);
        if let Some(root) = root.filter(|&root| is_kept(&spans[root])) {
            let own = waits.entry(root).or_insert(Some(wait));
            *own = own.filter(|_| wait.mode != WaitMode::Timer);
        }
    }
    let mut sets: OrderedMap<(SiteIndex, TaskId), Vec<(&Span, &Wait)>> = OrderedMap::new();
    for (root, wait) in waits {
        let span = &spans[root];
        if let (Some(wait), Some(task)) = (wait, span.task) {
            sets.entry((span.site, task)).or_default().push((span, wait));
        }
    }
    sets.into_iter().map(|((site, task), futures)| FutureSet { site, task, futures }).collect()
}

fn of_set(facts: &Facts<'_>, set: &FutureSet<'_>) -> Option<Finding> {
    let ended = facts.totals(set.site).ended;
    let latencies = facts.nodes_of_site(set.site).iter().map(|&node| &facts.node(node).latency);
    let longest_ns = latencies.map(|it| it.completed.longest_ns.max(it.cancelled.longest_ns)).max()?;
    let oldest_ns = set.futures.iter().map(|(span, _)| span.age_ns).max()?;
    let evidence_ns = LONG_NS.max(longest_ns.saturating_mul(OUTLIVED));
    let is_growing = set.futures.len() >= MIN_SET
        && ended >= MIN_ENDED
        && longest_ns > 0
        && oldest_ns >= evidence_ns
        && goes_on(set.futures.iter().map(|(span, _)| span.age_ns), oldest_ns)
        && !facts.stuck_tasks.contains(&set.task);
    if !is_growing {
        return None;
    }
    let many = set.futures.len() as u64;
    let keeper = facts.task(set.task).map(|task| facts.name(facts.root_site(task)));
    let kept = keeper.map_or_else(String::new, |name| format!(", kept by {name}"));
    let at = set.futures.iter().find_map(|(_, wait)| wait.place.as_ref());
    let waits = at.map_or_else(String::new, |place| format!("; they wait at {}", line(place)));
    let sentence = format!(
        "futures of {} pile up{kept}: {} are pending, the oldest {}, {}, while {} others ended within {}{waits}",
        facts.name_and_line(set.site),
        count(many),
        time(oldest_ns),
        rate_words(many, oldest_ns),
        count(ended),
        time(longest_ns),
    );
    let next = "give each of them an end: a timeout, or drop it when nobody needs its result any more";
    let ages_ns = set.futures.iter().map(|(span, _)| span.age_ns);
    Some(finding(facts, set.site, &sentence, next, ages_ns))
}

/// The pending futures that no live task has polled.
fn detached(snapshot: &Snapshot) -> impl Iterator<Item = &Span> {
    snapshot.spans.iter().filter(|span| span.is_without_task() && span.state == RunState::Waiting)
}

fn of_site(facts: &Facts<'_>, site: SiteIndex, futures: &[&Span]) -> Option<Finding> {
    let many = futures.len() as u64;
    let all_ended = facts.totals(site).ended;
    let oldest_ns = futures.iter().map(|span| span.age_ns).max()?;
    let place = facts.place(site);
    let before = facts.earlier.map_or(0, |earlier| before(earlier, place.as_ref()));
    let is_growing = futures.len() >= MIN_TASKS + before
        && oldest_ns >= MIN_NS
        && per_mille(all_ended, all_ended.saturating_add(many)) <= MAX_ENDED
        && goes_on(futures.iter().map(|span| span.age_ns), oldest_ns);
    if !is_growing {
        return None;
    }
    let sentence = format!(
        "futures of {} pile up: {} are pending, the oldest {}, {}; their callers have ended, and nothing polls \
         them",
        facts.name_and_line(site),
        count(many),
        time(oldest_ns),
        rate_words(many, oldest_ns),
    );
    let next = "await each of them, spawn it, or drop it with its caller: until then it keeps what it owns";
    Some(finding(facts, site, &sentence, next, futures.iter().map(|span| span.age_ns)))
}

fn finding(
    facts: &Facts<'_>,
    site: SiteIndex,
    sentence: &str,
    next: &str,
    ages_ns: impl Iterator<Item = u64>,
) -> Finding {
    let mut finding = Finding::new(Rule::Growing, Severity::Risk, sentence, next);
    finding.place = facts.place(site);
    finding.explains_ns = ages_ns.fold(0, u64::saturating_add);
    finding.evidence.sites.push(site);
    finding
}

/// How many there were in the earlier snapshot.
fn before(earlier: &Snapshot, place: Option<&Place>) -> usize {
    let is_its = |span: &&Span| earlier.site(span.site).map(|site| &site.place) == place;
    detached(earlier).filter(is_its).count()
}
