//! `tokio::time::interval`.

use std::future::{Future, poll_fn};
use std::panic::Location;
use std::task::{Context, Poll};
use std::time::Duration;

use ::tokio::time::{Instant, MissedTickBehavior};

use super::due;
use crate::waits::{LazyWait, WaitInfo, WaitMode};
use crate::wrap::{convert, debug, delegate};

/// Creates an interval that ticks at once, and then every `period`.
///
/// # Panics
/// If `period` is zero, or outside of a runtime with timers.
#[track_caller]
pub fn interval(period: Duration) -> Interval {
    interval_at(Instant::now(), period)
}

/// Creates an interval that ticks at `start`, and then every `period`.
///
/// # Panics
/// If `period` is zero, or outside of a runtime with timers.
#[track_caller]
pub fn interval_at(start: Instant, period: Duration) -> Interval {
    let inner = ::tokio::time::interval_at(start, period);
    Interval { inner, wait: LazyWait::default(), next: Some(start), made_at: Location::caller() }
}

/// tokio's `Interval`. A wait for a tick is recorded with its deadline.
pub struct Interval {
    inner: ::tokio::time::Interval,
    /// The wait of `poll_tick`.
    wait: LazyWait,
    /// The moment of the next tick; `None` if unknown.
    next: Option<Instant>,
    made_at: &'static Location<'static>,
}

impl Interval {
    /// Waits for the next tick. Cancel safe: if the future is dropped, the tick is not lost.
    #[track_caller]
    pub fn tick(&mut self) -> impl Future<Output = Instant> + use<'_> {
        let at = Location::caller();
        async move {
            self.wait.end();
            let mut wait = LazyWait::default();
            poll_fn(|context| self.poll(&mut wait, at, context)).await
        }
    }

    /// Polls until the next tick.
    pub fn poll_tick(&mut self, cx: &mut Context<'_>) -> Poll<Instant> {
        let mut wait = std::mem::take(&mut self.wait);
        let poll = self.poll(&mut wait, self.made_at, cx);
        self.wait = wait;
        poll
    }

    fn poll(
        &mut self,
        wait: &mut LazyWait,
        at: &'static Location<'static>,
        context: &mut Context<'_>,
    ) -> Poll<Instant> {
        let Self { inner, next, .. } = self;
        let is_listed = wait.is_listed();
        let info = || match next {
            Some(next) => due::wait_info(*next, at, is_listed),
            None => WaitInfo::on(None, WaitMode::Timer, 1, at),
        };
        let poll = wait.poll(context, info, |context| inner.poll_tick(context));
        if let Poll::Ready(tick) = poll {
            self.next = Some(self.after(tick));
        }
        poll
    }

    /// Computes the moment of the tick after `tick`, which has just elapsed, as tokio does.
    fn after(&self, tick: Instant) -> Instant {
        let period = self.period();
        let behavior = self.missed_tick_behavior();
        if behavior == MissedTickBehavior::Burst {
            return tick + period;
        }
        let now = Instant::now();
        if now <= tick + Duration::from_millis(5) {
            return tick + period;
        }
        if behavior == MissedTickBehavior::Delay {
            return now + period;
        }
        let missed = (now - tick).as_nanos() % period.as_nanos();
        now + period.saturating_sub(Duration::from_nanos(u64::try_from(missed).unwrap_or(0)))
    }

    /// Resets the interval: the next tick comes one period from now.
    pub fn reset(&mut self) {
        self.reset_at(Instant::now() + self.period());
    }

    /// Resets the interval: the next tick comes at once.
    pub fn reset_immediately(&mut self) {
        self.reset_at(Instant::now());
    }

    /// Resets the interval: the next tick comes after `after`.
    pub fn reset_after(&mut self, after: Duration) {
        self.reset_at(Instant::now() + due::safe(after));
    }

    /// Resets the interval: the next tick comes at `deadline`.
    pub fn reset_at(&mut self, deadline: Instant) {
        self.wait.end();
        self.inner.reset_at(deadline);
        self.next = Some(deadline);
    }

    /// Returns tokio's own interval.
    ///
    /// With the feature `on` only; `.into()` works without it, too.
    pub fn into_inner(self) -> ::tokio::time::Interval {
        self.inner
    }

    delegate! { inner:
        /// Returns the behavior after missed ticks.
        pub fn missed_tick_behavior(&self) -> MissedTickBehavior;
        /// Sets the behavior after missed ticks.
        pub fn set_missed_tick_behavior(&mut self, behavior: MissedTickBehavior);
        /// Returns the period.
        pub fn period(&self) -> Duration;
    }
}

debug!([] Interval, inner: ::tokio::time::Interval);
convert!(
    [] Interval: ::tokio::time::Interval,
    |inner| Self { inner, wait: LazyWait::default(), next: None, made_at: Location::caller() },
    |it| it.into_inner()
);
