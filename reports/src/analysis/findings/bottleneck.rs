//! The rule `bottleneck`: requests wait for answers of one task, which handles one after the other.
//!
//! ```text
//! handler   send(Get, reply) ─▶ answer ·············· in the queue ··············─▶
//! handler     send(Get, reply) ─▶ answer ···················· in the queue ····················─▶
//! store     recv ─▶ get █████ recv ─▶ get █████ recv ─▶ get █████
//! ```
//! The channel need not be full, and each wait is at a `oneshot` of its own, so neither looks
//! busy. A reply that is on its way in a message of the channel joins the two. As at a full
//! channel, the waits count only inside requests.

use std::fmt::Write as _;

use super::backlog::ends;
use super::channels::{
    MIN_MEAN_NS, MIN_WAITING, all_ns, arrive, channel_words, receive, receiver_over, request, starved_share,
};
use super::facts::{Facts, percent};
use super::finding::{Finding, MAX_IDS, Severity};
use super::rule::Rule;
use super::workers::CpuShare;
use crate::model::{Resource, ResourceId, ResourceKind, Role, Wait, WaitMode};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::units::{count, time};

/// The greatest share of its time that the receiver may wait for messages, in thousandths. One
/// that waits longer works off bursts, or collects batches.
const MAX_STARVED: u64 = 100;

/// The channels that are created at one place, as one.
#[derive(Debug, Default)]
struct AskedChannels<'a> {
    channels: Vec<&'a Resource>,
    /// The waits for answers to messages that are in the channels.
    waiting: Vec<&'a Wait>,
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    queues(facts).iter().filter_map(|queue| of_queue(facts, queue)).collect()
}

fn queues<'a>(facts: &Facts<'a>) -> Vec<AskedChannels<'a>> {
    let snapshot = facts.snapshot;
    // The waits for answers, by the channel in which the sender of the answer is.
    let mut waiting: OrderedMap<ResourceId, Vec<&Wait>> = OrderedMap::new();
    for wait in snapshot.waits.iter().filter(|wait| wait.mode == WaitMode::Receive) {
        let reply = wait.resource.and_then(|id| snapshot.resource(id));
        let reply = reply.filter(|it| it.kind == ResourceKind::Oneshot);
        let channel = reply.and_then(|it| ends(it, Role::Sends).find_map(|end| end.in_channel));
        if let Some(channel) = channel {
            waiting.entry(channel).or_default().push(wait);
        }
    }
    let mut queues: OrderedMap<_, AskedChannels<'_>> = OrderedMap::new();
    for channel in snapshot.resources.iter().filter(|it| it.kind == ResourceKind::Mpsc) {
        let Some(waiting) = waiting.get(&channel.id) else { continue };
        if !facts.stuck_resources.contains(&channel.id) {
            let own = channel.created.is_none().then_some(channel.id);
            let queue = queues.entry((channel.created.as_ref(), own)).or_default();
            queue.channels.push(channel);
            queue.waiting.extend(waiting);
        }
    }
    queues.into_values().collect()
}

fn of_queue(facts: &Facts<'_>, queue: &AskedChannels<'_>) -> Option<Finding> {
    let tasks: OrderedSet<_> = queue.waiting.iter().filter_map(|wait| wait.task).collect();
    if tasks.len() < MIN_WAITING || !arrive(&queue.waiting) {
        return None;
    }
    let first = *queue.channels.first()?;
    let end = ends(first, Role::Receives).filter(|end| end.uses > 0).max_by_key(|end| end.uses)?;
    let receive = receive(facts, end)?;
    if starved_share(facts, receive) >= MAX_STARVED {
        return None;
    }
    let request = request(facts, &queue.waiting, None)?;
    let nodes = request.nodes.iter().map(|node| facts.node(node.get()));
    let (waits, waited_ns) = nodes.fold((0_u64, 0_u64), |(calls, ns), node| {
        (calls.saturating_add(node.calls), ns.saturating_add(node.idle_ns))
    });
    let mean_ns = waited_ns.checked_div(waits)?;
    if mean_ns < CpuShare::new(facts.snapshot).stretched(MIN_MEAN_NS) {
        return None;
    }
    let receiver = facts.function(receive)?;
    let each_ns = all_ns(facts, receiver).checked_div(facts.node(receive).calls)?;
    let mut sentence = format!(
        "{} receives from {} and answers one message after the other, {} each: {} waits {} of its time for an answer, {} on \
         average, and {} messages wait now",
        facts.name_and_line(facts.node(receiver).site),
        channel_words(first, queue.channels.len()),
        time(each_ns),
        facts.name(request.site),
        percent(request.share),
        time(mean_ns),
        count(queue.waiting.len() as u64),
    );
    let over = receiver_over(facts, receive);
    if let Some(over) = over {
        // Writing to a string cannot fail.
        let _ = write!(sentence, "; it spends most of its time in {}", facts.name_and_line(over));
    }
    let next = "make that await faster, spawn a task for each message that needs no order, or divide the messages among several receivers";
    let mut finding = Finding::new(Rule::Bottleneck, Severity::Slow, &sentence, next);
    finding.place = over.and_then(|over| facts.place(over)).or_else(|| end.place.clone());
    finding.explains_ns = request.waited_ns;
    finding.per_mille = Some(request.share);
    finding.evidence.sites = vec![request.site, facts.node(receiver).site];
    finding.evidence.nodes = request.nodes;
    finding.evidence.set_tasks(end.task.into_iter().chain(tasks));
    finding.evidence.resources = queue.channels.iter().map(|it| it.id).take(MAX_IDS).collect();
    Some(finding)
}
