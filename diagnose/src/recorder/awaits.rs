//! The awaits of a body: begun and ended by the body itself, one after the other.
//!
//! ```text
//! body    ├──┬ at ────────┤┈┈┈┈┈┈┈┈┈├──────────── ended ┬──┤
//! await      ├────────────┤┈┈┈┈┈┈┈┈┈├──────────────────┤
//! ```
//! An await carries nothing: where the body has stopped is known to the body's span. A poll of the body goes on at its
//! await at once, and stops there when it is pending, so the two share the readings of the clock. Only where an await
//! begins or ends in the middle of a poll is the clock read.
//!
//! The await of a span has no records of its own; it only says by which await that span is polled.

use std::ptr;

use super::local::{self, AwaitState};
use super::point::running_body;
use crate::clock;
use crate::site::Site;
use crate::switch;
use crate::sync::add;
use crate::tree::{Key, Node};

/// The body comes to an await, of a span or of something else.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn begin_await(site: &'static Site, is_span: bool) {
    // What is recorded of the body is recorded of its awaits.
    let Some(body) = running_body(site) else { return };
    if is_span {
        local::set_awaiting(None, AwaitState { is_span: true, ..AwaitState::NONE });
        local::hand_down(site, body.times.entered());
    } else {
        begin(site, body);
    }
}

/// Not in each body, nor is [`end`]: a call costs little beside what is awaited here, and the copies cost every release
/// build.
#[inline(never)]
fn begin(site: &'static Site, body: &'static Node) {
    let Some(node) = body.child(Key::plain(site)).or_else(|| append(site, body)) else { return };
    if switch::tasks_only() {
        return;
    }
    add(&node.calls, 1);
    node.times.enter(clock::now(), None);
    local::set_current(Some(node));
    let base = local::pending_children();
    local::set_awaiting(Some(node), AwaitState { base, is_new: true, ..AwaitState::NONE });
}

#[cold]
fn append(site: &'static Site, body: &'static Node) -> Option<&'static Node> {
    // The body is running, so there is a tree, and it is not a lent one.
    let node = if switch::tasks_only() {
        None
    } else {
        local::place().tree.child(body, Key::plain(site), clock::now)
    };
    // What covers everything below is never pending, so nobody can go on in it.
    node.filter(|node| !node.is_other())
}

/// What the body of `owner` has awaited is ready.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn end_await(owner: &'static Site) {
    let (node, state) = local::awaiting();
    let Some(node) = node else {
        if state.is_span {
            local::set_awaiting(None, AwaitState::NONE);
        }
        return;
    };
    if node.site.owner.is_some_and(|site| ptr::eq(site, owner)) {
        end(node, state.waited);
    }
}

#[inline(never)]
fn end(node: &'static Node, waited: bool) {
    let ticks = node.times.leave(clock::now(), None);
    node.count_poll(ticks);
    add(&node.completed, 1);
    if waited {
        local::charge(node);
    }
    local::set_current(node.parent);
    local::set_awaiting(None, AwaitState::NONE);
}

/// A macro that cannot be read was left by a `break`, `return` or `?` of its own: its await ends there. Otherwise it has
/// ended, or its body is not the one that runs, as when that is dropped.
pub(crate) fn leave_macro(site: &'static Site) {
    let is_open = local::awaiting().0.is_some_and(|node| ptr::eq(node.site, site));
    if let Some(owner) = site.owner.filter(|_| is_open) {
        end_await(owner);
    }
}
