//! `tokio::time::timeout`.

use std::future::{Future, IntoFuture, Pending, pending, poll_fn};
use std::panic::Location;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use ::tokio::task::coop::{has_budget_remaining, unconstrained};
use ::tokio::time::{Instant, error::Elapsed};
use pin_project_lite::pin_project;

use super::due;
use crate::waits::{LazyWait, WaitInfo, WaitMode};

/// The future, for so long at most. If the time is over, the future is dropped with the timeout.
///
/// # Panics
/// Outside of a runtime with timers.
#[track_caller]
pub fn timeout<F>(duration: Duration, future: F) -> Timeout<F::IntoFuture>
where
    F: IntoFuture,
{
    let value = future.into_future();
    match Instant::now().checked_add(duration) {
        Some(deadline) => timeout_at(deadline, value),
        // Beyond the end of time, which tokio knows how to wait for.
        None => Timeout::new(value, ::tokio::time::timeout(duration, pending()), None, Location::caller()),
    }
}

/// The future, until that moment at most. If the time is over, the future is dropped with the timeout.
///
/// # Panics
/// Outside of a runtime with timers.
#[track_caller]
pub fn timeout_at<F>(deadline: Instant, future: F) -> Timeout<F::IntoFuture>
where
    F: IntoFuture,
{
    let value = future.into_future();
    Timeout::new(value, ::tokio::time::timeout_at(deadline, pending()), Some(deadline), Location::caller())
}

pin_project! {
    /// tokio's `Timeout`; while it waits, it is on record until when.
    ///
    /// The future is polled beside tokio's timeout of a future that is never ready, as tokio polls it beside a timer: what
    /// it waits for has the waker of its task, and a wake of the timer is not taken for one of its own.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Timeout<T> {
        #[pin]
        value: T,
        #[pin]
        delay: ::tokio::time::Timeout<Pending<()>>,
        kept: LazyWait,
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
        Self { value, delay, kept: LazyWait::default(), deadline, made_at }
    }

    /// The future.
    pub fn get_ref(&self) -> &T {
        &self.value
    }

    /// The future.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.value
    }

    /// The future, without the timeout.
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
        poll_delay(had_budget, this.delay, this.kept, *this.deadline, this.made_at, cx).map(Err)
    }
}

/// What does not depend on the future. If that has used up the budget, the timer is asked all the same, as tokio has it.
fn poll_delay(
    had_budget: bool,
    mut delay: Pin<&mut ::tokio::time::Timeout<Pending<()>>>,
    kept: &mut LazyWait,
    deadline: Option<Instant>,
    made_at: &'static Location<'static>,
    context: &mut Context<'_>,
) -> Poll<Elapsed> {
    let is_listed = kept.is_listed();
    let leaf = || match deadline {
        Some(deadline) => due::leaf(deadline, made_at, is_listed),
        None => WaitInfo::on(None, WaitMode::Timer, 1, made_at),
    };
    let mut poll = |context: &mut Context<'_>| {
        kept.poll(context, leaf, |context| delay.as_mut().poll(context)).map(|elapsed| match elapsed {
            Err(elapsed) => elapsed,
            Ok(()) => unreachable!("the future is never ready"),
        })
    };
    if had_budget && !has_budget_remaining() {
        pin!(unconstrained(poll_fn(poll))).poll(context)
    } else {
        poll(context)
    }
}
