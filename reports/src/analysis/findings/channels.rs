//! Requests that wait because of a channel, and the receiver that empties it.

use super::connections::{connection, is_served};
use super::events::is_channel_read;
use super::facts::{Facts, line, per_mille};
use crate::analysis::hangs::words::kind_name;
use crate::clean::printable;
use crate::model::{Holding, NodeIndex, Place, Resource, Site, SiteIndex, SiteKind, Wait};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::units::counted;

/// How many tasks must wait at once. The stages of a pipeline are fewer, and each waits in turn.
pub(super) const MIN_WAITING: usize = 4;
/// How many waits must have ended, and how many calls of the function: fewer may be a start-up.
pub(super) const MIN_ENDED: u64 = 100;
/// The least mean wait, if CPUs are free. People and other services notice it.
pub(super) const MIN_MEAN_NS: u64 = 20_000_000;
/// The least share of the function's time, in thousandths: most of it.
const MIN_SHARE: u64 = 500;

/// The function whose calls wait.
#[derive(Debug)]
pub(super) struct RequestFunction {
    pub(super) site: SiteIndex,
    /// The share of its time, in thousandths.
    pub(super) share: u64,
    pub(super) waited_ns: u64,
    /// The awaits.
    pub(super) nodes: Vec<NodeIndex>,
}

/// The function of requests that loses most of its time in these waits: of several on a path, the
/// outermost whose calls end; if none does, that of the connection, which serves many requests.
/// `at_most_ns` is the time of all waits at the channel, if it is known: others may be at the same
/// awaits.
pub(super) fn request(
    facts: &Facts<'_>,
    waiting: &[&Wait],
    at_most_ns: Option<u64>,
) -> Option<RequestFunction> {
    let nodes = awaits(facts, waiting);
    let all_ns = nodes.iter().map(|&node| facts.node(node).idle_ns).fold(0, u64::saturating_add);
    let is_in_handlers = is_in_handlers(facts, waiting);
    // By function: ns in its waits, the depth at which it was met, whether it is part of a request.
    let mut functions: OrderedMap<SiteIndex, (u64, usize, bool)> = OrderedMap::new();
    // By function: how many waits in its requests have ended.
    let mut served: OrderedMap<SiteIndex, u64> = OrderedMap::new();
    for &node in &nodes {
        let connection = connection(facts, node);
        let is_request = is_in_handlers || connection.is_some() || is_served(facts, node);
        if let Some(connection) = connection {
            let served = served.entry(facts.node(connection).site).or_default();
            *served = served.saturating_add(facts.node(node).completed);
        }
        let mut met = OrderedSet::new();
        for (depth, function) in facts.functions(node).enumerate() {
            let site = facts.node(function).site;
            if met.insert(site) {
                let entry = functions.entry(site).or_default();
                entry.0 = entry.0.saturating_add(facts.node(node).idle_ns);
                *entry = (entry.0, entry.1.max(depth), entry.2 || is_request);
            }
        }
    }
    let part = |ns: u64| {
        let part = u128::from(at_most_ns.unwrap_or(all_ns).min(all_ns)) * u128::from(ns);
        part.checked_div(all_ns.into()).map_or(0, |ns| u64::try_from(ns).unwrap_or(u64::MAX))
    };
    let calls = nodes.iter().map(|&node| facts.node(node).calls).fold(0, u64::saturating_add);
    let least = facts.least_calls(MIN_ENDED, all_ns.checked_div(calls));
    let candidates = functions.into_iter().filter_map(|(site, (ns, depth, is_request))| {
        let waited_ns = part(ns);
        let share = per_mille(waited_ns, facts.wall_ns(site)).min(1000);
        let ends = facts.has_ends(site) || least < MIN_ENDED && facts.is_overloaded(site);
        let ends = ends && facts.totals(site).ended >= least;
        let serves = served.get(&site) >= Some(&least);
        let is_it = is_request && share >= MIN_SHARE && (ends || serves);
        is_it.then_some((ends, depth, std::cmp::Reverse(site), share, waited_ns))
    });
    let (.., std::cmp::Reverse(site), share, waited_ns) = candidates.max()?;
    let nodes = nodes.into_iter().map(NodeIndex::new).collect();
    Some(RequestFunction { site, share, waited_ns, nodes })
}

/// The nodes of the awaits in which these tasks wait. A function without annotation has none: its
/// waits count at the await of it, if most calls there wait like that.
fn awaits(facts: &Facts<'_>, waiting: &[&Wait]) -> Vec<usize> {
    let places: OrderedSet<&Place> = waiting.iter().filter_map(|wait| wait.place.as_ref()).collect();
    let mut sites: OrderedMap<&Place, Option<SiteIndex>> = OrderedMap::new();
    for at in places {
        sites.insert(at, await_at(facts, at));
    }
    let mut outer: OrderedMap<SiteIndex, u64> = OrderedMap::new();
    let is_unlisted = |wait: &&&Wait| wait.place.as_ref().is_some_and(|at| sites.get(at) == Some(&None));
    for site in waiting.iter().filter(is_unlisted).filter_map(|wait| await_of(facts, wait)) {
        *outer.entry(site).or_default() += 1;
    }
    let is_most = |(site, waits): &(SiteIndex, u64)| waits * 4 >= facts.sum(*site, |node| node.pending) * 3;
    let outer = outer.into_iter().filter(is_most).map(|(site, _)| site);
    let sites: OrderedSet<SiteIndex> = sites.into_values().flatten().chain(outer).collect();
    sites.into_iter().flat_map(|site| facts.nodes_of_site(site)).copied().collect()
}

/// The await in which the innermost annotated function of a wait is; `None` if it is in several.
fn await_of(facts: &Facts<'_>, wait: &Wait) -> Option<SiteIndex> {
    let call = facts.span_position(wait.span?)?;
    let spans = &facts.snapshot.spans[call..];
    // An await has the id of its call, and comes after it.
    let own = spans.iter().take_while(|span| span.id == spans[0].id).skip(1);
    let mut awaits = own.map(|span| span.site);
    awaits.next().filter(|_| awaits.next().is_none())
}

/// Returns whether tasks have come to wait since the oldest one did. The waits of a batch all began
/// at once.
pub(super) fn arrive(waiting: &[&Wait]) -> bool {
    let since_ns = || waiting.iter().map(|wait| wait.since_ns);
    since_ns().min() < since_ns().max().map(|ns| ns / 2)
}

/// Returns whether most waiting tasks are handlers: an unrecorded task polls them, and each call
/// ends.
fn is_in_handlers(facts: &Facts<'_>, waiting: &[&Wait]) -> bool {
    let is_handler = |wait: &&&Wait| {
        let task = wait.task.and_then(|id| facts.task(id));
        task.is_some_and(|task| task.is_unspawned && facts.is_handler(facts.root_site(task)))
    };
    waiting.iter().filter(is_handler).count() * 2 > waiting.len()
}

/// Returns whether a node is in a handler: an unrecorded task polls its root now, or the server of
/// a connection calls it.
pub(super) fn is_of_handlers(facts: &Facts<'_>, node: usize) -> bool {
    facts.is_handler(facts.node(facts.root(node)).site) || is_served(facts, node)
}

/// The await in which the receiver waits for a message, on the path with most of its calls.
pub(super) fn receive(facts: &Facts<'_>, end: &Holding) -> Option<usize> {
    let site = await_at(facts, end.place.as_ref()?)?;
    facts.nodes_of_site(site).iter().copied().max_by_key(|&node| facts.node(node).calls)
}

/// The share of its time in which the receiver waits for messages, in thousandths. One that waits
/// most of the time is not slow.
pub(super) fn starved_share(facts: &Facts<'_>, receive: usize) -> u64 {
    let function = facts.function(receive);
    function.map_or(0, |function| per_mille(facts.node(receive).idle_ns, all_ns(facts, function)))
}

/// The await, or the call in it, in which the receiver spends most of its time, if it is known.
pub(super) fn receiver_over(facts: &Facts<'_>, receive: usize) -> Option<SiteIndex> {
    let function = facts.function(receive)?;
    let others = facts.tree.children[function].iter().copied();
    let others = others.filter(|&child| !facts.site(child).is_some_and(|site| is_channel_read(&site.name)));
    let longest = others.max_by_key(|&child| (all_ns(facts, child), std::cmp::Reverse(child)))?;
    (all_ns(facts, longest) > all_ns(facts, function) / 2).then(|| facts.node(longest).site)
}

pub(super) fn all_ns(facts: &Facts<'_>, node: usize) -> u64 {
    facts.node(node).busy_ns.saturating_add(facts.node(node).idle_ns)
}

/// The await at a place: of several on a line, the last that begins before it.
pub(super) fn await_at(facts: &Facts<'_>, place: &Place) -> Option<SiteIndex> {
    let begins_before = |site: &Site| {
        (site.place.line, site.place.column) <= (place.line, place.column)
            && place.line <= site.end_line.max(site.place.line)
    };
    let sites = facts.snapshot.sites.iter().enumerate();
    let awaits = sites.filter(|(_, site)| {
        site.kind == SiteKind::Await && site.place.file == place.file && begins_before(site)
    });
    let last = awaits.max_by_key(|(_, site)| (site.place.line, site.place.column))?;
    Some(SiteIndex::new(last.0))
}

/// `` `jobs` (mpsc with 4 slots, src/main.rs:12) ``, or `the unbounded mpsc created at
/// src/main.rs:12`. `channels` is the number of those that are created there.
pub(super) fn channel_words(it: &Resource, channels: usize) -> String {
    let kind = kind_name(it.kind);
    let slots = it.capacity.map(|slots| format!("{kind} with {}", counted(slots, "slot")));
    let created = it.created.as_ref().filter(|place| !place.file.is_empty()).map(line);
    if let Some(name) = &it.name {
        let slots = slots.unwrap_or_else(|| format!("{kind} without a bound"));
        let at = created.map_or_else(String::new, |at| format!(", {at}"));
        return format!("`{}` ({slots}{at})", printable(name));
    }
    let slots = slots.unwrap_or_else(|| format!("unbounded {kind}"));
    match (created, channels) {
        (Some(at), 1) => format!("the {slots} created at {at}"),
        (Some(at), _) => format!("each {slots} created at {at}"),
        (None, _) => format!("an {slots}"),
    }
}
