//! A call that initializes a `OnceCell`, or waits for another call to do so.

use std::future::{Future, poll_fn};
use std::mem;
use std::panic::Location;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};

use pin_project_lite::pin_project;

use crate::live::Memory;
use crate::sync::Mutex;
use crate::waits::{Holding, LazyWait, Record, WaitInfo, WaitMode};

/// One call of `get_or_init`. It waits until the cell asks it for the initializing future.
///
/// From then on the call holds the cell, and the waits of that future are recorded by themselves.
pub(crate) struct Turn {
    record: Option<&'static Record>,
    at: &'static Location<'static>,
    has_come: AtomicBool,
    /// The waker of the running poll, until the turn has come. The initializing future is
    /// polled with it, not with the waker of the wait.
    outer: Mutex<Option<Waker>>,
}

impl Turn {
    pub(crate) fn new(record: Option<&'static Record>, at: &'static Location<'static>) -> Self {
        let (has_come, outer) = (AtomicBool::new(false), Mutex::new(None));
        Self { record, at, has_come, outer }
    }

    /// Starts this call's turn: records the holding and returns the initializing future.
    pub(crate) fn take<F, Fut>(&self, f: F) -> Initializing<'_, Fut>
    where
        F: FnOnce() -> Fut,
    {
        self.has_come.store(true, Relaxed);
        let holding = Holding::hold_after(self.record, 1, self.at, false, true);
        Initializing { future: f(), holding, turn: self }
    }

    /// Polls the cell's future, as a wait until the turn has come. No poll is repeated after that.
    pub(crate) async fn wait<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        let info = || WaitInfo::on(self.record, WaitMode::Initialize, 1, self.at);
        let mut wait = LazyWait::default();
        poll_fn(move |context| {
            if self.has_come.load(Relaxed) {
                return future.as_mut().poll(context);
            }
            self.lend(Some(context.waker().clone()));
            let polled = wait.poll(context, info, |context| match future.as_mut().poll(context) {
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

    /// Replaces the waker. The old one is dropped outside the lock, since wakers run foreign code.
    fn lend(&self, outer: Option<Waker>) {
        let before = mem::replace(&mut *self.outer.lock(), outer);
        drop(before);
    }
}

pin_project! {
    /// The initializing future, with the cell's holding.
    pub(crate) struct Initializing<'a, F> {
        #[pin]
        future: F,
        holding: Holding,
        turn: &'a Turn,
    }
}

impl<F: Future> Future for Initializing<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // It lies in the cell's future, and so stays there even if `F` is `Unpin`.
        let memory = Memory::of(&*self);
        let this = self.project();
        this.holding.accessed();
        *this.holding = mem::replace(this.holding, Holding::NONE).taken_in(memory);
        let outer = this.turn.outer.lock().take();
        match outer {
            Some(outer) => this.future.poll(&mut Context::from_waker(&outer)),
            None => this.future.poll(context),
        }
    }
}
