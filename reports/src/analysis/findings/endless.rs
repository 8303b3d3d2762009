//! Awaits that end for no call, such as `std::future::pending()`, or a wait after its notification.

use super::events::{is_pending, is_timer};
use super::facts::Facts;
use super::growing::goes_on;
use super::nested;
use super::waiting::FAR_NS;
use crate::model::{ResourceKind, Site, SiteIndex, Snapshot, Wait};

/// At an await that no call has gone on from: how many calls must wait, and the oldest of them for
/// how long, in ns.
const MIN_ENDLESS: usize = 5;
const ENDLESS_NS: u64 = 5_000_000_000;

/// Returns whether an await is for a future that is never ready, or a timer that is not due soon:
/// one whose wait [is far from due](is_far), or whose text says so.
pub(super) fn never_ends(site: &Site, is_far: bool) -> bool {
    is_pending(&site.name) || is_timer(&site.name) && (is_far || says_far(&site.name))
}

/// Returns whether a wait is for a timer that is not due soon.
pub(super) fn is_far(wait: &Wait) -> bool {
    wait.due_ns >= Some(FAR_NS)
}

/// Returns whether calls of these ages, all of them over `least_ns`, wait for so long, and come so
/// evenly, that their await ends for none.
pub(super) fn end_for_none(ages: impl Iterator<Item = u64> + Clone, least_ns: u64) -> bool {
    let oldest_ns = ages.clone().max().unwrap_or(0);
    ages.clone().count() >= MIN_ENDLESS
        && oldest_ns >= ENDLESS_NS
        && goes_on(ages.map(|ns| ns.saturating_sub(least_ns)), oldest_ns.saturating_sub(least_ns))
}

/// Returns whether a wait is for a notification that came before it: the call has made a `Notify`
/// for it, which nothing has waited for successfully, and `notify_waiters` was called too early.
pub(super) fn is_missed(snapshot: &Snapshot, wait: &Wait) -> bool {
    let notify = wait.resource.and_then(|id| snapshot.resource(id));
    notify.filter(|it| it.kind == ResourceKind::Notify).is_some_and(|it| {
        let is_own = it.created_by.is_some() && it.created_by == wait.task;
        let last = it.last_notified.as_ref();
        is_own
            && it.usage.waited == 0
            && last.is_some_and(|it| it.is_broadcast && it.ago_ns >= Some(wait.since_ns))
    })
}

/// What to do about an await that does not end, of which one wait is at that position. `is_missed`:
/// its notification came before it.
pub(super) fn next_step(
    facts: &Facts<'_>,
    awaited: SiteIndex,
    waiting: Option<usize>,
    is_missed: bool,
) -> String {
    if let Some(nested) = waiting.and_then(|index| nested::next_step(facts, index)) {
        return nested;
    }
    if is_missed {
        return "`notify_waiters` was called before the wait began: create `notified()` before the work starts, or call \
                `notify_one`, which stores a permit"
            .to_owned();
    }
    format!("find out why {} does not end, and give it a time limit", facts.name(awaited))
}

/// Returns whether the text of a timer names a far time, such as `from_secs(60 * 60)`.
fn says_far(text: &str) -> bool {
    let seconds = text.split_once("from_secs(").and_then(|(_, rest)| rest.split_once(')'));
    let parts = seconds.map_or("", |(seconds, _)| seconds).split('*');
    let mut seconds = parts.map(|part| part.trim().replace('_', "").parse::<i64>().ok());
    seconds.try_fold(1_000_000_000_i64, |ns, part| ns.checked_mul(part?)) >= Some(FAR_NS)
}
