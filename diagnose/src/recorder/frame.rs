//! A frame: the recorder's part of one call of an annotated synchronous function.

use std::marker::PhantomData;

use super::local;
use super::visit::Visit;
use crate::clock;
use crate::label::Label;
use crate::site::Site;
use crate::switch;
use crate::sync::add;
use crate::tree::Node;

/// A call that is running: busy from its making to its drop, in the same tree as the futures around it.
#[derive(Debug)]
#[must_use = "the call is timed until the frame is dropped"]
pub struct Frame {
    /// `None` if the call is not recorded.
    node: Option<&'static Node>,
    visit: Visit,
    /// Whether the thread was unwinding already when the function was called, by a destructor.
    unwinding: bool,
    /// It belongs to its thread.
    not_send: PhantomData<*const ()>,
}

impl Frame {
    /// The function is entered.
    #[inline]
    pub fn enter(site: &'static Site, label: Label) -> Self {
        let unwinding = std::thread::panicking();
        let mut frame = Self { node: None, visit: Visit::new(), unwinding, not_send: PhantomData };
        if site.is_on() {
            frame.begin(site, label);
        }
        frame
    }

    #[inline]
    fn begin(&mut self, site: &'static Site, label: Label) {
        let Some(current) = local::current() else { return self.begin_slow(site, label) };
        if switch::tasks_only() {
            return self.begin_slow(site, label);
        }
        let Some(node) = current.child(site, label) else { return self.begin_slow(site, label) };
        add(&node.calls, 1);
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
        self.node = place.tree.child(place.current, site, label, clock::now);
        if let Some(node) = self.node {
            add(&node.calls, 1);
            self.visit.begin_root(node, place, clock::now(), None);
        }
    }
}

impl Drop for Frame {
    #[inline]
    fn drop(&mut self) {
        if let Some(node) = self.node {
            let panicked = !self.unwinding && std::thread::panicking();
            add(if panicked { &node.panicked } else { &node.completed }, 1);
            self.visit.end(node, None);
        }
    }
}
