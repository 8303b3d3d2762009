//! `tokio::time::timeout`.

use std::future::{Future, IntoFuture, Pending, pending, poll_fn};
use std::panic::Location;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use ::tokio::task::coop::{has_budget_remaining, unconstrained};
use ::tokio::time::{Instant, error::Elapsed};
use pin_project_lite::pin_project;

use super::due;
use crate::waits::{LazyWait, WaitInfo, WaitMode};

/// Requires `future` to complete within `duration`. It is dropped with the `Timeout`.
///
/// # Panics
/// If called outside of a runtime with timers.
#[track_caller]
pub fn timeout<F>(duration: Duration, future: F) -> Timeout<F::IntoFuture>
where
    F: IntoFuture,
{
    let value = future.into_future();
    match Instant::now().checked_add(duration) {
        Some(deadline) => timeout_at(deadline, value),
        // The deadline is out of range. tokio's `timeout` handles that.
        None => Timeout::new(value, ::tokio::time::timeout(duration, pending()), None, Location::caller()),
    }
}

/// Requires `future` to complete before `deadline`. It is dropped with the `Timeout`.
///
/// # Panics
/// If called outside of a runtime with timers.
#[track_caller]
pub fn timeout_at<F>(deadline: Instant, future: F) -> Timeout<F::IntoFuture>
where
    F: IntoFuture,
{
    let value = future.into_future();
    Timeout::new(value, ::tokio::time::timeout_at(deadline, pending()), Some(deadline), Location::caller())
}

pin_project! {
    /// tokio's `Timeout`. Its wait is recorded with its deadline.
    ///
    /// Polls the future, then a tokio timeout around a future that is never ready. The future gets
    /// the waker of its task, so a wake of the timer does not count as a wake of the future.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Timeout<T> {
        #[pin]
        value: T,
        #[pin]
        delay: ::tokio::time::Timeout<Pending<()>>,
        wait: LazyWait,
        deadline: Option<Instant>,
        made_at: &'static Location<'static>,
    }
}

impl<T> Timeout<T> {
    fn new(
        value: T,
        delay: ::tokio::time::Timeout<Pending<()>>,
        deadline: Option<Instant>,
        made_at: &'static Location<'static>,
    ) -> Self {
        Self { value, delay, wait: LazyWait::default(), deadline, made_at }
    }

    /// Returns a reference to the future.
    pub fn get_ref(&self) -> &T {
        &self.value
    }

    /// Returns a mutable reference to the future.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.value
    }

    /// Consumes the timeout, returning the future.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T: Future> Future for Timeout<T> {
    type Output = Result<T::Output, Elapsed>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let had_budget = has_budget_remaining();
        if let Poll::Ready(value) = this.value.poll(cx) {
            return Poll::Ready(Ok(value));
        }
        poll_delay(had_budget, this.delay, this.wait, *this.deadline, this.made_at, cx).map(Err)
    }
}

/// Polls the timer even if the future has used up the budget, as tokio does.
fn poll_delay(
    had_budget: bool,
    mut delay: Pin<&mut ::tokio::time::Timeout<Pending<()>>>,
    wait: &mut LazyWait,
    deadline: Option<Instant>,
    made_at: &'static Location<'static>,
    context: &mut Context<'_>,
) -> Poll<Elapsed> {
    let is_listed = wait.is_listed();
    let info = || match deadline {
        Some(deadline) => due::wait_info(deadline, made_at, is_listed),
        None => WaitInfo::on(None, WaitMode::Timer, 1, made_at),
    };
    let mut poll = |context: &mut Context<'_>| {
        let elapsed = ready!(wait.poll(context, info, |context| delay.as_mut().poll(context)));
        wait.rest();
        match elapsed {
            Err(elapsed) => Poll::Ready(elapsed),
            Ok(()) => unreachable!("the future is never ready"),
        }
    };
    if had_budget && !has_budget_remaining() {
        pin!(unconstrained(poll_fn(poll))).poll(context)
    } else {
        poll(context)
    }
}
