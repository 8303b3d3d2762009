//! Futures that were made and not polled yet, where they are listed from that moment on.
//!
//! Their slots are kept here and not in their spans: a span is made, polled and over in registers, which it would not be if
//! it could have had a slot from its beginning. A span is found again by what it carries.

use std::collections::BTreeMap;
use std::ptr;

use super::slot::Anchor;
use crate::site::Site;
use crate::sync::Mutex;
use crate::tree::Node;

/// Site, node that made it, both by address, and the tick at which it did. Those of one key are alike.
type Key = (usize, usize, u64);

static UNPOLLED: Mutex<BTreeMap<Key, Vec<&'static Anchor>>> = Mutex::new(BTreeMap::new());

fn key(site: &'static Site, maker: Option<&'static Node>, made: u64) -> Key {
    (ptr::from_ref(site).addr(), maker.map_or(0, |node| ptr::from_ref(node).addr()), made)
}

/// A span of that site was made there and then, and has that slot.
pub(crate) fn keep(site: &'static Site, maker: Option<&'static Node>, made: u64, anchor: &'static Anchor) {
    UNPOLLED.lock().entry(key(site, maker, made)).or_default().push(anchor);
}

/// The slot of one, which is polled or dropped now. `None` if it was not listed.
pub(crate) fn take(site: &'static Site, maker: Option<&'static Node>, made: u64) -> Option<&'static Anchor> {
    let key = key(site, maker, made);
    let mut unpolled = UNPOLLED.lock();
    let alike = unpolled.get_mut(&key)?;
    let anchor = alike.pop();
    if alike.is_empty() {
        unpolled.remove(&key);
    }
    anchor
}
