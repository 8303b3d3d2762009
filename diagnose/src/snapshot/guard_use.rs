//! What becomes of a guard, by what the macro saw in the body that has it.

use super::capture_context::CaptureContext;
use crate::site::{GuardUse, Site, SiteKind};
use crate::tree::Node;
use crate::waits::HoldingCopy;

/// What the code that has a guard does with it: the body that acquired it, or got it from an await
/// that is over, or from a body that has ended.
pub(super) fn of_holding(copy: &HoldingCopy, capture: &CaptureContext<'_>) -> GuardUse {
    let Some(node) = copy.node else { return GuardUse::Unknown };
    let own = node.site.guard_use;
    if copy.at.is_some_and(|at| node.site.contains(at)) && own != GuardUse::Unknown {
        return own;
    }
    match capture.confined.last_polled(copy.span) {
        // Acquired in an annotated body, but not by an await that the attribute saw.
        Some(_) if node.site.is_body() => GuardUse::Moves,
        // Acquired in code that an await called, and returned by that.
        Some(span) => {
            // The await of a macro with arms is not listed.
            let is_over = span.at.map_or(node.site.is_direct, |at| !std::ptr::eq(at, node.site));
            if is_over { may_take(own) } else { GuardUse::Unknown }
        }
        None if may_take(own) != GuardUse::Unknown => own,
        // Its body has ended, and returned it to its caller.
        None => {
            let body = if await_of(node).is_some() { node.parent } else { Some(node) };
            let caller = body.and_then(|body| body.via.or_else(|| body.parent.and_then(await_of)));
            caller.map_or(GuardUse::Unknown, |site| may_take(site.guard_use))
        }
    }
}

/// What a body does with a guard that it got from other code, which may have kept it.
fn may_take(of_body: GuardUse) -> GuardUse {
    if of_body == GuardUse::Stays { GuardUse::Unknown } else { of_body }
}

/// The await that a node stands for.
fn await_of(node: &Node) -> Option<&'static Site> {
    (node.site.kind == SiteKind::Await).then_some(node.site)
}
