//! One site per call site of `tracing`.

use std::collections::HashMap;
use std::ptr;

use tracing_core::Metadata;

use crate::site::Site;
use crate::sync::RwLock;

/// Number of call sites past which no more are recorded. A program has as many as its source,
/// unless it makes them at run time.
const MAX_SITES: usize = 16_384;

/// Sites by the address of their metadata, which lives forever.
static SITES: RwLock<Option<HashMap<usize, &'static Site>>> = RwLock::new(None);

/// Returns the site of a span, or `None` if there are too many.
pub(super) fn site_of(metadata: &'static Metadata<'static>) -> Option<&'static Site> {
    let address = ptr::from_ref(metadata).addr();
    let known = SITES.read().as_ref().and_then(|sites| sites.get(&address).copied());
    known.or_else(|| {
        let mut sites = SITES.write();
        let sites = sites.get_or_insert_default();
        if sites.len() >= MAX_SITES {
            return None;
        }
        Some(*sites.entry(address).or_insert_with(|| Box::leak(Box::new(make(metadata)))))
    })
}

fn make(metadata: &'static Metadata<'static>) -> Site {
    let place = metadata.file().zip(metadata.line());
    let place: Option<&'static (&'static str, u32)> = place.map(|place| &*Box::leak(Box::new(place)));
    let module = metadata.module_path().unwrap_or_else(|| metadata.target());
    Site::traced(metadata.name(), module, place)
}
