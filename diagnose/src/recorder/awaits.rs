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

use super::arm::running_body;
use super::await_state::AwaitState;
use super::local::{self, DIRECT};
use crate::clock;
use crate::context;
use crate::site::Site;
use crate::switch;
use crate::sync::add;
use crate::tree::{Node, NodeKey, PassingChain};

/// The body comes to an await, of a span or of something else.
pub(crate) fn begin_await(site: &'static Site, is_span: bool) {
    // What is recorded of the body is recorded of its awaits.
    let Some(body) = running_body(site) else { return };
    if is_span {
        local::set_awaiting(None, AwaitState::SPAN);
        local::hand_down(Some(site), DIRECT);
    } else {
        begin(site, body);
    }
}

/// The body comes to a macro that cannot be read.
pub(crate) fn begin_macro(site: &'static Site, depth: u8) {
    begin_await(site, false);
    let (node, state) = local::awaiting();
    if node.is_some_and(|node| ptr::eq(node.site, site)) {
        local::set_awaiting(node, state.with_depth(depth));
    }
}

/// A span is about to be awaited in a block that a macro was given. If it is the body that awaits it, it goes straight there
/// whenever it goes on.
pub(crate) fn begin_through(depth: u8) {
    let (node, state) = local::awaiting();
    if node.is_some() && state.depth() == depth {
        local::set_awaiting(node, state.with_span(true));
        local::hand_down(None, DIRECT);
    }
}

/// It is ready.
pub(crate) fn end_through() {
    let (node, state) = local::awaiting();
    if node.is_some() && state.is_span() {
        local::set_awaiting(node, state.with_span(false));
    }
}

fn begin(site: &'static Site, body: &'static Node) {
    let Some(node) = body.child(NodeKey::plain(site)).or_else(|| append(site, body)) else { return };
    if switch::tasks_only() {
        return;
    }
    add(&node.calls, 1);
    let now = clock::now();
    context::note_reading(now, false);
    node.times.enter(now, None);
    local::set_current(Some(node));
    let base = local::pending_children();
    local::set_awaiting(Some(node), AwaitState::new(base));
}

#[cold]
fn append(site: &'static Site, body: &'static Node) -> Option<&'static Node> {
    // The body is running, so there is a tree, and it is not a lent one.
    let node = if switch::tasks_only() {
        None
    } else {
        local::place().tree.child(body, NodeKey::plain(site), clock::now)
    };
    // What covers everything below is never pending, so nobody can go on in it.
    node.filter(|node| !node.is_other())
}

/// What the body of `owner` has awaited is ready.
pub(crate) fn end_await(owner: &'static Site) {
    let (node, state) = local::awaiting();
    let Some(node) = node else {
        if state.is_span() {
            local::set_awaiting(None, AwaitState::NONE);
        }
        return;
    };
    if node.site.owner.is_some_and(|site| ptr::eq(site, owner)) {
        end(node, state.waited());
    }
}

fn end(node: &'static Node, waited: bool) {
    let now = clock::now();
    context::note_reading(now, false);
    node.leave(now, None, PassingChain::NONE);
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
