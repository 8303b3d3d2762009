//! A future that initialises a cell, or waits for whoever does so.
//!
//! It begins as one that waits, and if its turn comes it runs the program's own future. That one's `Pending` is no wait for
//! the cell, so from then on there is no leaf, and the program's future gets the task's own waker and not that of the wait.

use std::future::{Future, poll_fn};
use std::panic::Location;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};

use pin_project_lite::pin_project;

use crate::sync::Mutex;
use crate::waits::{Holding, LazyWait, Record, WaitInfo};

/// Whether it is the turn of a future to initialise.
pub(super) struct Turn {
    has_come: AtomicBool,
    /// The task's own waker, in a poll in which the original has that of the wait.
    outer: Mutex<Option<Waker>>,
    record: Option<&'static Record>,
    at: &'static Location<'static>,
}

impl Turn {
    pub(super) fn new(record: Option<&'static Record>, at: &'static Location<'static>) -> Self {
        Self { has_come: AtomicBool::new(false), outer: Mutex::new(None), record, at }
    }

    /// The turn has come. Whoever initialises holds the cell.
    pub(super) async fn take<F: Future>(&self, closure: impl FnOnce() -> F) -> F::Output {
        self.has_come.store(true, Relaxed);
        let _stake = Holding::hold(self.record, 1, self.at, false);
        let mut future = pin!(closure());
        poll_fn(|context| {
            let outer = self.outer.lock().take();
            match outer {
                Some(outer) => future.as_mut().poll(&mut Context::from_waker(&outer)),
                None => future.as_mut().poll(context),
            }
        })
        .await
    }

    fn has_come(&self) -> bool {
        self.has_come.load(Relaxed)
    }
}

pin_project! {
    pub(super) struct Initialising<'a, F> {
        #[pin]
        future: F,
        leaf: WaitInfo,
        kept: LazyWait,
        turn: &'a Turn,
    }
}

impl<'a, F: Future> Initialising<'a, F> {
    /// `future` is the original's, whose closure takes the turn.
    pub(super) fn new(future: F, leaf: WaitInfo, turn: &'a Turn) -> Self {
        Self { future, leaf, kept: LazyWait::default(), turn }
    }
}

impl<F: Future> Future for Initialising<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let (turn, leaf) = (*this.turn, &*this.leaf);
        if turn.has_come() {
            return this.future.poll(context);
        }
        let old = turn.outer.lock().replace(context.waker().clone());
        // Wakers are other people's code: no lock is held when they are dropped.
        drop(old);
        let ready = this.kept.poll(
            context,
            || leaf.clone(),
            |context| match this.future.as_mut().poll(context) {
                Poll::Ready(value) => Poll::Ready(Some(value)),
                Poll::Pending if turn.has_come() => Poll::Ready(None),
                Poll::Pending => Poll::Pending,
            },
        );
        let kept = turn.outer.lock().take();
        drop(kept);
        match ready {
            Poll::Ready(Some(value)) => Poll::Ready(value),
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }
}
