//! One call that initialises a `OnceCell`, or waits until another has.

use std::future::{Future, poll_fn};
use std::panic::Location;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};

use pin_project_lite::pin_project;

use crate::sync::Mutex;
use crate::waits::{Holding, LazyWait, Record, WaitInfo, WaitMode};

/// Whose turn it is. The call waits until the cell asks it for the future that makes the value;
/// from then on it holds the cell, and what it waits for is that future's own matter.
pub(crate) struct Turn {
    record: Option<&'static Record>,
    at: &'static Location<'static>,
    has_come: AtomicBool,
    /// The waker of the poll that is running, until the turn has come: that of the wait is not for
    /// the future of others.
    outer: Mutex<Option<Waker>>,
}

impl Turn {
    pub(crate) fn new(record: Option<&'static Record>, at: &'static Location<'static>) -> Self {
        let (has_come, outer) = (AtomicBool::new(false), Mutex::new(None));
        Self { record, at, has_come, outer }
    }

    /// The turn has come: the future that makes the value.
    pub(crate) fn take<F, Fut>(&self, f: F) -> Initialising<'_, Fut>
    where
        F: FnOnce() -> Fut,
    {
        self.has_come.store(true, Relaxed);
        let holding = Holding::hold_after(self.record, 1, self.at, false, true);
        Initialising { future: f(), holding, turn: self }
    }

    /// Waits for the cell's own future. No poll is repeated once the turn has come.
    pub(crate) async fn wait<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        let leaf = || WaitInfo::on(self.record, WaitMode::Initialise, 1, self.at);
        let mut kept = LazyWait::default();
        poll_fn(move |context| {
            if self.has_come.load(Relaxed) {
                return future.as_mut().poll(context);
            }
            self.lend(Some(context.waker().clone()));
            let polled = kept.poll(context, leaf, |context| match future.as_mut().poll(context) {
                Poll::Ready(value) => Poll::Ready(Some(value)),
                Poll::Pending if self.has_come.load(Relaxed) => Poll::Ready(None),
                Poll::Pending => Poll::Pending,
            });
            self.lend(None);
            match polled {
                Poll::Ready(Some(value)) => Poll::Ready(value),
                Poll::Ready(None) | Poll::Pending => Poll::Pending,
            }
        })
        .await
    }

    /// Returns what was there. Wakers are other people's code: they are dropped outside of the
    /// lock.
    fn lend(&self, outer: Option<Waker>) {
        let before = std::mem::replace(&mut *self.outer.lock(), outer);
        drop(before);
    }
}

pin_project! {
    /// The future that makes the value, and that it does.
    pub(crate) struct Initialising<'a, F> {
        #[pin]
        future: F,
        holding: Holding,
        turn: &'a Turn,
    }
}

impl<F: Future> Future for Initialising<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        this.holding.looked_at();
        let outer = this.turn.outer.lock().take();
        match outer {
            Some(outer) => this.future.poll(&mut Context::from_waker(&outer)),
            None => this.future.poll(context),
        }
    }
}
