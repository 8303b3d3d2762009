//! The rule `lagged`: receivers of a broadcast channel are too slow, and miss messages.

use super::facts::{Facts, line, per_mille};
use super::finding::{Finding, Severity};
use super::rule::Rule;
use crate::clean::printable;
use crate::model::{Resource, Role};
use crate::units::count;

/// The fewest missed messages.
const MIN_MISSED: u64 = 100;
/// Their least share, in thousandths of what the receivers that are alive should have received: of
/// a thousand clients, some are slow.
const MIN_SHARE: u64 = 10;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Finding> {
    let has_lagged = |channel: &&Resource| {
        let due = channel.usage.acquisitions.saturating_mul(receivers(channel).max(1));
        channel.usage.missed >= MIN_MISSED
            && per_mille(channel.usage.missed, due) >= MIN_SHARE
            && are_of_live_receivers(channel, due)
    };
    facts.snapshot.resources.iter().filter(has_lagged).map(of_channel).collect()
}

/// Returns whether the receivers that are alive have been there for most of the `due` messages, and
/// can have missed all that were missed. Otherwise, most were missed by others. If one has received
/// more than was sent, it had most of that before a reset, and the receivers were there before it.
fn are_of_live_receivers(channel: &Resource, due: u64) -> bool {
    let ends = || channel.holdings.iter().filter(|end| end.role == Role::Receives);
    let received = ends().map(|end| end.uses).fold(0, u64::saturating_add);
    let seen = received.saturating_add(channel.usage.missed);
    let is_reset = ends().any(|end| end.uses > channel.usage.acquisitions);
    seen >= due / 2 && (is_reset || seen <= due.saturating_add(due / 10))
}

/// The number of receivers that are alive.
fn receivers(channel: &Resource) -> u64 {
    channel.holdings.iter().filter(|end| end.role == Role::Receives).count() as u64
}

fn of_channel(channel: &Resource) -> Finding {
    let created = channel.created.as_ref().map(|at| format!(" created at {}", line(at))).unwrap_or_default();
    let name = channel.name.as_ref().map(|name| format!(" `{}`", printable(name))).unwrap_or_default();
    let at = channel.usage.missed_at.as_ref();
    let most = at.map(|at| format!(", most of them at {}", line(at))).unwrap_or_default();
    let to = match receivers(channel) {
        0 | 1 => String::new(),
        many => format!(" to each of {} receivers", count(many)),
    };
    let sentence = format!(
        "receivers of the broadcast channel{name}{created} missed {} messages{most}; {} were sent{to}",
        count(channel.usage.missed),
        count(channel.usage.acquisitions),
    );
    let next = "receive faster, give the channel a larger capacity, or give each consumer that needs all \
                messages an `mpsc` channel";
    let mut finding = Finding::new(Rule::Lagged, Severity::Risk, &sentence, next);
    finding.place = at.or(channel.created.as_ref()).cloned();
    finding.evidence.resources.push(channel.id);
    finding
}
