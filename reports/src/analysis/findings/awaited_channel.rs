//! The channel whose receiver makes an await slow now and then.
//!
//! ```text
//! senders      send ✓ send ✓ send ✓ send ······ full ······ ✓ send ✓ send ✓
//! receiver     recv ▒ recv ▒ recv ▒ flush ██████████████████ recv ▒ recv ▒
//! ```
//! A channel records how long its senders have waited, but not in which await. So it must be the
//! only one whose senders waited for about as long as calls did at that await.
//!
//! Calls may also wait for an answer, while the task that gives it handles another message:
//! ```text
//! callers      send(Get, reply) ✓ answer ············ slow ············ ✓
//! receiver     recv ▒ recv ▒ recv ████████████ compact ████████████ recv ▒
//! ```
//! Which task answers is not on record once it has. So it must be the only receiver that got as
//! many messages as calls waited there, and that is away for that long each time.

use std::fmt::Write as _;

use super::backlog::{emptied_by, ends};
use super::channels::{channel_words, receive};
use super::events::{is_channel_read, is_channel_send};
use super::facts::Facts;
use super::finding::MAX_IDS;
use super::unlisted_lock::is_slot;
use crate::model::{Holding, Resource, ResourceId, ResourceKind, Role};
use crate::ordered::OrderedMap;
use crate::units::time;

/// The least mean time of the receiver in another await that explains the waits, in ns.
const MIN_OVER_NS: u64 = 50_000_000;

/// The channel that calls at an await wait for.
#[derive(Debug)]
pub(super) struct AwaitedChannel {
    /// The channel, who empties it, and where that takes long.
    pub(super) words: String,
    pub(super) ids: Vec<ResourceId>,
}

/// The bounded channels of one place.
#[derive(Debug)]
struct Channels<'a> {
    first: &'a Resource,
    ids: Vec<ResourceId>,
    waited_ns: u64,
}

pub(super) fn awaited_channel(facts: &Facts<'_>, node: usize) -> Option<AwaitedChannel> {
    facts.site(node).filter(|site| is_channel_send(&site.name))?;
    let mut places = OrderedMap::new();
    for it in &facts.snapshot.resources {
        let is_queue = matches!(it.kind, ResourceKind::Mpsc | ResourceKind::Mpmc);
        if is_queue && it.capacity.is_some() && it.usage.waited > 0 {
            let own = it.created.is_none().then_some(it.id);
            let channels = places.entry((it.kind, it.created.as_ref(), own)).or_insert(Channels {
                first: it,
                ids: Vec::new(),
                waited_ns: 0,
            });
            channels.ids.push(it.id);
            channels.waited_ns = channels.waited_ns.saturating_add(it.usage.waited_ns);
        }
    }
    let idle_ns = facts.sum(facts.node(node).site, |node| node.idle_ns);
    let is_as_long = |it: &Channels<'_>| it.waited_ns.abs_diff(idle_ns) <= idle_ns / 5;
    let mut alike = places.into_values().filter(is_as_long);
    let (channels, None) = (alike.next()?, alike.next()) else { return None };
    Some(channels.awaited(facts))
}

/// Returns whether an await sends into a channel: one on record, or one whose sender has the usual
/// name.
pub(super) fn is_sent_into(facts: &Facts<'_>, node: usize) -> bool {
    let Some(site) = facts.site(node).filter(|site| is_channel_send(&site.name)) else { return false };
    let lines = site.place.line..=site.end_line.max(site.place.line);
    let is_here = |end: &Holding| {
        end.place.as_ref().is_some_and(|at| at.file == site.place.file && lines.contains(&at.line))
    };
    let is_queue = |it: &&Resource| matches!(it.kind, ResourceKind::Mpsc | ResourceKind::Mpmc);
    let mut channels = facts.snapshot.resources.iter().filter(is_queue);
    is_slot(&site.name)
        || channels.any(|it| ends(it, Role::Sends).any(is_here))
        || awaited_channel(facts, node).is_some()
}

/// The channel whose receiver answers the calls that wait at a future without a name, if it takes
/// `slow_ns` or more now and then.
pub(super) fn answering_channel(facts: &Facts<'_>, node: usize, slow_ns: u64) -> Option<AwaitedChannel> {
    facts.site(node).filter(|site| !site.name.contains('('))?;
    let mut places = OrderedMap::new();
    // By the place of the receiver: there may be a channel per connection.
    let mut longest = OrderedMap::<_, Option<u64>>::new();
    for it in &facts.snapshot.resources {
        let end = ends(it, Role::Receives).max_by_key(|end| end.uses);
        let Some(end) = end.filter(|_| matches!(it.kind, ResourceKind::Mpsc | ResourceKind::Mpmc)) else {
            continue;
        };
        let longest_ns = *longest.entry(end.place.as_ref()).or_insert_with(|| {
            let other = receive(facts, end).and_then(|receive| longest_other(facts, receive));
            other.map(|(_, ns)| ns)
        });
        if longest_ns.is_some_and(|ns| ns >= slow_ns) {
            let own = it.created.is_none().then_some(it.id);
            let empty = (Channels { first: it, ids: Vec::new(), waited_ns: 0 }, 0_u64);
            let (channels, received) = places.entry((it.kind, it.created.as_ref(), own)).or_insert(empty);
            channels.ids.push(it.id);
            *received = received.saturating_add(end.uses);
        }
    }
    let calls = facts.sum(facts.node(node).site, |node| node.completed);
    let mut asked = places.into_values().filter(|(_, received)| *received >= calls);
    let ((channels, _), None) = (asked.next()?, asked.next()) else { return None };
    Some(channels.awaited(facts))
}

impl Channels<'_> {
    fn awaited(&self, facts: &Facts<'_>) -> AwaitedChannel {
        let received = ends(self.first, Role::Receives).filter(|end| end.uses > 0);
        let received = received.max_by_key(|end| end.uses);
        let mut words =
            format!("{}; {}", channel_words(self.first, self.ids.len()), emptied_by(facts, received));
        if let Some((over, ns)) = received.and_then(|end| longest_other(facts, receive(facts, end)?)) {
            // Writing to a string cannot fail.
            let over = facts.name_and_line(facts.node(over).site);
            let _ = write!(words, ", which takes {} each time at {over}", time(ns));
        }
        let ids = self.ids.iter().copied().take(MAX_IDS).collect();
        AwaitedChannel { words, ids }
    }
}

/// The await of the receiver, besides those for messages, that takes longest on average, and that
/// time in ns.
fn longest_other(facts: &Facts<'_>, receive: usize) -> Option<(usize, u64)> {
    let function = facts.function(receive)?;
    let awaits = facts.tree.children[function].iter().copied();
    let others = awaits.filter(|&child| {
        facts.is_await(child) && !facts.site(child).is_some_and(|site| is_channel_read(&site.name))
    });
    let longest = others.max_by_key(|&node| (mean_ns(facts, node), std::cmp::Reverse(node)))?;
    Some((longest, mean_ns(facts, longest))).filter(|&(_, ns)| ns >= MIN_OVER_NS)
}

/// How long the calls at an await took on average, in ns: without the one that has not ended, if
/// others have.
fn mean_ns(facts: &Facts<'_>, node: usize) -> u64 {
    let own = facts.node(node);
    let open_ns = facts.oldest_ns(own.site);
    match own.calls.saturating_sub(own.pending) {
        0 => own.idle_ns / own.calls.max(1),
        ended => own.idle_ns.saturating_sub(open_ns) / ended,
    }
}
