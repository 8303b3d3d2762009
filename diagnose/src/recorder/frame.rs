//! A frame: the recorder's part of one call of an annotated synchronous function.

use std::marker::PhantomData;

use super::local;
use super::visit::Visit;
use crate::clock;
use crate::label::Label;
use crate::site::Site;
use crate::switch;
use crate::sync::add;
use crate::tree::{Key, Node};

/// A call that is running: busy from its making to its drop, in the same tree as the futures around it.
#[derive(Debug)]
#[must_use = "the call is timed until the frame is dropped"]
pub struct Frame {
    /// `None` if the call is not recorded.
    node: Option<&'static Node>,
    visit: Visit,
    /// What the end of the frame is the end of.
    ends: Ends,
    /// Whether the thread was unwinding already when the function was called, by a destructor.
    unwinding: bool,
    /// It belongs to its thread.
    not_send: PhantomData<*const ()>,
}

/// What ends with a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// The call.
    Call,
    /// A poll of a hand-written future or stream, of which nothing is known from one poll to the next.
    Poll,
    /// Such a poll, and with it the future, or one item of the stream.
    Ready,
}

impl Frame {
    /// The function is entered.
    #[inline]
    pub fn enter(site: &'static Site, label: Label) -> Self {
        let mut frame = Self::new(Ends::Call);
        if site.is_on() {
            frame.begin(site, label);
        }
        if let Some(node) = frame.node {
            add(&node.calls, 1);
        }
        frame
    }

    /// `poll` of a hand-written future is entered, or `poll_next` of a stream: a call is counted when one is
    /// [`ready`](Frame::ready).
    #[inline]
    pub fn enter_poll(site: &'static Site) -> Self {
        let mut frame = Self::new(Ends::Poll);
        if site.is_on() {
            frame.begin(site, Label::NONE);
        }
        frame
    }

    /// The poll has brought the future to its end, or an item of the stream.
    #[inline]
    pub fn ready(&mut self) {
        self.ends = Ends::Ready;
    }

    #[inline]
    fn new(ends: Ends) -> Self {
        let unwinding = std::thread::panicking();
        Self { node: None, visit: Visit::new(), ends, unwinding, not_send: PhantomData }
    }

    #[inline]
    fn begin(&mut self, site: &'static Site, label: Label) {
        let Some(current) = local::current() else { return self.begin_slow(site, label) };
        if switch::tasks_only() {
            return self.begin_slow(site, label);
        }
        let Some(node) = current.child(Key { site, label, via: None }) else {
            return self.begin_slow(site, label);
        };
        self.node = Some(node);
        self.visit.begin(node, current, clock::now(), None);
    }

    #[cold]
    fn begin_slow(&mut self, site: &'static Site, label: Label) {
        let place = local::place();
        if switch::tasks_only() && !place.current.is_root() {
            return;
        }
        // `None` only below another node, so the tree is not a lent one.
        self.node = place.tree.child(place.current, Key { site, label, via: None }, clock::now);
        if let Some(node) = self.node {
            self.visit.begin_root(node, place, clock::now(), None);
        }
    }
}

impl Drop for Frame {
    #[inline]
    fn drop(&mut self) {
        if let Some(node) = self.node {
            let panicked = !self.unwinding && std::thread::panicking();
            match self.ends {
                _ if panicked => add(&node.panicked, 1),
                Ends::Call => add(&node.completed, 1),
                Ends::Poll => {}
                Ends::Ready => {
                    add(&node.calls, 1);
                    add(&node.completed, 1);
                }
            }
            self.visit.end(node, clock::now(), None);
        }
    }
}
