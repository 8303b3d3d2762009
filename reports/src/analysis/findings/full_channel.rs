//! The rule `full_channel`: requests wait for a free slot of a channel, as its receiver is slow.
//!
//! ```text
//! connection   read ─▶ submit: send(id) ·········· full ··········─▶ write the answer
//! connection   read ─▶ submit: send(id) ················ full ················─▶
//! receiver     recv ─▶ store █████ recv ─▶ store █████
//! ```
//! A bound is there to make senders wait: in a pipeline, a fast stage waits for a slow one by
//! design. Its stages are tasks that loop, and nobody awaits the end of a single `send`. So the
//! waits count only inside requests: calls that end often, in handlers of a framework, or between
//! the `read` of a request and the `write` of its answer.

use std::fmt::Write as _;

use super::backlog::{emptied_by, ends};
use super::events::{is_between_read_and_write, is_channel_read};
use super::facts::{Facts, ended, line, per_mille, percent};
use super::finding::{Finding, MAX_IDS, Severity};
use super::rule::Rule;
use super::workers::CpuShare;
use crate::analysis::hangs::words::kind_name;
use crate::clean::printable;
use crate::model::{
    Holding, NodeIndex, Place, Resource, ResourceId, ResourceKind, Role, Site, SiteIndex, SiteKind, Wait,
    WaitMode,
};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::units::{count, counted, time};

/// How many tasks must wait for a slot at once. The stages of a pipeline are fewer, and each waits
/// in turn.
const MIN_WAITING: usize = 4;
/// How many waits must have ended, and how many calls of the function: fewer may be a start-up.
const MIN_ENDED: u64 = 100;
/// The least share of messages that had to wait, in thousandths. With less, the channel is full
/// now and then, in bursts.
const MIN_WAITED: u64 = 500;
/// The least mean wait, if CPUs are free. People and other services notice it.
const MIN_MEAN_NS: u64 = 20_000_000;
/// The least share of the function's time, in thousandths: most of it.
const MIN_SHARE: u64 = 500;
/// The greatest share of its time that the receiver may wait for messages, in thousandths. One
/// that waits longer is not why the channel is full.
const MAX_STARVED: u64 = 500;

/// The channels that are created at one place, as one.
#[derive(Debug)]
struct Channel<'a> {
    first: &'a Resource,
    ids: Vec<ResourceId>,
    sent: u64,
    waits: u64,
    waited_ns: u64,
    p99_ns: u64,
    /// The waits for a free slot that last.
    waiting: Vec<&'a Wait>,
}

/// The function whose calls wait.
#[derive(Debug)]
struct Request {
    site: SiteIndex,
    share: u64,
    waited_ns: u64,
    nodes: Vec<NodeIndex>,
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    channels(facts).iter().filter_map(|channel| of_channel(facts, channel)).collect()
}

fn channels<'a>(facts: &Facts<'a>) -> Vec<Channel<'a>> {
    let mut waiting: OrderedMap<ResourceId, Vec<&Wait>> = OrderedMap::new();
    for wait in facts.snapshot.waits.iter().filter(|wait| wait.mode == WaitMode::Send) {
        if let Some(id) = wait.resource {
            waiting.entry(id).or_default().push(wait);
        }
    }
    let mut channels = OrderedMap::new();
    for it in &facts.snapshot.resources {
        let is_queue = matches!(it.kind, ResourceKind::Mpsc | ResourceKind::Mpmc);
        if !is_queue || it.capacity.is_none() || facts.stuck_resources.contains(&it.id) {
            continue;
        }
        let Some(waiting) = waiting.get(&it.id) else { continue };
        let own = it.created.is_none().then_some(it.id);
        let channel = channels.entry((it.kind, it.created.as_ref(), own)).or_insert_with(|| Channel {
            first: it,
            ids: Vec::new(),
            sent: 0,
            waits: 0,
            waited_ns: 0,
            p99_ns: 0,
            waiting: Vec::new(),
        });
        channel.ids.push(it.id);
        channel.sent = channel.sent.saturating_add(it.usage.acquisitions);
        channel.waits = channel.waits.saturating_add(it.usage.waited);
        channel.waited_ns = channel.waited_ns.saturating_add(it.usage.waited_ns);
        channel.p99_ns = channel.p99_ns.max(it.usage.wait.p99_ns);
        channel.waiting.extend(waiting);
    }
    channels.into_values().collect()
}

impl Channel<'_> {
    /// Whether tasks have come to wait since the oldest one did. Those of a batch all came at once.
    fn arrives(&self) -> bool {
        let since_ns = || self.waiting.iter().map(|wait| wait.since_ns);
        since_ns().min() < since_ns().max().map(|ns| ns / 2)
    }

    /// Whether most waiting tasks are handlers: an unrecorded task polls them, and each call ends.
    fn is_in_handlers(&self, facts: &Facts<'_>) -> bool {
        let is_handler = |wait: &&&Wait| {
            let task = wait.task.and_then(|id| facts.task(id));
            task.is_some_and(|task| task.is_unspawned && facts.has_ends(facts.root_site(task)))
        };
        self.waiting.iter().filter(is_handler).count() * 2 > self.waiting.len()
    }

    /// The time of all waits, those included that last.
    fn all_waits_ns(&self) -> u64 {
        self.waiting.iter().map(|wait| wait.since_ns).fold(self.waited_ns, u64::saturating_add)
    }
}

fn of_channel(facts: &Facts<'_>, channel: &Channel<'_>) -> Option<Finding> {
    let mean_ns = channel.waited_ns.checked_div(channel.waits)?;
    let tasks: OrderedSet<_> = channel.waiting.iter().filter_map(|wait| wait.task).collect();
    let is_full = tasks.len() >= MIN_WAITING
        && channel.arrives()
        && channel.waits >= MIN_ENDED
        && per_mille(channel.waits, channel.sent) >= MIN_WAITED
        && mean_ns >= CpuShare::new(facts.snapshot).stretched(MIN_MEAN_NS);
    if !is_full {
        return None;
    }
    let request = request(facts, channel)?;
    let received = ends(channel.first, Role::Receives).filter(|end| end.uses > 0);
    let received = received.max_by_key(|end| end.uses);
    let receive = received.and_then(|end| receive(facts, end));
    if receive.is_some_and(|receive| is_starved(facts, receive)) {
        return None;
    }
    let mut by = emptied_by(facts, received);
    if let Some(over) = receive.and_then(|receive| receiver_over(facts, receive)) {
        // Writing to a string cannot fail.
        let _ = write!(by, ", which spends most of its time in {}", facts.name_and_line(over));
    }
    let sentence = format!(
        "{} is full and makes {} wait: {} of its time, p99 {}, and {} calls wait now; {by}",
        channel_words(channel),
        facts.name(request.site),
        percent(request.share),
        time(channel.p99_ns),
        count(channel.waiting.len() as u64),
    );
    let next = "make the receiver faster, for example with batches, or refuse requests earlier; more slots do not help if it is \
                always slower than the senders";
    let mut finding = Finding::new(Rule::FullChannel, Severity::Slow, &sentence, next);
    let waits_at = || channel.waiting.iter().find_map(|wait| wait.place.clone());
    finding.place = received.and_then(|end| end.place.clone()).or_else(waits_at);
    finding.explains_ns = request.waited_ns;
    finding.per_mille = Some(request.share);
    finding.evidence.sites.push(request.site);
    finding.evidence.nodes = request.nodes;
    finding.evidence.tasks = tasks.into_iter().take(MAX_IDS).collect();
    finding.evidence.resources = channel.ids.iter().copied().take(MAX_IDS).collect();
    Some(finding)
}

/// The function of requests that loses most of its time at the channel: of several on a path, the
/// outermost whose calls end.
fn request(facts: &Facts<'_>, channel: &Channel<'_>) -> Option<Request> {
    let places: OrderedSet<&Place> = channel.waiting.iter().filter_map(|wait| wait.place.as_ref()).collect();
    let sends: OrderedSet<SiteIndex> = places.into_iter().filter_map(|at| await_at(facts, at)).collect();
    let nodes: Vec<usize> = sends.into_iter().flat_map(|site| facts.nodes_of_site(site)).copied().collect();
    let all_ns = nodes.iter().map(|&node| facts.node(node).idle_ns).fold(0, u64::saturating_add);
    let is_in_handlers = channel.is_in_handlers(facts);
    // By function: ns in its sends, the depth at which it was met, whether it is part of a request.
    let mut functions: OrderedMap<SiteIndex, (u64, usize, bool)> = OrderedMap::new();
    for &node in &nodes {
        let is_request = is_in_handlers || is_between_read_and_write(facts, node);
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
    // Sends to other channels may be at the same await: each gets its part.
    let part = |ns: u64| {
        let part = u128::from(channel.all_waits_ns().min(all_ns)) * u128::from(ns);
        part.checked_div(all_ns.into()).map_or(0, |ns| u64::try_from(ns).unwrap_or(u64::MAX))
    };
    let candidates = functions.into_iter().filter_map(|(site, (ns, depth, is_request))| {
        let waited_ns = part(ns);
        let share = per_mille(waited_ns, facts.wall_ns(site)).min(1000);
        let is_it =
            is_request && share >= MIN_SHARE && facts.has_ends(site) && facts.sum(site, ended) >= MIN_ENDED;
        is_it.then_some((depth, std::cmp::Reverse(site), share, waited_ns))
    });
    let (_, std::cmp::Reverse(site), share, waited_ns) = candidates.max()?;
    let nodes = nodes.into_iter().map(NodeIndex::new).collect();
    Some(Request { site, share, waited_ns, nodes })
}

/// The await in which the receiver waits for a message, on the path with most of its calls.
fn receive(facts: &Facts<'_>, end: &Holding) -> Option<usize> {
    let site = await_at(facts, end.place.as_ref()?)?;
    facts.nodes_of_site(site).iter().copied().max_by_key(|&node| facts.node(node).calls)
}

fn all_ns(facts: &Facts<'_>, node: usize) -> u64 {
    facts.node(node).busy_ns.saturating_add(facts.node(node).idle_ns)
}

/// Whether the receiver waits for messages most of the time, so that it is not slow.
fn is_starved(facts: &Facts<'_>, receive: usize) -> bool {
    let function = facts.function(receive);
    function.is_some_and(|function| {
        per_mille(facts.node(receive).idle_ns, all_ns(facts, function)) >= MAX_STARVED
    })
}

/// The await, or the call in it, in which the receiver spends most of its time, if it is known.
fn receiver_over(facts: &Facts<'_>, receive: usize) -> Option<SiteIndex> {
    let function = facts.function(receive)?;
    let others = facts.tree.children[function].iter().copied();
    let others = others.filter(|&child| !facts.site(child).is_some_and(|site| is_channel_read(&site.name)));
    let longest = others.max_by_key(|&child| (all_ns(facts, child), std::cmp::Reverse(child)))?;
    (all_ns(facts, longest) > all_ns(facts, function) / 2).then(|| facts.node(longest).site)
}

/// The await at a place: of several on a line, the last that begins before it.
fn await_at(facts: &Facts<'_>, place: &Place) -> Option<SiteIndex> {
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

/// `` `jobs` (mpsc with 4 slots, src/main.rs:12) ``, or `the mpsc with 4 slots created at
/// src/main.rs:12`.
fn channel_words(channel: &Channel<'_>) -> String {
    let it = channel.first;
    let kind = format!("{} with {}", kind_name(it.kind), counted(it.capacity.unwrap_or(0), "slot"));
    let created = it.created.as_ref().filter(|place| !place.file.is_empty()).map(line);
    match (&it.name, created, channel.ids.len()) {
        (Some(name), Some(at), _) => format!("`{}` ({kind}, {at})", printable(name)),
        (Some(name), None, _) => format!("`{}` ({kind})", printable(name)),
        (None, Some(at), 1) => format!("the {kind} created at {at}"),
        (None, Some(at), _) => format!("each {kind} created at {at}"),
        (None, None, _) => format!("an {kind}"),
    }
}
