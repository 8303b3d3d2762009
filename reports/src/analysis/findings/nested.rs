//! The rule `stopped` for calls that take a second connection of a pool, or a second permit, and
//! never get it.
//!
//! ```text
//! invoice   |█ pool.get().await ─▶ has one ─────────────────────────────▶
//!   lines     |█ pool.get().await ······························▶   no call has ever got one here
//! ```
//! Once such calls have all connections, none goes on. The pool is not on record, so two awaits
//! with one text are for one pool. Silent if a call has got a second one before: then some are
//! left, and the waits are for the rule `stopped` at any await, or for `contended`.

use super::facts::{Facts, line};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use super::unlisted_lock::pool;
use super::workers::CpuShare;
use crate::model::{RunState, Site, SiteIndex, SiteKind, Span, SpanIndex};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::units::{count, time};

/// For how long the oldest call must wait, in ns, if CPUs are free.
const MIN_WAIT_NS: u64 = 5_000_000_000;
/// How many calls must wait.
const MIN_WAITING: usize = 3;

/// The calls that wait at one await, and the await in which their callers have got one.
#[derive(Debug)]
struct Nested<'a> {
    spans: Vec<&'a Span>,
    outer: Option<SiteIndex>,
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    // `None` for an await that it cannot be. Paths to one await are alike: the first one counts.
    let mut by_await: OrderedMap<SiteIndex, Option<Nested<'_>>> = OrderedMap::new();
    for (index, span) in facts.snapshot.spans.iter().enumerate() {
        let is_stuck = |task| facts.stuck_tasks.contains(&task);
        if span.state != RunState::Waiting || span.task.is_none_or(is_stuck) {
            continue;
        }
        let new = || {
            wanted(facts, span.site)
                .map(|pool| Nested { spans: Vec::new(), outer: outer(facts, index, pool) })
        };
        if let Some(nested) = by_await.entry(span.site).or_insert_with(new) {
            nested.spans.push(span);
        }
    }
    let found = by_await.into_iter().filter_map(|(site, nested)| Some((site, nested?)));
    found.filter_map(|(site, nested)| of_await(facts, site, &nested)).collect()
}

/// The pool of an await in which no call has ever got a connection.
fn wanted<'a>(facts: &Facts<'a>, site: SiteIndex) -> Option<&'a str> {
    let it = facts.snapshot.site(site).filter(|it| it.kind == SiteKind::Await)?;
    let is_it = facts.totals(site).passed == 0 && facts.kinds_waited_for(it).next().is_none();
    pool(&it.name).filter(|_| is_it)
}

/// The await of a caller in which it has got one of the same pool before.
fn outer(facts: &Facts<'_>, index: usize, wanted: &str) -> Option<SiteIndex> {
    let spans = &facts.snapshot.spans;
    let parent = |index: usize| spans[index].parent.map(SpanIndex::get).filter(|&parent| parent < index);
    let at = &facts.snapshot.site(spans[index].site)?.place;
    let callers: OrderedSet<SiteIndex> =
        std::iter::successors(parent(index), |&index| parent(index)).map(|index| spans[index].site).collect();
    let is_before = |site: SiteIndex, it: &Site| {
        let place = (&it.place.file, it.place.line);
        it.kind == SiteKind::Await
            && pool(&it.name) == Some(wanted)
            && place != (&at.file, at.line)
            && facts.totals(site).passed > 0
    };
    let is_of_caller = |site: SiteIndex| {
        let mut functions = facts.nodes_of_site(site).iter().filter_map(|&node| facts.function(node));
        functions.any(|function| callers.contains(&facts.node(function).site))
    };
    let sites = facts.snapshot.sites.iter().enumerate().map(|(index, it)| (SiteIndex::new(index), it));
    let mut before = sites.filter(|(site, it)| is_before(*site, it) && is_of_caller(*site));
    before.next().map(|(site, _)| site)
}

/// The next step for a wait, by its position, whose callers have taken one of the same pool.
pub(super) fn next_step(facts: &Facts<'_>, index: usize) -> Option<String> {
    let site = facts.snapshot.site(facts.snapshot.spans[index].site)?;
    let is_recorded = facts.kinds_waited_for(site).next().is_some();
    let outer = pool(&site.name).filter(|_| !is_recorded).and_then(|pool| outer(facts, index, pool))?;
    Some(pass_on(&format!("at {}", line(&facts.place(outer)?))))
}

fn pass_on(at: &str) -> String {
    format!(
        "pass on what the caller has taken {at}, instead of taking a second one: once all are with such callers, none of them goes \
         on"
    )
}

fn of_await(facts: &Facts<'_>, site: SiteIndex, nested: &Nested<'_>) -> Option<Finding> {
    let oldest_ns = nested.spans.iter().map(|span| span.since_ns).max()?;
    let least_ns = CpuShare::new(facts.snapshot).stretched(MIN_WAIT_NS);
    if nested.spans.len() < MIN_WAITING || oldest_ns < least_ns {
        return None;
    }
    let outer = facts.place(nested.outer?)?;
    let sentence = format!(
        "{} calls wait at {}, for {} at the longest, and none has ever gone on from there: their callers have taken one at {}",
        count(nested.spans.len() as u64),
        facts.name_and_line(site),
        time(oldest_ns),
        line(&outer),
    );
    let mut finding = Finding::new(Rule::Stopped, Severity::Slow, &sentence, &pass_on("there"));
    finding.place = facts.place(site);
    finding.explains_ns = nested.spans.iter().map(|span| span.since_ns).fold(0, u64::saturating_add);
    finding.evidence.sites = vec![site, nested.outer?];
    finding.evidence.set_tasks(nested.spans.iter().filter_map(|span| span.task).collect::<OrderedSet<_>>());
    Some(finding)
}
