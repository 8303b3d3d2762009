//! Futures created and not polled yet, if they are listed from their creation on.
//!
//! Their slots are stored here and not in their spans: a short-lived span could not stay in
//! registers if it might own a slot from its creation on. A span finds its slot again by its
//! fields.

use std::collections::BTreeMap;
use std::ptr;

use super::live_slot::LiveSlot;
use crate::label::Label;
use crate::site::Site;
use crate::sync::Mutex;
use crate::tree::Node;

/// Addresses of the site and the creating node, tick of the creation, and label. Futures with one
/// key are interchangeable.
type UnpolledKey = (usize, usize, u64, Label);

/// The site and label of a future.
type Unpolled = (&'static Site, Label);

static UNPOLLED: Mutex<BTreeMap<UnpolledKey, Vec<&'static LiveSlot>>> = Mutex::new(BTreeMap::new());

fn key((site, label): Unpolled, maker: Option<&'static Node>, made: u64) -> UnpolledKey {
    (ptr::from_ref(site).addr(), maker.map_or(0, |node| ptr::from_ref(node).addr()), made, label.in_tree())
}

/// Inserts the slot of an unpolled future.
pub(crate) fn insert(future: Unpolled, maker: Option<&'static Node>, made: u64, slot: &'static LiveSlot) {
    UNPOLLED.lock().entry(key(future, maker, made)).or_default().push(slot);
}

/// Takes the slot of a future that is polled or dropped now. Returns `None` if it was not listed.
pub(crate) fn take(future: Unpolled, maker: Option<&'static Node>, made: u64) -> Option<&'static LiveSlot> {
    let key = key(future, maker, made);
    let mut unpolled = UNPOLLED.lock();
    let alike = unpolled.get_mut(&key)?;
    let slot = alike.pop();
    if alike.is_empty() {
        unpolled.remove(&key);
    }
    slot
}
