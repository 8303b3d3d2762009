//! The rule `sequential`: requests await the same call many times, one after the other.
//!
//! ```text
//! list    rows ─▶ query ██ query ██ query ██ query ██ query ██ … 25 times: 94 % of the request
//! ```
//! Each of them may be fast, and nothing waits for anything that another has. So the await counts
//! by its calls for each call of the function, in requests only: a job that walks through a table
//! takes its time by design. Reads, writes and waits for events repeat by their nature. Calls below
//! an await of code without annotation are in `sequential_inside`.

use super::awaited_lock::awaited_lock;
use super::channels::{MIN_MEAN_NS, is_of_handlers};
use super::connections::is_between_read_and_write;
use super::events::{WAITING, is_lock, is_repeated, is_request};
use super::facts::{Facts, per_mille, percent};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use super::texts::{calls_any_word, last_awaited, last_call};
use super::workers::CpuShare;
use crate::model::{Node, NodeIndex, Site, SiteIndex, SiteKind};
use crate::ordered::OrderedMap;
use crate::units::{count, time};

/// How often the function must await it in each of its calls, on average.
const MIN_TIMES: u64 = 16;
/// How often it must await it if nearly all of a long call is spent so: the least number, share in
/// thousandths, and mean of the function's calls in ns.
const FEW_TIMES: u64 = 8;
const FEW_SHARE: u64 = 800;
const FEW_MEAN_NS: u64 = 40_000_000;
/// How often the function must await it if its calls are short, and the least mean length of such a
/// call in ns. A hundred tries or rows are not an accident.
const MANY_TIMES: u64 = 100;
const MANY_MEAN_NS: u64 = 5_000_000;
/// The fewest calls of the function that have ended: fewer suffice if each awaits it so often.
const MIN_CALLS: u64 = 50;
const FEW_CALLS: u64 = 20;
/// The least share of the function's time, in thousandths: most of it.
const MIN_SHARE: u64 = 600;
/// The least share of an await that is spent in functions that begin and end in it, in thousandths.
/// A handle is awaited as well, but its task runs beside the others.
const MIN_INSIDE: u64 = 800;
/// The least mean of an await of a call without annotation, in ns: a query, not a file or a turn.
const MIN_CALL_NS: u64 = 1_000_000;
/// First words of functions whose waits are meant, or that only wrap or combine what is waited for.
const OTHERS: [&str; 25] = [
    "acquire", "and", "backoff", "collect", "delay", "for", "join", "lock", "map", "or", "pause", "publish",
    "push", "read", "remove", "reserve", "select", "send", "sleep", "spawn", "swap", "then", "timeout",
    "with", "write",
];

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    // The nodes of each await, by the function around it.
    let mut awaits: OrderedMap<(SiteIndex, SiteIndex), Vec<usize>> = OrderedMap::new();
    for node in 0..facts.tree.nodes.len() {
        let above = facts.tree.ancestors(node).next().filter(|&above| !facts.is_await(above));
        if let (true, Some(above)) = (facts.is_await(node), above) {
            awaits.entry((facts.node(above).site, facts.node(node).site)).or_default().push(node);
        }
    }
    let find = |((function, site), nodes)| of_await(facts, function, site, nodes);
    awaits.into_iter().filter_map(find).collect()
}

fn of_await(facts: &Facts<'_>, function: SiteIndex, site: SiteIndex, nodes: Vec<usize>) -> Option<Finding> {
    let sum = |value: fn(&crate::model::Node) -> u64| {
        nodes.iter().map(|&node| value(facts.node(node))).fold(0, u64::saturating_add)
    };
    let waited_ns = sum(|node| node.idle_ns.saturating_add(node.busy_ns));
    let Repeated { mean_ns, share, times } = repeated(facts, function, sum(|node| node.calls), waited_ns)?;
    let is_meant = || facts.snapshot.site(site).is_none_or(|site| is_repeated(&site.name));
    let is_in_requests =
        || nodes.iter().any(|&node| is_of_handlers(facts, node) || is_between_read_and_write(facts, node));
    if is_meant() || !is_in_requests() || !is_inside(facts, site, &nodes) {
        return None;
    }
    if is_of_a_stream(facts, &nodes) || nodes.iter().any(|&node| waits_for_lock(facts, node)) {
        return None;
    }
    let sentence = format!(
        "{} awaits {} {} times per call, one after the other: {} of its time, {} each, {} per call",
        facts.name(function),
        facts.name_and_line(site),
        count(times),
        percent(share),
        time(waited_ns / sum(|node| node.calls).max(1)),
        time(mean_ns),
    );
    let next = next_step(facts, &[function, site]);
    let mut finding = Finding::new(Rule::Sequential, Severity::Slow, &sentence, next);
    finding.place = facts.place(site);
    finding.explains_ns = waited_ns;
    finding.per_mille = Some(share);
    finding.evidence.sites = vec![site, function];
    finding.evidence.nodes = nodes.into_iter().map(NodeIndex::new).collect();
    Some(finding)
}

/// What a function does again and again in each of its calls.
#[derive(Debug)]
pub(super) struct Repeated {
    /// Mean length of the function's calls, in ns.
    pub(super) mean_ns: u64,
    /// The share of the function's time, in thousandths.
    pub(super) share: u64,
    /// How often in each call, rounded.
    pub(super) times: u64,
}

/// The repetition if `all` awaited calls, in which the function spent `waited_ns`, are many for
/// each of its calls, and most of their time.
pub(super) fn repeated(facts: &Facts<'_>, function: SiteIndex, all: u64, waited_ns: u64) -> Option<Repeated> {
    let calls = facts.totals(function).calls;
    let times = all.checked_div(calls)?;
    let wall_ns = facts.wall_ns(function);
    let (mean_ns, share) = (wall_ns / calls, per_mille(waited_ns, wall_ns).min(1000));
    let cpu = CpuShare::new(facts.snapshot);
    let is_long = |ns: u64| mean_ns >= cpu.stretched(ns);
    let is_often = times >= MIN_TIMES && share >= MIN_SHARE && is_long(MIN_MEAN_NS)
        || times >= FEW_TIMES && share >= FEW_SHARE && is_long(FEW_MEAN_NS)
        || times >= MANY_TIMES && share >= FEW_SHARE && is_long(MANY_MEAN_NS);
    let least = if times >= MIN_TIMES { FEW_CALLS } else { MIN_CALLS };
    let is_often = is_often && facts.has_ends(function) && facts.totals(function).ended >= least;
    is_often.then(|| Repeated { mean_ns, share, times: all.saturating_add(calls / 2) / calls })
}

/// Whether a call failed is unknown, but the names may say that it is tried again.
pub(super) fn next_step(facts: &Facts<'_>, sites: &[SiteIndex]) -> &'static str {
    if sites.iter().any(|&site| says_retry(facts, site)) {
        "pause between the tries, for longer after each failure, and bound their number"
    } else {
        "ask for all of them at once, or run them side by side, for example with `join_all` or `buffered`; if they are tries of one \
         call, pause between them"
    }
}

/// Returns whether the name of a function, or the text of an await, says that a call is tried
/// again.
pub(super) fn says_retry(facts: &Facts<'_>, site: SiteIndex) -> bool {
    let name = facts.snapshot.site(site).map_or_else(String::new, |site| site.name.to_lowercase());
    ["retry", "retries", "attempt", "backoff", "back_off"].iter().any(|word| name.contains(word))
}

/// Returns whether what is awaited begins and ends in the await: an annotated function, or a
/// request of a client.
fn is_inside(facts: &Facts<'_>, site: SiteIndex, nodes: &[usize]) -> bool {
    if facts.snapshot.site(site).is_some_and(|site| is_request(&site.name)) || is_call(facts, site, nodes) {
        return true;
    }
    let (mut all_ns, mut inside_ns) = (0_u64, 0_u64);
    for &node in nodes {
        all_ns = all_ns.saturating_add(facts.node(node).idle_ns);
        let functions = facts.tree.children[node].iter().map(|&child| (facts.node(child), facts.site(child)));
        let functions = functions.filter(|(_, site)| site.is_some_and(|site| site.kind == SiteKind::Fn));
        let begins = |(it, _): &(&crate::model::Node, _)| it.calls >= facts.node(node).calls / 2;
        let idle_ns = functions.filter(begins).map(|(it, _)| it.idle_ns);
        inside_ns = idle_ns.fold(inside_ns, u64::saturating_add);
    }
    per_mille(inside_ns, all_ns) >= MIN_INSIDE
}

/// Returns whether a function without annotation is called there, by the text, and each call of it
/// waits: of handles of tasks that run side by side, most are ready at once.
fn is_call(facts: &Facts<'_>, site: SiteIndex, nodes: &[usize]) -> bool {
    let sum = |value: fn(&Node) -> u64| {
        nodes.iter().map(|&node| value(facts.node(node))).fold(0, u64::saturating_add)
    };
    let calls = sum(|node| node.calls);
    facts.snapshot.site(site).is_some_and(|site| names_call(&site.name))
        && nodes.iter().all(|&node| facts.tree.children[node].is_empty())
        && sum(|node| node.idle_ns) / calls.max(1) >= CpuShare::new(facts.snapshot).stretched(MIN_CALL_NS)
        // One poll to begin with, and one or more until it is ready.
        && sum(|node| node.polls) >= (calls - calls / 10).saturating_mul(2)
}

/// Returns whether the text ends with a call that has arguments and does not have the name of a
/// wait.
pub(super) fn names_call(text: &str) -> bool {
    let text = last_awaited(text).trim_end_matches(['?', ' ']);
    let Some((name, arguments)) = last_call(text).filter(|_| text.ends_with(").await")) else { return false };
    let first = name.split('_').next().unwrap_or_default();
    let is_wait = is_wait_or_wrapper(first) || is_lock(text) || text.contains("fs::");
    !first.is_empty() && arguments.len() > 1 && !is_wait
}

/// Returns whether a function whose name begins with this word waits for an event, or only wraps or
/// combines what is waited for.
pub(super) fn is_wait_or_wrapper(first: &str) -> bool {
    WAITING.contains(&first) || OTHERS.contains(&first)
}

/// Returns whether the function handles what it reads, item by item.
fn is_of_a_stream(facts: &Facts<'_>, nodes: &[usize]) -> bool {
    nodes.iter().any(|&node| {
        let above = facts.tree.ancestors(node).next();
        let mut beside = above.into_iter().flat_map(|above| facts.tree.children[above].iter().copied());
        beside.any(|it| {
            let is_as_often = facts.node(it).calls >= facts.node(node).calls / 2;
            let is_next =
                |site: &Site| is_repeated(&site.name) || it != node && calls_any_word(&site.name, &WAITING);
            is_as_often && facts.is_await(it) && facts.site(it).is_some_and(is_next)
        })
    })
}

/// Returns whether the time is spent waiting for a lock, which another finding explains if it is
/// held for long. Permits bound what runs at once: a wait for each of many calls is part of them.
pub(super) fn waits_for_lock(facts: &Facts<'_>, node: usize) -> bool {
    let deepest = facts.deepest_wait(node);
    facts.is_await(deepest) && awaited_lock(facts, deepest).is_some_and(|lock| !lock.has_permits)
}
