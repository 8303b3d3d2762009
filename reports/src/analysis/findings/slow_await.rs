//! The rule `slow_await`: a few calls take far longer than the others, and one await is why.
//!
//! ```text
//! calls    ▂█▆▂                              ▂▃▂
//!          3 ms: most                        1.2 s: one in fifty, and a third of all time
//! ```
//! A long await alone is not a fault: a client may have asked for it, or it ends once a day. So the
//! slow calls have to be far from the usual ones, and the await must not be for the next event.

use super::awaited_channel::{answering_channel, awaited_channel, is_sent_into};
use super::awaited_lock::awaited_lock;
use super::channels::is_of_handlers;
use super::connections::{is_between_read_and_write, is_for_reader};
use super::events::{is_event_like, is_for_event, is_initialization, is_timer};
use super::facts::{Facts, per_mille, percent};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use super::sequential::names_call;
use super::workers::CpuShare;
use crate::model::{Durations, NodeIndex, Site, SiteIndex, SiteKind};
use crate::ordered::OrderedSet;
use crate::sort::sort_by_key;
use crate::units::{count, time};

/// The fewest calls with a useful quantile.
const MIN_CALLS: u64 = 100;
/// The fewest slow ones: a single one is an accident, such as the first connection.
const MIN_SLOW_CALLS: u64 = 4;
/// The least duration of a slow call, in ns.
const SLOW_NS: u64 = 500_000_000;
/// The least ratio of a slow call to the median call.
const MIN_TIMES: u64 = 20;
/// The least share of slow calls, of their time, and of the await in it, in thousandths.
const MIN_SLOW: u64 = 5;
const MIN_TIME: u64 = 300;
const MIN_AWAIT: u64 = 800;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let sites = (0..facts.snapshot.sites.len()).map(SiteIndex::new);
    let functions = sites.filter(|&site| facts.snapshot.site(site).is_some_and(|it| it.kind == SiteKind::Fn));
    let mut findings: Vec<(SiteIndex, Finding)> =
        functions.filter_map(|site| of_function(facts, site)).collect();
    // Callers of a slow function are slow too, each on a path of its own: of those that wait at one
    // await, only the function with the most slow time is reported.
    sort_by_key(&mut findings, |(awaited, finding)| (*awaited, std::cmp::Reverse(finding.explains_ns)));
    findings.dedup_by_key(|(awaited, _)| *awaited);
    findings.into_iter().map(|(_, finding)| finding).collect()
}

/// By how much calls would be longer if all waits of a worker for a CPU had come while as many were
/// in flight as on average: a call that is due then has to wait, with all others.
fn starved_ns(facts: &Facts<'_>, wall_ns: u64) -> u64 {
    let delayed_ns = CpuShare::new(facts.snapshot).most_delayed_ns;
    let starved =
        (u128::from(wall_ns) * u128::from(delayed_ns)).checked_div(facts.snapshot.elapsed_ns.into());
    starved.map_or(0, |ns| u64::try_from(ns).unwrap_or(u64::MAX))
}

fn of_function(facts: &Facts<'_>, site: SiteIndex) -> Option<(SiteIndex, Finding)> {
    let mut calls = Durations::default();
    for &node in facts.nodes_of_site(site) {
        calls.merge(&facts.node(node).latency.completed);
    }
    let quantiles = calls.quantiles();
    if quantiles.count < MIN_CALLS {
        return None;
    }
    let bound_ns = SLOW_NS.max(quantiles.p50_ns.saturating_mul(MIN_TIMES));
    let slow = calls.buckets.iter().filter(|bucket| bucket.from_ns >= bound_ns);
    let (mut slow_calls, mut slow_ns) = (0_u64, 0_u64);
    for bucket in slow {
        slow_calls = slow_calls.saturating_add(bucket.count);
        slow_ns = slow_ns.saturating_add(bucket.from_ns.saturating_mul(bucket.count));
    }
    let wall_ns = facts.wall_ns(site);
    let is_tail = slow_calls >= MIN_SLOW_CALLS
        && per_mille(slow_calls, quantiles.count) >= MIN_SLOW
        && per_mille(slow_ns, wall_ns) >= MIN_TIME
        && slow_ns > starved_ns(facts, wall_ns);
    if !is_tail {
        return None;
    }
    let nodes = facts.nodes_of_site(site).iter().copied();
    let most = nodes.max_by_key(|&node| (facts.node(node).idle_ns, std::cmp::Reverse(node)))?;
    let all = facts.deepest_waits(most);
    let deepest = facts.longest_wait(&all)?;
    let (deepest_ns, deepest_calls) =
        (facts.sum_of(&all, |node| node.idle_ns), facts.sum_of(&all, |node| node.calls));
    // An await of that length is reached in slow calls only, and need not explain the others.
    let is_only_slow = deepest_ns / deepest_calls.max(1) >= bound_ns;
    let all_ns = if is_only_slow { slow_ns } else { facts.node(most).idle_ns };
    let is_why = per_mille(deepest_ns, all_ns) >= MIN_AWAIT;
    let is_pause = || {
        facts.site(deepest).is_some_and(|it| is_timer(&it.name))
            && facts.function(deepest) == Some(most)
            && looks_again(facts, deepest, most, slow_calls)
    };
    let is_event = || is_for_event(facts, deepest) || is_event_like(facts, most);
    let is_meant = || {
        is_event()
            || is_initialization(facts, deepest)
            || is_pause()
            || is_periodic(facts, most)
            || waits_for_peer(facts, deepest)
    };
    if deepest == most || !facts.is_await(deepest) || !is_why || is_meant() {
        return None;
    }
    let share = per_mille(slow_calls, quantiles.count);
    let awaited = facts.node(deepest).site;
    let sentence = format!(
        "{} of {} calls ({}) of {} take {} or more, at a median of {}; they wait at {}",
        count(slow_calls),
        count(quantiles.count),
        percent(share),
        facts.name_and_line(site),
        time(bound_ns),
        time(quantiles.p50_ns),
        facts.name_and_line(awaited),
    );
    let awaited_lock = awaited_lock(facts, deepest);
    if awaited_lock.is_some_and(|lock| lock.is_one_hold) {
        return None;
    }
    let (next, resources) = if let Some(lock) = awaited_lock {
        (format!("look at the calls that hold {}; it is {}", lock.words, lock.held), lock.ids.clone())
    } else if let Some(channel) =
        awaited_channel(facts, deepest).or_else(|| answering_channel(facts, deepest, bound_ns))
    {
        (format!("look at the receiver of {}", channel.words), channel.ids)
    } else {
        (other_end(facts, deepest), Vec::new())
    };
    let mut finding = Finding::new(Rule::SlowAwait, Severity::Slow, &sentence, &next);
    finding.place = facts.place(awaited);
    finding.explains_ns = slow_ns;
    finding.per_mille = Some(share);
    finding.evidence.sites = vec![awaited, site];
    finding.evidence.nodes = vec![NodeIndex::new(deepest), NodeIndex::new(most)];
    finding.evidence.resources = resources;
    Some((awaited, finding))
}

/// Returns whether it waits for a client to read what it writes, and not for a resource on record
/// before that; or, in no request, for a free slot of a channel, as the stage of a pipeline.
fn waits_for_peer(facts: &Facts<'_>, node: usize) -> bool {
    let writes = |site: &Site| is_for_reader(&site.name) && facts.kinds_waited_for(site).next().is_none();
    let is_in_request = || is_of_handlers(facts, node) || is_between_read_and_write(facts, node);
    facts.site(node).is_some_and(writes) && awaited_lock(facts, node).is_none()
        || is_sent_into(facts, node) && !is_in_request()
}

/// Returns whether a function that sleeps in a call looks again afterwards, as one that polls or
/// retries does. A handler does not that sleeps once in each call, or in each slow one, in no arm
/// of a `select!`, and awaits nothing more often for it: its client waits for the end of the sleep.
fn looks_again(facts: &Facts<'_>, sleep: usize, function: usize, slow_calls: u64) -> bool {
    let (sleeps, calls) = (facts.node(sleep).calls, facts.node(function).calls);
    let mut others = facts.tree.children[function].iter().copied().filter(|&child| child != sleep);
    !is_of_handlers(facts, function)
        || facts.tree.ancestors(sleep).next() != Some(function)
        || sleeps >= slow_calls.saturating_mul(2) && sleeps.abs_diff(calls) > calls / 100
        || others
            .any(|child| facts.is_await(child) && facts.node(child).calls >= calls.saturating_add(sleeps / 2))
}

/// Returns whether a loop that never ends and waits for nothing but moments makes the calls, one
/// after each: nobody waits for what a job at an interval does.
fn is_periodic(facts: &Facts<'_>, node: usize) -> bool {
    let mut turn = node;
    facts.tree.ancestors(node).any(|above| {
        let below = std::mem::replace(&mut turn, above);
        let awaits = || facts.tree.children[above].iter().copied().filter(|&it| facts.is_await(it));
        let is_at = |it: usize, is_it: fn(&str) -> bool| facts.site(it).is_some_and(|it| is_it(&it.name));
        let waits = || awaits().filter(|&it| is_at(it, is_timer) && it != below);
        let is_loop = !facts.is_await(above) && facts.node(above).completed == 0;
        is_loop
            && waits().any(|it| facts.node(it).completed >= facts.node(below).calls / 2)
            && awaits().all(|it| is_at(it, is_timer) || !is_for_event(facts, it))
    })
}

/// Where to look for what is awaited at a node, if it is neither a lock nor a channel on record.
fn other_end(facts: &Facts<'_>, node: usize) -> String {
    let inside = facts.site(node).and_then(|site| under_timeout(&site.name));
    let is_call = |inside: &&str| names_call(&format!("{inside}.await"));
    // Each once, also with several labels.
    let below: OrderedSet<SiteIndex> =
        facts.tree.children[node].iter().map(|&child| facts.node(child).site).collect();
    let below: Vec<String> = below.into_iter().map(|site| facts.name(site)).collect();
    match inside.filter(is_call).filter(|_| below.is_empty()) {
        _ if !below.is_empty() => {
            format!("annotate what is called there: most of the time is not spent in {}", below.join(" or "))
        }
        Some(inside) => format!(
            "look at `{inside}`: annotate it to see where it waits, and what was asked for in the slow calls"
        ),
        None => {
            "look at the other end of that await: what was asked for in the slow calls, and when".to_owned()
        }
    }
}

/// The expression that is awaited under a time limit: `fetch(id)` of `timeout(LIMIT, fetch(id))`.
/// `None` if the text was cut.
fn under_timeout(text: &str) -> Option<&str> {
    let (_, arguments) = text.split_once("timeout(").filter(|_| !text.contains(['…', '`']))?;
    let (mut depth, mut from) = (0_usize, None);
    for (at, it) in arguments.char_indices() {
        match it {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return from.map(|from| arguments[from..at].trim()),
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => from = from.or(Some(at + 1)),
            _ => {}
        }
    }
    None
}
