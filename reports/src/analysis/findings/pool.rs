//! A pool that is a channel: requests receive something under a lock, and send it back later.
//!
//! ```text
//! request   lock ·· wait ··─▶ recv ─▶ query ████ send back
//! request   lock ·········· wait ···········─▶ recv ─▶ query ████ send back
//! ```
//! Workers that share a receiver also hold a lock until the next message comes, as they should.
//! Their messages come from others, while requests send back the items that they receive.

use super::backlog::ends;
use super::channels::{await_at, channel_words};
use super::delayed::are_requests;
use super::facts::{Facts, line};
use crate::model::{
    Holding, NodeIndex, Place, Resource, ResourceKind, Role, SiteIndex, UsagePlace, WaitMode,
};
use crate::ordered::OrderedSet;

/// The channel.
#[derive(Debug)]
pub(super) struct ResourcePool {
    /// The clause about it in a sentence about the lock.
    pub(super) words: String,
    /// The next step.
    pub(super) next: String,
}

impl ResourcePool {
    /// The pool that is received from at the await `over`, while the lock is held; `None` if the
    /// waiters are not requests, or if others send into the channel.
    pub(super) fn received_from(facts: &Facts<'_>, over: usize, waiters: &[UsagePlace]) -> Option<Self> {
        let row = waiters.iter().max_by_key(|row| row.total_ns)?;
        let waiter = row.node.map(NodeIndex::get).filter(|&node| node < facts.tree.nodes.len())?;
        if !are_requests(facts, waiters) {
            return None;
        }
        let channel = channel_at(facts, over)?;
        let root = facts.node(facts.root(waiter)).site;
        let senders = ends(channel, Role::Sends).filter(|end| end.uses > 0);
        let sender = senders.filter(|end| is_under(facts, end, root)).max_by_key(|end| end.uses)?;
        let sent_at = sender.place.as_ref().and_then(|place| await_at(facts, place));
        let node = sent_at.and_then(|site| facts.nodes_of_site(site).first()).copied();
        let function = node.and_then(|node| facts.function(node));
        let by = function
            .map_or_else(|| "such a call".to_owned(), |function| facts.name(facts.node(function).site));
        let at = sender.place.as_ref().map_or_else(String::new, |place| format!(" at {}", line(place)));
        Some(Self {
            words: format!(
                "; {} is a pool, and empty: {by} sends back into it{at}",
                channel_words(channel, 1)
            ),
            next: "add items to the pool, or hold each for a shorter time".to_owned(),
        })
    }
}

/// The channel from which a future receives at this await now. `lock().await.recv().await` begins
/// where its lock does, so the start of the await identifies it.
fn channel_at<'a>(facts: &Facts<'a>, over: usize) -> Option<&'a Resource> {
    let snapshot = facts.snapshot;
    let begin = facts.place(facts.node(over).site)?;
    // Many tasks wait in few lines.
    let mut elsewhere: OrderedSet<&Place> = OrderedSet::new();
    let mut begins_there = |at: &'a Place| {
        let is_it = || await_at(facts, at).and_then(|site| facts.place(site)).as_ref() == Some(&begin);
        !elsewhere.contains(&at) && (is_it() || !elsewhere.insert(at))
    };
    let mut waits = snapshot.waits.iter().filter(|wait| wait.mode == WaitMode::Receive);
    let wait = waits.find(|wait| wait.place.as_ref().is_some_and(&mut begins_there))?;
    let channel = wait.resource.and_then(|id| snapshot.resource(id));
    channel.filter(|it| matches!(it.kind, ResourceKind::Mpsc | ResourceKind::Mpmc))
}

/// Returns whether it was last used in a task with this root.
fn is_under(facts: &Facts<'_>, end: &Holding, root: SiteIndex) -> bool {
    let sent_at = end.place.as_ref().and_then(|place| await_at(facts, place));
    let nodes = sent_at.map_or(&[][..], |site| facts.nodes_of_site(site));
    let task = end.task.and_then(|id| facts.task(id));
    task.is_some_and(|task| facts.root_site(task) == root)
        || nodes.iter().any(|&node| facts.node(facts.root(node)).site == root)
}
