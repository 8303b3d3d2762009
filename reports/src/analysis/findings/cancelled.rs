//! The rule `cancelled`: a function's calls are dropped while they work.
//!
//! Most futures that are dropped while they wait are meant to be: the losers of a `select!`, a
//! `recv` with a deadline, what runs at a shutdown. So a dropped call counts in three cases only:
//!
//! - It is in a `timeout`, and does not wait for the next event.
//! - Code without annotation polls it, and it waits for an answer. Calls are dropped at one age,
//!   and those that end are younger: a time limit, or clients that give up. If it waits for a
//!   function without annotation instead, those that end are far younger: events come at any time.
//! - A timer or an event in the same `select!` drops it, each time anew: no call ever ends, or a
//!   `sleep` limits each of them to one age.

use std::cmp::Reverse;

use super::events::{is_event_like, is_for_answer, is_for_event, is_repeated, is_timer, waits_for_event};
use super::facts::{Facts, per_mille, percent, root_site};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use super::sequential::names_call;
use crate::model::{Durations, Node, NodeIndex, Site, SiteIndex, SiteKind};
use crate::ordered::OrderedMap;
use crate::units::{count, time};

/// The least share of ended calls, in thousandths.
const MIN_SHARE: u64 = 50;
/// A few may be due to a start-up or a shutdown.
const MIN_CALLS: u64 = 10;
/// [`MIN_SHARE`] for calls that code without annotation drops. Some clients always leave early.
const MIN_ROOT_SHARE: u64 = 200;
/// The fewest dropped calls with a useful first and last tenth.
const MIN_ROOT_CALLS: u64 = 20;
/// By how much the last tenth of the dropped calls may be older than the first. The losers of races
/// are dropped at any age.
const MAX_SPREAD: u64 = 2;
/// How many times as long as that age calls must have begun. Calls that began and were dropped
/// together are those of a batch, or of a shutdown.
const MIN_ROUNDS: u64 = 10;
/// Calls that are dropped later may be long polls that a proxy forwards: clients give these 20 s or
/// more.
const MAX_AGE_NS: u64 = 10_000_000_000;
/// The same beside a timer in a `select!`: a heartbeat, while the peer has nothing to say.
const MAX_TIMER_NS: u64 = 1_000_000_000;
/// How many times as old as most calls that end the dropped ones must be, if the calls wait for a
/// function without annotation. If a fifth of long polls get no event in time, half of the others
/// or more end later than after a quarter of their limit.
const MIN_TIMES: u64 = 4;
/// The least share of calls that events drop, in thousandths, if some end: those in between two
/// events that are far apart.
const MIN_LOST: u64 = 800;
/// How often a call must go on from one of its awaits to be a loop, and not one piece of work.
const MIN_TURNS: u64 = 16;

/// The calls of a function under one await.
#[derive(Debug, Default)]
struct Calls {
    cancelled: u64,
    completed: u64,
    longest_ns: u64,
    idle_ns: u64,
    nodes: Vec<NodeIndex>,
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let mut calls: OrderedMap<(SiteIndex, SiteIndex), Calls> = OrderedMap::new();
    for (index, node) in facts.tree.nodes.iter().enumerate() {
        let parent = facts.tree.ancestors(index).next();
        let Some(parent) = parent.filter(|&parent| facts.is_await(parent)) else { continue };
        let is_timed = facts.site(parent).is_some_and(|site| site.name.contains("timeout"));
        if facts.is_await(index) || !is_timed {
            continue;
        }
        let sum = calls.entry((node.site, facts.node(parent).site)).or_default();
        // If the timeout itself is dropped, it has not ended the call: a `select!` has, or a
        // caller.
        let beside = facts.tree.children[parent].iter().filter(|&&child| !facts.is_await(child));
        let all = beside.map(|&child| u128::from(facts.node(child).cancelled)).sum::<u128>().max(1);
        let dropped = u128::from(facts.node(parent).cancelled) * u128::from(node.cancelled) / all;
        let timed_out = node.cancelled.saturating_sub(u64::try_from(dropped).unwrap_or(u64::MAX));
        sum.cancelled = sum.cancelled.saturating_add(timed_out);
        sum.completed = sum.completed.saturating_add(node.completed);
        sum.idle_ns = sum.idle_ns.saturating_add(node.idle_ns);
        sum.longest_ns = sum.longest_ns.max(node.latency.cancelled.longest_ns);
        sum.nodes.push(NodeIndex::new(index));
    }
    let finding = |((site, timeout), calls): ((SiteIndex, SiteIndex), Calls)| {
        let share = per_mille(calls.cancelled, calls.cancelled.saturating_add(calls.completed));
        let is_work = || {
            let is_loop =
                calls.completed == 0 && calls.nodes.iter().all(|node| is_timed_loop(facts, node.get()));
            !is_loop && !calls.nodes.iter().any(|node| is_meant(facts, node.get()))
        };
        (calls.cancelled >= MIN_CALLS && share >= MIN_SHARE && is_work())
            .then(|| of_calls(facts, site, timeout, share, calls))
    };
    let mut findings: Vec<Finding> = calls.into_iter().filter_map(finding).collect();
    let sites = (0..facts.snapshot.sites.len()).map(SiteIndex::new);
    let functions = sites.filter(|&site| facts.snapshot.site(site).is_some_and(|it| it.kind == SiteKind::Fn));
    findings.extend(functions.filter_map(|site| of_root(facts, site)));
    let mut selects: OrderedMap<(SiteIndex, SiteIndex), Vec<DroppedCalls>> = OrderedMap::new();
    for dropped in (0..facts.tree.nodes.len()).filter_map(|node| DroppedCalls::at(facts, node)) {
        let [own, by] = [dropped.node, dropped.by].map(|node| facts.node(node).site);
        selects.entry((own, by)).or_default().push(dropped);
    }
    findings.extend(selects.into_values().filter_map(|paths| of_select(facts, &paths)));
    findings
}

fn of_calls(facts: &Facts<'_>, site: SiteIndex, timeout: SiteIndex, share: u64, calls: Calls) -> Finding {
    let after = match calls.longest_ns {
        0 => String::new(),
        ns => format!(", after {} at the longest", time(ns)),
    };
    let sentence = format!(
        "{} of {} calls ({}) of {} run into the timeout at {}{after}",
        count(calls.cancelled),
        count(calls.cancelled.saturating_add(calls.completed)),
        percent(share),
        facts.name_and_line(site),
        facts.name_and_line(timeout),
    );
    let next = "find what the function waits for, or allow more time; what it did until then is lost";
    let mut finding = Finding::new(Rule::Cancelled, Severity::Waste, &sentence, next);
    finding.place = facts.place(timeout);
    let cancelled = u128::from(calls.idle_ns) * u128::from(share) / 1000;
    finding.explains_ns = u64::try_from(cancelled).unwrap_or(u64::MAX);
    finding.per_mille = Some(share);
    finding.evidence.sites = vec![site, timeout];
    finding.evidence.nodes = calls.nodes;
    finding
}

/// Returns whether each of the calls does one thing after the other until its time is over, as the
/// clients of a load generator do. A limit that ends calls again and again is one of requests,
/// which may be tried in a loop as well. Reads and writes are pieces of one download or upload.
fn is_timed_loop(facts: &Facts<'_>, node: usize) -> bool {
    let own = facts.node(node);
    let lasted_ns = own.last_seen_ns.saturating_sub(own.first_seen_ns);
    if lasted_ns / MIN_ROUNDS >= own.latency.cancelled.longest_ns {
        return false;
    }
    let is_repeated = |child: usize| {
        let passed = facts.node(child).calls.saturating_sub(facts.node(child).pending);
        let is_step = || facts.site(child).is_some_and(|site| !is_repeated(&site.name));
        facts.is_await(child) && passed / MIN_TURNS >= own.calls && is_step()
    };
    let mut below = facts.tree.children[node].clone();
    while let Some(child) = below.pop() {
        if is_repeated(child) {
            return true;
        }
        below.extend(&facts.tree.children[child]);
    }
    false
}

/// Calls of a function that code without annotation polls, and drops at one age.
fn of_root(facts: &Facts<'_>, site: SiteIndex) -> Option<Finding> {
    let roots = facts.nodes_of_site(site).iter().copied();
    let roots: Vec<usize> = roots.filter(|&node| facts.node(node).parent.is_none()).collect();
    let sum = |value: fn(usize, &Facts<'_>) -> u64| {
        roots.iter().map(|&node| value(node, facts)).fold(0, u64::saturating_add)
    };
    let cancelled = sum(|node, facts| facts.node(node).cancelled);
    let ended = cancelled.saturating_add(sum(|node, facts| facts.node(node).completed));
    let share = per_mille(cancelled, ended);
    if cancelled < MIN_ROOT_CALLS || share < MIN_ROOT_SHARE {
        return None;
    }
    let (mut dropped, mut completed) = (Durations::default(), Durations::default());
    for &node in &roots {
        dropped.merge(&facts.node(node).latency.cancelled);
        completed.merge(&facts.node(node).latency.completed);
    }
    let (first_ns, age_ns, last_ns) =
        (dropped.quantile(100)?, dropped.quantile(500)?, dropped.quantile(900)?);
    // If two calls race, the loser is as old as the winner.
    let is_older = completed.quantile(500).is_none_or(|ns| ns <= first_ns / 5 * 4);
    let is_at_one_age = last_ns <= first_ns.saturating_mul(MAX_SPREAD) && is_older && age_ns <= MAX_AGE_NS;
    let begun_ns = roots.iter().map(|&node| facts.node(node).first_seen_ns).min()?;
    let seen_ns = roots.iter().map(|&node| facts.node(node).last_seen_ns).max()?;
    let is_steady = seen_ns.saturating_sub(begun_ns) / MIN_ROUNDS >= age_ns;
    let is_spawned = || {
        let mut tasks = facts.snapshot.tasks.iter();
        tasks.any(|task| !task.is_unspawned && root_site(facts.snapshot, task) == site)
    };
    let busiest = roots.iter().copied().max_by_key(|&node| facts.node(node).idle_ns)?;
    let are_far_younger = completed.quantile(900).is_some_and(|ns| ns <= first_ns / MIN_TIMES);
    let is_work = || is_for_answer(facts, busiest) || are_far_younger && is_call(facts, busiest);
    if !is_at_one_age || !is_steady || is_spawned() || !is_work() {
        return None;
    }
    let awaited = Some(facts.deepest_wait(busiest)).filter(|&node| facts.is_await(node));
    let at = awaited.map(|node| facts.name_and_line(facts.node(node).site));
    let find = at.map_or_else(String::new, |at| format!("find why {at} takes that long, and "));
    let sentence = format!(
        "{} of {} calls ({}) of {} are dropped before they end, most of them after {}, by code without annotation",
        count(cancelled),
        count(ended),
        percent(share),
        facts.name_and_line(site),
        time(age_ns),
    );
    let next = format!(
        "{find}look for a time limit around the function, as in a middleware, or for clients that give up by then; what it did is \
         lost"
    );
    let mut finding = Finding::new(Rule::Cancelled, Severity::Waste, &sentence, &next);
    finding.place = facts.place(site);
    finding.explains_ns = cancelled.saturating_mul(age_ns);
    finding.per_mille = Some(share);
    finding.evidence.sites = vec![site];
    finding.evidence.nodes = roots.into_iter().map(NodeIndex::new).collect();
    Some(finding)
}

/// Returns whether the waiting below a node is for a function without annotation whose name is not
/// that of a wait.
fn is_call(facts: &Facts<'_>, node: usize) -> bool {
    let deepest = facts.deepest_wait(node);
    let is_call = facts.is_await(deepest)
        && facts.tree.children[deepest].is_empty()
        && facts.site(deepest).is_some_and(|site| names_call(&site.name));
    is_call && !is_meant(facts, node)
}

/// Calls on one path that a `select!` drops.
#[derive(Debug)]
struct DroppedCalls {
    node: usize,
    /// The await of the call, and the one whose end drops it.
    arm: usize,
    by: usize,
    /// The age of half of them.
    age_ns: u64,
}

impl DroppedCalls {
    /// Calls of a function in an arm of a `select!` that a timer, or an event, of another arm ends.
    fn at(facts: &Facts<'_>, node: usize) -> Option<Self> {
        let own = facts.node(node);
        let is_function = facts.site(node).is_some_and(|site| site.kind == SiteKind::Fn);
        if !is_function || own.cancelled < MIN_CALLS {
            return None;
        }
        let mut above = facts.tree.ancestors(node);
        let arm = above.next().filter(|&arm| facts.is_await(arm))?;
        let body = above.next().filter(|&body| !facts.is_await(body))?;
        // Calls that were never polled are not counted at the await.
        let unpolled = facts.sum(own.site, |node| node.never_polled);
        // One turn of the timer, or one event, drops one call.
        let turns = |timer: usize, site: &Site| {
            let fired = facts.node(timer).completed;
            // An event may be there at once: then the call is not polled.
            let others = if is_timer(&site.name) { 0 } else { unpolled.saturating_add(own.completed) };
            let most = own.cancelled.saturating_add(own.cancelled / 10).saturating_add(others);
            fired >= own.cancelled / 10 * 9 && fired <= most
        };
        let drops = |other: usize| {
            let is_it = |site: &Site| {
                site.kind == SiteKind::Await && waits_for_event(&site.name) && turns(other, site)
            };
            other != arm && facts.site(other).is_some_and(is_it)
        };
        let timer = facts.tree.children[body].iter().copied().find(|&other| drops(other))?;
        let age_ns = own.latency.cancelled.quantile(500)?;
        let is_loop = facts.node(body).calls <= own.cancelled / 10;
        let share = per_mille(own.cancelled, own.cancelled.saturating_add(own.completed));
        let is_event = facts.site(timer).is_some_and(|site| !is_timer(&site.name));
        let is_lost = || is_loop && age_ns <= MAX_TIMER_NS && is_for_answer(facts, node);
        let is_found = match own.completed {
            0 => is_lost(),
            _ if is_event => share >= MIN_LOST && is_lost(),
            _ => age_ns <= MAX_AGE_NS && is_limited(facts, node, timer),
        };
        is_found.then_some(Self { node, arm, by: timer, age_ns })
    }
}

/// The calls of one function at one `select!`, on all paths.
fn of_select(facts: &Facts<'_>, paths: &[DroppedCalls]) -> Option<Finding> {
    let most = paths.iter().max_by_key(|path| (facts.node(path.node).cancelled, Reverse(path.node)))?;
    let sum = |value: fn(&Node) -> u64| {
        paths.iter().map(|path| value(facts.node(path.node))).fold(0, u64::saturating_add)
    };
    let (cancelled, completed) = (sum(|node| node.cancelled), sum(|node| node.completed));
    let [own, timer] = [most.node, most.by].map(|node| facts.node(node).site);
    let share = per_mille(cancelled, cancelled.saturating_add(completed));
    let by = facts.name_and_line(timer);
    let is_event = facts.site(most.by).is_some_and(|site| !is_timer(&site.name));
    let sentence = if completed > 0 {
        format!(
            "{} of {} calls ({}) of {} are dropped by {by} in the same `select!`, most of them after {}",
            count(cancelled),
            count(cancelled.saturating_add(completed)),
            percent(share),
            facts.name_and_line(own),
            time(most.age_ns),
        )
    } else {
        format!(
            "none of {} calls of {} ends: a `select!` drops it when {by} is ready, and begins anew, most often after {}",
            count(cancelled),
            facts.name_and_line(own),
            time(most.age_ns),
        )
    };
    let next = if completed > 0 && !is_event {
        "find what the function waits for, or allow more time; what it did until then is lost"
    } else {
        "make the future before the loop, and poll `&mut` of it in the `select!`, or spawn it; what it did is lost"
    };
    let mut finding = Finding::new(Rule::Cancelled, Severity::Waste, &sentence, next);
    finding.place = facts.place(facts.node(most.arm).site);
    finding.explains_ns = sum(|node| node.idle_ns);
    finding.per_mille = Some(share);
    finding.evidence.sites = vec![own, timer];
    finding.evidence.nodes = paths.iter().flat_map(|path| [path.node, path.by]).map(NodeIndex::new).collect();
    Some(finding)
}

/// Returns whether a `sleep` that begins with each call limits the calls of a function in another
/// arm: they do some work, and those that are dropped are of one age.
fn is_limited(facts: &Facts<'_>, node: usize, timer: usize) -> bool {
    let own = facts.node(node);
    let dropped = &own.latency.cancelled;
    let is_at_one_age = dropped
        .quantile(100)
        .zip(dropped.quantile(900))
        .is_some_and(|(first_ns, last_ns)| last_ns <= first_ns.saturating_mul(MAX_SPREAD));
    let is_anew = facts.node(timer).calls >= own.calls / 10 * 9;
    let is_sleep = facts.site(timer).is_some_and(|site| site.name.contains("sleep("));
    own.cancelled >= MIN_ROOT_CALLS
        && per_mille(own.cancelled, own.calls) >= MIN_ROOT_SHARE
        && is_at_one_age
        && is_anew
        && is_sleep
        && !is_meant(facts, node)
}

/// Returns whether the calls wait for what may never come.
fn is_meant(facts: &Facts<'_>, node: usize) -> bool {
    is_for_event(facts, node) || is_event_like(facts, node)
}
