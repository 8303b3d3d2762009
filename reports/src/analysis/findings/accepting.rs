//! The rule `stopped` for a loop that accepts connections: it awaits a call that does not end.
//!
//! ```text
//! accept_loop   |accept|█ handshake |accept|█ handshake ······································▶
//! connections          spawn |███████      spawn |███████     no other connection is accepted
//! ```
//! One such call is enough: it keeps out all other clients. A server that serves one client after
//! the other does so by design, and so does a limit on the number of connections.

use super::events::{is_accept, is_timer};
use super::facts::Facts;
use super::finding::{Finding, Severity};
use super::held::is_acquisition;
use super::rule::Rule;
use super::workers::CpuShare;
use crate::lists::Lists;
use crate::model::{NodeIndex, RunState, SiteIndex, SiteKind, Span, SpanIndex};
use crate::units::{count, time};

/// How often it must have gone on from `accept`, and how many of the calls must have ended.
const MIN_ENDED: u64 = 20;
/// How long the call must wait, if CPUs are free, and how many times as long as any that has ended.
const MIN_WAIT_NS: u64 = 5_000_000_000;
const MIN_TIMES: u64 = 20;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let loops = (0..facts.snapshot.sites.len()).map(SiteIndex::new).filter(|&site| accepts(facts, site));
    let loops: Vec<SiteIndex> = loops.collect();
    let spans = if loops.is_empty() { &[] } else { &facts.snapshot.spans[..] };
    // Parents have smaller positions.
    let parents = spans.iter().enumerate().filter_map(|(index, span)| {
        span.parent.map(SpanIndex::get).filter(|&parent| parent < index).map(|parent| (parent, index))
    });
    let children = Lists::new(spans.len(), parents);
    loops.into_iter().filter_map(|site| of_loop(facts, &children, site)).collect()
}

/// Returns whether a function goes on from an `accept` of its own again and again, and most of what
/// it accepts is served by a task: as many have begun.
fn accepts(facts: &Facts<'_>, function: SiteIndex) -> bool {
    let is_function = facts.snapshot.site(function).is_some_and(|site| site.kind == SiteKind::Fn);
    let children = facts.nodes_of_site(function).iter().flat_map(|&node| &facts.tree.children[node]);
    let accepts = children.filter(|&&child| facts.site(child).is_some_and(|site| is_accept(&site.name)));
    let accepted = accepts.map(|&child| facts.node(child).completed).max().unwrap_or(0);
    let mut tasks = facts.tree.roots.iter().map(|&root| facts.node(root));
    is_function && accepted >= MIN_ENDED && tasks.any(|root| root.calls >= accepted / 2)
}

fn of_loop(facts: &Facts<'_>, children: &Lists, function: SiteIndex) -> Option<Finding> {
    let spans = facts.snapshot.spans.iter().enumerate();
    let calls = spans.filter(|(_, span)| span.site == function);
    // With several loops, another one may still accept.
    let stopped: Option<Vec<(&Span, &Span)>> =
        calls.map(|(index, _)| stopped_call(facts, children, index)).collect();
    let (call, waiting) = stopped?.into_iter().max_by_key(|(_, waiting)| waiting.since_ns)?;
    let totals = facts.totals(call.site);
    let sentence = format!(
        "{} has accepted no connection for {}: it waits in {} at {}; {} calls of that have ended, each within {}",
        facts.name_and_line(function),
        time(waiting.since_ns),
        facts.name_and_line(call.site),
        facts.name_and_line(waiting.site),
        count(totals.ended),
        time(totals.longest_ns),
    );
    let next = "move that call into the task of the connection, or give it a time limit";
    let mut finding = Finding::new(Rule::Stopped, Severity::Slow, &sentence, next);
    finding.place = facts.place(waiting.site);
    finding.explains_ns = waiting.since_ns;
    finding.evidence.sites = vec![waiting.site, call.site, function];
    finding.evidence.nodes = facts.totals(waiting.site).most_idle.map(NodeIndex::new).into_iter().collect();
    finding.evidence.set_tasks(waiting.task);
    Some(finding)
}

/// The call in which a loop waits for far longer than any that has ended, and its innermost await.
fn stopped_call<'a>(facts: &Facts<'a>, children: &Lists, index: usize) -> Option<(&'a Span, &'a Span)> {
    let spans = &facts.snapshot.spans;
    let (mut call, mut waiting) = (None, &spans[index]);
    let mut below = children.of(index);
    while let [child] = below {
        waiting = &spans[*child];
        let is_function = facts.snapshot.site(waiting.site).is_some_and(|site| site.kind == SiteKind::Fn);
        call = call.or(Some(waiting).filter(|_| is_function));
        below = children.of(*child);
    }
    let call = call.filter(|_| below.is_empty() && waiting.state == RunState::Waiting)?;
    let (totals, task) = (facts.totals(call.site), waiting.task?);
    let least_ns = CpuShare::new(facts.snapshot).stretched(MIN_WAIT_NS);
    let is_long = totals.ended >= MIN_ENDED
        && totals.longest_ns > 0
        && waiting.since_ns >= least_ns.max(totals.longest_ns.saturating_mul(MIN_TIMES));
    let is_moment = facts.snapshot.site(waiting.site).is_none_or(|site| is_timer(&site.name));
    let mut waits = facts.snapshot.waits.iter().filter(|wait| wait.span == Some(waiting.id));
    let is_stopped = is_long && !is_moment && !waits.any(is_acquisition);
    (is_stopped && !facts.stuck_tasks.contains(&task)).then_some((call, waiting))
}
