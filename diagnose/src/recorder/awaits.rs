//! The awaits of a body: begun and ended by the body itself, one after the other.
//!
//! ```text
//! body    ├──┬ at ────────┤┈┈┈┈┈┈┈┈┈├──────────── ended ┬──┤
//! await      ├────────────┤┈┈┈┈┈┈┈┈┈├──────────────────┤
//! ```
//! An await holds no state: the body's span knows where the body has stopped. A poll of the body
//! resumes directly at its await and stops there if it is pending, so both share their clock
//! readings. The clock is read for an await only where it begins or ends in the middle of a poll.
//!
//! The await of a span has no records of its own; it only names the await that polls the span.

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

/// Records that the body reaches an await, of a span or another future.
pub(crate) fn begin_await(site: &'static Site, is_span: bool) {
    // The awaits of a body are recorded exactly if the body is.
    let Some(body) = running_body(site) else { return };
    if is_span {
        local::set_awaiting(None, AwaitState::SPAN);
        local::hand_down(Some(site), DIRECT);
    } else {
        begin(site, body);
    }
}

/// Records that the body reaches a macro that the attribute cannot parse.
pub(crate) fn begin_macro(site: &'static Site, depth: u8) {
    begin_await(site, false);
    let (node, state) = local::awaiting();
    if node.is_some_and(|node| ptr::eq(node.site, site)) {
        local::set_awaiting(node, state.with_depth(depth));
    }
}

/// Records that a span is about to be awaited in a block inside an unparsed macro. If the body
/// itself awaits it, later polls resume directly there.
pub(crate) fn begin_through(depth: u8) {
    let (node, state) = local::awaiting();
    if node.is_some() && state.depth() == depth {
        local::set_awaiting(node, state.with_span(true));
        local::hand_down(None, DIRECT);
    }
}

/// Records that the awaited span is ready.
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
    // An `[other]` node covers everything below it and is never pending, so no await resumes in it.
    node.filter(|node| !node.is_other())
}

/// Records that the future awaited by the body of `owner` is ready.
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

/// Ends the await of a macro that was left by `break`, `return` or `?`. Otherwise the await has
/// already ended, or its body is not running, as when the body is dropped.
pub(crate) fn leave_macro(site: &'static Site) {
    let is_open = local::awaiting().0.is_some_and(|node| ptr::eq(node.site, site));
    if let Some(owner) = site.owner.filter(|_| is_open) {
        end_await(owner);
    }
}
