//! A frame: the recorder's part of one call of an annotated synchronous function.

use std::marker::PhantomData;

use super::local::{self, TreePosition};
use crate::clock;
use crate::context;
use crate::label::Label;
use crate::site::Site;
use crate::switch;
use crate::sync::add;
use crate::tree::{Node, NodeKey, PassingChain};

/// A running call: busy from its creation to its drop, in one tree with the futures around it.
#[derive(Debug)]
#[must_use = "the call is timed until the frame is dropped"]
pub struct Frame {
    /// `None` if the call is not recorded.
    node: Option<&'static Node>,
    /// The node that was running before; `None` if the thread's tree is lent for this call only.
    previous: Option<&'static Node>,
    /// The event that the drop records.
    ends: FrameEnd,
    /// Whether the thread was already unwinding when a destructor called the function.
    unwinding: bool,
    /// A frame belongs to its thread.
    not_send: PhantomData<*const ()>,
}

/// The event that the end of a frame records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameEnd {
    /// The end of a call.
    Call,
    /// The end of a poll of a hand-written future or stream, which keeps no state between polls.
    Poll,
    /// The end of a poll that ends the future, or yields an item of the stream.
    Ready,
}

impl Frame {
    /// Records that the function is entered.
    #[inline]
    pub fn enter(site: &'static Site, label: Label) -> Self {
        let mut frame = Self::new(FrameEnd::Call);
        let label = label.without_text();
        if site.is_on() {
            frame.begin(site, label);
        }
        if let Some(node) = frame.node {
            add(&node.calls, 1);
        }
        frame
    }

    /// Records that `poll` of a hand-written future, or `poll_next` of a stream, is entered. A call
    /// is counted once the poll is [`ready`](Frame::ready).
    #[inline]
    pub fn enter_poll(site: &'static Site) -> Self {
        let mut frame = Self::new(FrameEnd::Poll);
        if site.is_on() {
            frame.begin(site, Label::NONE);
        }
        frame
    }

    /// Records that the poll completes the future, or yields an item of the stream.
    #[inline]
    pub fn ready(&mut self) {
        self.ends = FrameEnd::Ready;
    }

    #[inline]
    fn new(ends: FrameEnd) -> Self {
        let unwinding = std::thread::panicking();
        Self { node: None, previous: None, ends, unwinding, not_send: PhantomData }
    }

    #[inline]
    fn begin(&mut self, site: &'static Site, label: Label) {
        let Some(current) = local::current() else { return self.begin_slow(site, label) };
        if switch::tasks_only() {
            return self.begin_slow(site, label);
        }
        let Some(node) = current.child(NodeKey { site, label, via: None }) else {
            return self.begin_slow(site, label);
        };
        self.run(node, Some(current));
    }

    /// Makes the call the running one.
    #[inline]
    fn run(&mut self, node: &'static Node, previous: Option<&'static Node>) {
        self.node = Some(node);
        self.previous = previous;
        let now = clock::now();
        node.times.enter(now, None);
        local::set_current(Some(node));
        context::note_reading(now, false);
    }

    #[cold]
    fn begin_slow(&mut self, site: &'static Site, label: Label) {
        let TreePosition { tree, current, lent } = local::place();
        if switch::tasks_only() && !current.is_root() && !site.is_in_place() {
            return;
        }
        // `None` only below another node, so the tree is not a lent one.
        if let Some(node) = tree.child(current, NodeKey { site, label, via: None }, clock::now) {
            self.run(node, (!lent).then_some(current));
        }
    }
}

impl Drop for Frame {
    #[inline]
    fn drop(&mut self) {
        if let Some(node) = self.node {
            let panicked = !self.unwinding && std::thread::panicking();
            let now = clock::now();
            let length = node.leave(now, None, PassingChain::NONE);
            match self.ends {
                _ if panicked => {
                    // A call of a hand-written future is counted at its end.
                    add(&node.calls, u64::from(!matches!(self.ends, FrameEnd::Call)));
                    add(&node.panicked, 1);
                }
                FrameEnd::Call => node.complete(length),
                FrameEnd::Poll => {}
                FrameEnd::Ready => {
                    add(&node.calls, 1);
                    add(&node.completed, 1);
                }
            }
            local::set_current(self.previous);
            context::note_reading(now, self.previous.is_none_or(Node::is_root));
            if self.previous.is_none() {
                local::end_loan();
            }
        }
    }
}
