//! Futures that were made and not polled yet, where they are listed from that moment on.
//!
//! Their slots are kept here and not in their spans: a span is made, polled and over in registers, which it would not be if
//! it could have had a slot from its beginning. A span is found again by what it carries.

use std::collections::BTreeMap;
use std::ptr;

use super::live_slot::SlotRef;
use crate::label::Label;
use crate::site::Site;
use crate::sync::Mutex;
use crate::tree::Node;

/// Site and node that made it, both by address, the tick at which it did, and its label. Those of one key are alike.
type UnpolledKey = (usize, usize, u64, Label);

/// What was made.
type Unpolled = (&'static Site, Label);

static UNPOLLED: Mutex<BTreeMap<UnpolledKey, Vec<&'static SlotRef>>> = Mutex::new(BTreeMap::new());

fn key((site, label): Unpolled, maker: Option<&'static Node>, made: u64) -> UnpolledKey {
    (ptr::from_ref(site).addr(), maker.map_or(0, |node| ptr::from_ref(node).addr()), made, label)
}

/// A span of that site was made there and then, and has that slot.
pub(crate) fn keep(what: Unpolled, maker: Option<&'static Node>, made: u64, anchor: &'static SlotRef) {
    UNPOLLED.lock().entry(key(what, maker, made)).or_default().push(anchor);
}

/// The slot of one, which is polled or dropped now. `None` if it was not listed.
pub(crate) fn take(what: Unpolled, maker: Option<&'static Node>, made: u64) -> Option<&'static SlotRef> {
    let key = key(what, maker, made);
    let mut unpolled = UNPOLLED.lock();
    let alike = unpolled.get_mut(&key)?;
    let anchor = alike.pop();
    if alike.is_empty() {
        unpolled.remove(&key);
    }
    anchor
}
