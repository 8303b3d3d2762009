//! The receiver of a channel that is not on record.
//!
//! ```text
//! senders     rows.send(row).await ······ full ······ ✓          3,204 have ended
//! receiver    rows.recv().await ✓ █ store █ rows.recv().await ✓   3,196 have, without a wait
//! ```
//! Clients have a method `send` too. But only a full channel makes its senders wait until a
//! receiver, which never waits itself, has received as many messages as were sent.

use super::channels::starved_share;
use super::events::{is_channel_read, is_channel_send};
use super::facts::Facts;
use crate::analysis::uses::resource_uses;
use crate::model::{Role, Site, SiteIndex, SiteKind};

/// The greatest share of its time in which the receiver waits for messages, in thousandths.
const MAX_STARVED: u64 = 100;
/// The greatest part of the messages that may be in the channel.
const MAX_INSIDE: u64 = 10;

/// The await that receives what is sent at an await: the only one that receives as many messages,
/// if nothing else sends as many.
pub(super) fn receiver(facts: &Facts<'_>, send: SiteIndex) -> Option<usize> {
    let completed = |site: SiteIndex| facts.sum(site, |node| node.completed);
    let sent = completed(send);
    let are_as_many = |&site: &SiteIndex| completed(site).abs_diff(sent) <= sent / MAX_INSIDE;
    let awaits = |is: fn(&str) -> bool| {
        let sites = facts.snapshot.sites.iter().enumerate();
        let those = sites.filter(move |(_, site)| site.kind == SiteKind::Await && is(&site.name));
        those.map(|(index, _)| SiteIndex::new(index))
    };
    let mut senders = awaits(is_channel_send).filter(are_as_many);
    let mut receivers = awaits(is_channel_read).filter(are_as_many);
    let (Some(_), None) = (senders.next(), senders.next()) else { return None };
    let (Some(receive), None) = (receivers.next(), receivers.next()) else { return None };
    let nodes = facts.nodes_of_site(receive).iter().copied();
    let most = nodes.max_by_key(|&node| facts.node(node).calls)?;
    let is_recorded = facts.snapshot.site(receive).is_none_or(|site| is_recorded(facts, site));
    (!is_recorded && starved_share(facts, most) < MAX_STARVED).then_some(most)
}

/// Returns whether a channel on record is received from at an await.
fn is_recorded(facts: &Facts<'_>, site: &Site) -> bool {
    let lines = site.place.line..=site.end_line.max(site.place.line);
    let mut ends = facts.snapshot.resources.iter().flat_map(|it| &it.holdings);
    let is_there = |place: &crate::model::Place| place.file == site.place.file && lines.contains(&place.line);
    ends.any(|end| end.role == Role::Receives && end.place.as_ref().is_some_and(is_there))
        || resource_uses(facts.snapshot).any(|it| it.usage.waiters.iter().any(|row| is_there(&row.place)))
}
