//! A frame: the recorder's part of one call of an annotated synchronous function.

use std::marker::PhantomData;

use super::local;
use super::visit::Visit;
use crate::clock;
use crate::label::Label;
use crate::site::Site;
use crate::switch;
use crate::sync::add;

/// A call that is running: busy from its making to its drop, in the same tree as the futures around it.
#[derive(Debug)]
#[must_use = "the call is timed until the frame is dropped"]
pub struct Frame {
    visit: Option<Visit>,
    /// Whether the thread was unwinding already when the function was called, by a destructor.
    unwinding: bool,
    /// It belongs to its thread.
    not_send: PhantomData<*const ()>,
}

impl Frame {
    /// The function is entered.
    #[inline]
    pub fn enter(site: &'static Site, label: Label) -> Self {
        let visit = if site.is_on() { Self::visit(site, label) } else { None };
        Self { visit, unwinding: std::thread::panicking(), not_send: PhantomData }
    }

    #[inline]
    fn visit(site: &'static Site, label: Label) -> Option<Visit> {
        let Some(current) = local::current() else { return Self::visit_slow(site, label) };
        let Some(node) = current.child(site, label) else { return Self::visit_slow(site, label) };
        let visit = Visit::plain(node, current);
        add(&node.calls, 1);
        node.times.enter(clock::now(), None);
        Some(visit)
    }

    #[cold]
    fn visit_slow(site: &'static Site, label: Label) -> Option<Visit> {
        let place = local::place();
        if switch::tasks_only() && !place.current.is_root() {
            return None;
        }
        // `None` only below another node, so the tree is not a lent one.
        let node = place.tree.child(place.current, site, label, clock::now)?;
        let now = clock::now();
        add(&node.calls, 1);
        node.times.enter(now, None);
        Some(Visit::special(node, place, now))
    }
}

impl Drop for Frame {
    #[inline]
    fn drop(&mut self) {
        if let Some(visit) = &self.visit {
            let panicked = !self.unwinding && std::thread::panicking();
            let counter = if panicked { &visit.node.panicked } else { &visit.node.completed };
            add(counter, 1);
            visit.end(None);
        }
    }
}
