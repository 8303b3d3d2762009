//! The rule `backlog`: a channel without a bound is filled faster than it is emptied.
//!
//! ```text
//! sent     ████████████████████████████████
//! received ████████                           the others wait in memory, and more come
//! ```
//! A burst also fills a channel for a while. So messages must have been sent for seconds, up to
//! now, and a large share of all messages must be waiting. A few messages that come after a burst
//! do not change that it is worked off: since the last one, several must not have been received.

use super::channels::channel_words;
use super::facts::{Facts, line, per_mille, percent};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use super::waiting_jobs::function_around;
use crate::model::{Holding, Resource, ResourceKind, Role, SiteIndex};
use crate::units::{count, time};

/// The fewest messages that wait.
const MIN_MESSAGES: u64 = 1_000;
/// Fewer suffice if the receiver takes this long for them.
const FEW_MESSAGES: u64 = 200;
const MIN_LATE_NS: u64 = 5_000_000_000;
/// Even fewer suffice if it takes longer, most of all that were sent wait, and they come evenly:
/// the last message is not older than this many mean gaps between two messages.
const FEWEST_MESSAGES: u64 = 50;
const LONG_LATE_NS: u64 = 10_000_000_000;
const MOST: u64 = 500;
const MAX_GAPS: u64 = 4;
/// Their least share of all that were sent, in thousandths.
const MIN_SHARE: u64 = 300;
/// The least age of the channel: younger ones may be filled by a start-up.
const MIN_AGE_NS: u64 = 5_000_000_000;
/// The greatest age of the last message. With an older one, the burst is over.
const MAX_PAUSE_NS: u64 = 1_000_000_000;
/// The most messages that are received, at the mean rate, while none is sent. If it is more, fewer
/// are sent lately than received.
const MAX_RECEIVED: u64 = 10;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let found = facts.snapshot.resources.iter().filter_map(|channel| {
        let share = share(facts, channel)?;
        Some(of_channel(facts, channel, share))
    });
    found.collect()
}

/// The share of messages that wait in a channel, in thousandths; `None` if that is no backlog.
fn share(facts: &Facts<'_>, channel: &Resource) -> Option<u64> {
    let is_queue = matches!(channel.kind, ResourceKind::Mpsc | ResourceKind::Mpmc);
    if !is_queue || channel.capacity.is_some() || facts.stuck_resources.contains(&channel.id) {
        return None;
    }
    // Since a reset, fewer were sent than wait: how many were received is unknown.
    if channel.filled > channel.usage.acquisitions {
        return None;
    }
    let share = per_mille(channel.filled, channel.usage.acquisitions);
    let age_ns = age_ns(facts, channel);
    let sent = ends(channel, Role::Sends).filter(|end| end.uses > 0);
    let pause_ns = sent.map(|end| end.since_ns).min().unwrap_or(u64::MAX);
    let before = facts.earlier.and_then(|earlier| earlier.resource(channel.id));
    let is_worked_off = before.is_none() && received_in(facts, channel, pause_ns) > MAX_RECEIVED.into();
    let is_sent_now = pause_ns <= MAX_PAUSE_NS && !is_worked_off;
    let has_grown = before.is_none_or(|before| channel.filled > before.filled);
    let is_steady = pause_ns <= age_ns.saturating_mul(MAX_GAPS) / channel.usage.acquisitions.max(1);
    let is_most = share >= MOST && is_steady && is_late(facts, channel, FEWEST_MESSAGES, LONG_LATE_NS);
    let is_backlog =
        (channel.filled >= MIN_MESSAGES || is_late(facts, channel, FEW_MESSAGES, MIN_LATE_NS) || is_most)
            && share >= MIN_SHARE
            && age_ns >= MIN_AGE_NS
            && is_sent_now
            && has_grown;
    (is_backlog && !feeds_itself(facts, channel)).then_some(share)
}

/// Returns whether tasks like the one that receives have sent half of the messages or more, below
/// the function that receives, as in a crawler: it ends when they find nothing new.
fn feeds_itself(facts: &Facts<'_>, channel: &Resource) -> bool {
    let root_of = |end: &Holding| end.task.and_then(|id| facts.task(id)).map(|task| facts.root_site(task));
    let function_of = |end: &Holding| end.place.as_ref().and_then(|place| function_around(facts, place));
    let receives = ends(channel, Role::Receives).max_by_key(|end| end.uses);
    let (receiver, receiving) = (receives.and_then(root_of), receives.and_then(function_of));
    let is_below = |end: &Holding| match (receiving, function_of(end)) {
        (Some(above), Some(site)) => above == site || is_called_in(facts, site, above),
        _ => true,
    };
    let sent = |is_it: &dyn Fn(&Holding) -> bool| {
        let those = ends(channel, Role::Sends).filter(|end| is_it(end));
        those.map(|end| end.uses).fold(0, u64::saturating_add)
    };
    // Uses count from before a reset too.
    let all = sent(&|_| true).max(channel.usage.acquisitions);
    receiver.is_some() && sent(&|end| root_of(end) == receiver && is_below(end)) >= all / 2
}

/// Returns whether a function was called in another one, or in what that called.
fn is_called_in(facts: &Facts<'_>, site: SiteIndex, above: SiteIndex) -> bool {
    let mut calls = facts.nodes_of_site(site).iter();
    calls.any(|&node| facts.tree.ancestors(node).any(|it| facts.node(it).site == above))
}

/// Returns whether the receiver needs many seconds for the messages that wait, at the mean rate.
fn is_late(facts: &Facts<'_>, channel: &Resource, least: u64, late_ns: u64) -> bool {
    channel.filled >= least && received_in(facts, channel, late_ns) < channel.filled.into()
}

/// For how long the messages of the channel are counted, in ns: since it was created, or since a
/// later reset.
fn age_ns(facts: &Facts<'_>, channel: &Resource) -> u64 {
    channel.age_ns.min(facts.snapshot.elapsed_ns)
}

/// How many messages are received in that time, at the mean rate.
fn received_in(facts: &Facts<'_>, channel: &Resource, ns: u64) -> u128 {
    let received = channel.usage.acquisitions.saturating_sub(channel.filled);
    let received = u128::from(received) * u128::from(ns);
    received.checked_div(age_ns(facts, channel).into()).unwrap_or(0)
}

pub(super) fn ends(channel: &Resource, role: Role) -> impl Iterator<Item = &Holding> {
    channel.holdings.iter().filter(move |end| end.role == role)
}

fn of_channel(facts: &Facts<'_>, channel: &Resource, share: u64) -> Finding {
    let receiver = ends(channel, Role::Receives).max_by_key(|end| end.uses);
    let received = receiver.filter(|end| end.uses > 0);
    let by = emptied_by(facts, received);
    // One snapshot cannot show whether it is being emptied.
    let (verb, next) = match facts.earlier {
        Some(_) => ("fills up", "receive faster, or give the channel a bound, so that senders wait"),
        None => (
            "is far behind",
            "compare with an earlier snapshot; if it grows, receive faster, or give the channel a bound, so that senders wait",
        ),
    };
    let sentence = format!(
        "{} {verb}: {} messages wait in it, {} of all that were sent in {}; {by}",
        channel_words(channel, 1),
        count(channel.filled),
        percent(share),
        time(age_ns(facts, channel)),
    );
    let mut finding = Finding::new(Rule::Backlog, Severity::Risk, &sentence, next);
    finding.place = received.and_then(|end| end.place.clone()).or_else(|| channel.created.clone());
    finding.per_mille = Some(share);
    finding.explains_ns = age_ns(facts, channel);
    finding.evidence.tasks = receiver.iter().filter_map(|end| end.task).collect();
    finding.evidence.resources.push(channel.id);
    finding
}

/// `it is emptied by `collect` at src/main.rs:40`.
pub(super) fn emptied_by(facts: &Facts<'_>, received: Option<&Holding>) -> String {
    received.map_or_else(
        || "nothing has received from it".to_owned(),
        |end| {
            let task = end.task.and_then(|id| facts.task(id));
            let by =
                task.map_or_else(String::new, |task| format!(" by {}", facts.name(facts.root_site(task))));
            let at = end.place.as_ref().map_or_else(String::new, |place| format!(" at {}", line(place)));
            format!("it is emptied{by}{at}")
        },
    )
}
