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
use super::channels::{
    MIN_ENDED, MIN_MEAN_NS, MIN_WAITING, arrive, channel_words, receive, receiver_over, request,
    starved_share,
};
use super::facts::{Facts, per_mille, percent};
use super::finding::{Finding, MAX_IDS, Severity};
use super::rule::Rule;
use super::workers::CpuShare;
use crate::model::{Resource, ResourceId, ResourceKind, Role, Wait, WaitMode};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::units::{count, time};

/// The least share of messages that had to wait, in thousandths. With less, the channel is full
/// now and then, in bursts.
const MIN_WAITED: u64 = 500;
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
    p50_ns: u64,
    p99_ns: u64,
    /// The waits for a free slot that last.
    waiting: Vec<&'a Wait>,
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
            p50_ns: 0,
            p99_ns: 0,
            waiting: Vec::new(),
        });
        channel.ids.push(it.id);
        channel.sent = channel.sent.saturating_add(it.usage.acquisitions);
        channel.waits = channel.waits.saturating_add(it.usage.waited);
        channel.waited_ns = channel.waited_ns.saturating_add(it.usage.waited_ns);
        channel.p50_ns = channel.p50_ns.max(it.usage.wait.p50_ns);
        channel.p99_ns = channel.p99_ns.max(it.usage.wait.p99_ns);
        channel.waiting.extend(waiting);
    }
    channels.into_values().collect()
}

impl Channel<'_> {
    /// The time of all waits, those included that last.
    fn all_waits_ns(&self) -> u64 {
        self.waiting.iter().map(|wait| wait.since_ns).fold(self.waited_ns, u64::saturating_add)
    }
}

fn of_channel(facts: &Facts<'_>, channel: &Channel<'_>) -> Option<Finding> {
    let mean_ns = channel.waited_ns.checked_div(channel.waits)?;
    let tasks: OrderedSet<_> = channel.waiting.iter().filter_map(|wait| wait.task).collect();
    let is_full = tasks.len() >= MIN_WAITING
        && arrive(&channel.waiting)
        && channel.waits >= facts.least_calls(MIN_ENDED, Some(channel.p50_ns))
        && per_mille(channel.waits, channel.sent) >= MIN_WAITED
        && mean_ns >= CpuShare::new(facts.snapshot).stretched(MIN_MEAN_NS);
    if !is_full {
        return None;
    }
    let request = request(facts, &channel.waiting, Some(channel.all_waits_ns()))?;
    let received = ends(channel.first, Role::Receives).filter(|end| end.uses > 0);
    let received = received.max_by_key(|end| end.uses);
    let receive = received.and_then(|end| receive(facts, end));
    if receive.is_some_and(|receive| starved_share(facts, receive) >= MAX_STARVED) {
        return None;
    }
    let mut by = emptied_by(facts, received);
    if let Some(over) = receive.and_then(|receive| receiver_over(facts, receive)) {
        // Writing to a string cannot fail.
        let _ = write!(by, ", which spends most of its time in {}", facts.name_and_line(over));
    }
    let sentence = format!(
        "{} is full and makes {} wait: {} of its time, p99 {}, and {} calls wait now; {by}",
        channel_words(channel.first, channel.ids.len()),
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
    finding.evidence.set_tasks(tasks);
    finding.evidence.resources = channel.ids.iter().copied().take(MAX_IDS).collect();
    Some(finding)
}
