//! The awaits that led to the call that acquired a holding.

use diagnose_reports::model::Place;

use super::capture_context::CaptureContext;
use crate::site::SiteKind;
use crate::waits::HoldingCopy;

/// Maximum number of listed callers: a recursive function has many more.
const MAX_CALLERS: usize = 16;

/// Returns the awaits that led to the acquiring call, innermost first, without the call's own.
pub(super) fn callers(copy: &HoldingCopy, capture: &CaptureContext<'_>) -> Vec<Place> {
    let nodes = std::iter::successors(copy.node, |node| node.parent);
    let awaits =
        nodes.flat_map(|node| [Some(node.site).filter(|site| site.kind == SiteKind::Await), node.via]);
    let places = awaits.flatten().map(|site| capture.texts.place_of_site(site));
    let own = copy.at.map(|at| capture.texts.place(at));
    let is_own =
        |place: &Place| own.as_ref().is_some_and(|own| own.file == place.file && own.line == place.line);
    let mut places: Vec<Place> = places.skip_while(is_own).take(MAX_CALLERS).collect();
    places.dedup_by(|one, other| one.file == other.file && one.line == other.line);
    places
}
