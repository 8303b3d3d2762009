//! An await point: the recorder's part of one `.await` of whatever future.
//!
//! ```text
//!            first poll            Pending                  Ready
//!  Fresh ───────────────▶ (span) ──▶ Live ──▶ (span) ──▶ Done
//! ```
//! While it is polled it is a [`Span`] like any other; between polls everything is in its slot of the live registry, so
//! that the future carries one word.

use std::ptr;

use super::local;
use super::span::{Entry, Span, State};
use crate::awaited::Await;
use crate::label::Label;
use crate::live::Anchor;
use crate::site::Site;
use crate::tree::{Node, Wait};

/// What an awaited future carries: 8 bytes.
#[derive(Debug)]
pub(crate) struct Point {
    anchor: &'static Anchor,
}

static DONE: Anchor = Anchor::Done;

impl Point {
    pub(crate) const fn new(place: &'static Await) -> Self {
        Self { anchor: &place.fresh }
    }

    /// What is awaited is a span of its own: it is only told through which await it is polled.
    #[inline(always)]
    pub(crate) fn hand_down(&self) {
        let Anchor::Fresh(place) = self.anchor else { return };
        if place.site.is_on() {
            if let Some(body) = running_body(&place.site) {
                local::hand_down(&place.site, stamp(&place.site, body));
            }
        }
    }

    /// The span that is being polled now, or `None` if nothing is recorded. It goes back into its place with
    /// [`keep`](Point::keep); until then the await is over, in case the poll panics.
    #[inline(always)]
    pub(crate) fn begin(&mut self, entry: &mut Entry) -> Option<Span> {
        let site = match self.anchor {
            Anchor::Fresh(place) => &place.site,
            Anchor::Live(slot) => slot.node()?.site,
            Anchor::Done => return None,
        };
        let body = if site.is_on() { running_body(site) } else { None };
        let Some(body) = body else {
            self.stop();
            return None;
        };
        let mut span = self.resume(site);
        self.anchor = &DONE;
        span.enter_by(entry, None, stamp(site, body)).then_some(span)
    }

    /// Nothing is recorded any more, or not the body: what was recorded is at its end.
    fn stop(&mut self) {
        if let Anchor::Live(slot) = self.anchor {
            if let Some(node) = slot.node() {
                self.resume(node.site).forget();
            }
            self.anchor = &DONE;
        }
    }

    /// The poll is over. Pending, the span rests here until the next.
    #[inline(always)]
    pub(crate) fn keep(&mut self, mut span: Span) {
        self.anchor = span.rest().unwrap_or(&DONE);
    }

    /// The future is about to be dropped; see [`Span::begin_drop`].
    #[inline]
    pub(crate) fn begin_drop(&mut self) {
        if let Anchor::Live(slot) = self.anchor {
            slot.set_pending_children(local::replace_pending_children(0));
        }
    }

    /// The span as it was when its last poll ended, or before its first.
    #[inline(always)]
    fn resume(&self, site: &'static Site) -> Span {
        let mut span = Span {
            site,
            node: None,
            label: Label::NONE,
            pending_children: 0,
            // It begins with its first poll.
            made: u64::MAX,
            anchor: None,
            state: State::Unpolled,
            root: None,
        };
        match self.anchor {
            Anchor::Live(slot) => {
                span.node = slot.node();
                span.pending_children = slot.pending_children();
                let wait = if span.pending_children == 0 { Wait::Own } else { Wait::Child };
                span.state = State::Waiting(wait);
                span.anchor = Some(self.anchor);
            }
            Anchor::Fresh(_) | Anchor::Done => span.node = local::current(),
        }
        span
    }
}

/// The node that is running, if it is that of the body in which the await stands.
#[inline(always)]
fn running_body(site: &'static Site) -> Option<&'static Node> {
    let current = local::current()?;
    site.owner.is_some_and(|owner| ptr::eq(owner, current.site)).then_some(current)
}

/// When the body was entered, if it goes on at the await itself; else zero.
#[inline(always)]
fn stamp(site: &'static Site, body: &'static Node) -> u64 {
    if site.is_direct { body.times.entered() } else { 0 }
}

impl Drop for Point {
    #[inline]
    fn drop(&mut self) {
        if let Anchor::Live(slot) = self.anchor {
            drop(slot.node().map(|node| self.resume(node.site)));
        }
    }
}
