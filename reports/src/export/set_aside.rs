//! Finds the futures that their tasks have stopped polling.
//!
//! ```text
//! select!     first ~~~~◇┈┈┈┈┈┈┈┈┈   awaited by its own body before: set aside
//! buffered    part  ~~~~◇┈┈┈ woken   the body awaits a collection of futures, and does not poll it
//! buffered    part  ~~~~~~~~~~~~~~   not woken: a collection polls only futures that were woken
//! ```
//! `FuturesUnordered`, and combinators based on it such as `buffered` and `join_all`, poll a future
//! only after a wake. So an unpolled future in a collection is normal, unless the record of its
//! wait shows a wake. A wait for a socket has no record.

use crate::model::{SiteKind, Snapshot, Span, SpanId, SpanIndex};
use crate::ordered::OrderedSet;

/// The futures that their tasks have stopped polling, by index of the span.
pub(super) fn set_aside(snapshot: &Snapshot) -> Vec<bool> {
    let spans = &snapshot.spans;
    let waits = snapshot.waits.iter().filter(|wait| wait.woken_ns.is_some() || wait.is_granted);
    let woken: OrderedSet<SpanId> = waits.filter_map(|wait| wait.span).collect();
    let parent = |number: usize, span: &Span| span.parent.map(SpanIndex::get).filter(|&it| it < number);
    // Children come after their parents.
    let mut is_woken: Vec<bool> = spans.iter().map(|span| woken.contains(&span.id)).collect();
    for (number, span) in spans.iter().enumerate().rev().filter(|(_, span)| span.is_set_aside) {
        if let Some(above) = parent(number, span).filter(|_| is_woken[number]) {
            is_woken[above] = true;
        }
    }
    let mut are_aside = vec![false; spans.len()];
    for (number, span) in spans.iter().enumerate().filter(|(_, span)| span.is_set_aside) {
        let above = parent(number, span).filter(|&above| spans[above].is_set_aside);
        // Nothing below a future that was set aside is polled.
        let is_below = above.is_some_and(|above| are_aside[above]);
        let is_awaited = above.is_none() && !is_collected(snapshot, span);
        are_aside[number] = is_below || is_awaited || is_woken[number];
    }
    are_aside
}

/// Returns whether the future is polled indirectly, such as by a collection: no await polls the
/// future itself.
fn is_collected(snapshot: &Snapshot, span: &Span) -> bool {
    let is_future = snapshot.site(span.site).is_some_and(|site| site.kind != SiteKind::Await);
    span.parent.is_some() && span.at.is_none() && is_future
}
