//! Awaits that end for no call, such as `std::future::pending()`.

use super::events::{is_pending, is_timer};
use super::growing::goes_on;
use super::waiting::FAR_NS;
use crate::model::{Site, Wait};

/// At an await that no call has gone on from: how many calls must wait, and the oldest of them for
/// how long, in ns.
const MIN_ENDLESS: usize = 5;
const ENDLESS_NS: u64 = 5_000_000_000;

/// Returns whether an await is for a future that is never ready, or a timer that is not due soon.
pub(super) fn never_ends(site: &Site, waits: &[&Wait]) -> bool {
    let is_far = || waits.iter().any(|wait| wait.due_ns >= Some(FAR_NS));
    is_pending(&site.name) || is_timer(&site.name) && (is_far() || says_far(&site.name))
}

/// Returns whether calls of these ages, all of them over `least_ns`, wait for so long, and come so
/// evenly, that their await ends for none.
pub(super) fn end_for_none(ages: impl Iterator<Item = u64> + Clone, least_ns: u64) -> bool {
    let oldest_ns = ages.clone().max().unwrap_or(0);
    ages.clone().count() >= MIN_ENDLESS
        && oldest_ns >= ENDLESS_NS
        && goes_on(ages.map(|ns| ns.saturating_sub(least_ns)), oldest_ns.saturating_sub(least_ns))
}

/// Returns whether the text of a timer names a far time, such as `from_secs(60 * 60)`.
fn says_far(text: &str) -> bool {
    let seconds = text.split_once("from_secs(").and_then(|(_, rest)| rest.split_once(')'));
    let parts = seconds.map_or("", |(seconds, _)| seconds).split('*');
    let mut seconds = parts.map(|part| part.trim().replace('_', "").parse::<i64>().ok());
    seconds.try_fold(1_000_000_000_i64, |ns, part| ns.checked_mul(part?)) >= Some(FAR_NS)
}
