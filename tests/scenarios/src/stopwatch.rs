//! A stopwatch around the polls of a future, independent of the recorder.
//!
//! Recorded times lie between those of a stopwatch around the future and one inside it:
//!
//! ```text
//! around    ├─────── poll ───────┤┈┈ idle ┈┈├─────── poll ───────┤
//! recorded    ├───── poll ─────┤┈┈┈┈ idle ┈┈┈┈├───── poll ─────┤
//! inside        ├─── poll ───┤┈┈┈┈┈┈ idle ┈┈┈┈┈┈├─── poll ───┤
//! ```

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Wake, Waker};
use std::time::{Duration, Instant};

use diagnose::model::Node;

/// Measures futures and calls. Holds the sums over all of them since the last `take`.
#[derive(Debug)]
pub struct Stopwatch(Mutex<Times>);

/// Times measured by a stopwatch.
#[derive(Debug, Clone, Default)]
pub struct Times {
    /// The durations of the polls.
    pub polls: Vec<Duration>,
    /// The time from the end of a poll to the start of the same future's next poll.
    pub idle: Duration,
    /// The part of `idle` that follows the first wake.
    pub queued: Duration,
    /// The end of the last poll, if there was one.
    pub last_end: Option<Instant>,
}

impl Stopwatch {
    /// Creates a stopwatch without measurements.
    #[must_use]
    pub const fn new() -> Self {
        let zero = Duration::ZERO;
        Self(Mutex::new(Times { polls: Vec::new(), idle: zero, queued: zero, last_end: None }))
    }

    /// Runs a future, measuring its polls and the time between them.
    pub async fn time<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        let mut wakes: Option<Arc<Wakes>> = None;
        let mut left: Option<Instant> = None;
        poll_fn(|context| {
            let wakes = wakes.get_or_insert_with(|| Arc::new(Wakes::new(context.waker())));
            let woken = wakes.begin(context.waker());
            let waker = Waker::from(Arc::clone(wakes));
            let start = Instant::now();
            let poll = future.as_mut().poll(&mut Context::from_waker(&waker));
            let end = Instant::now();
            self.add(|times| {
                times.polls.push(end - start);
                times.last_end = Some(end);
                if let Some(left) = left {
                    times.idle += start - left;
                    times.queued += woken.map_or(Duration::ZERO, |woken| start - woken.clamp(left, start));
                }
            });
            left = Some(end);
            poll
        })
        .await
    }

    /// Calls a function, measuring it as one poll.
    pub fn call<T>(&self, function: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let value = function();
        self.add_poll(start.elapsed());
        value
    }

    /// Adds a poll that was measured otherwise.
    pub fn add_poll(&self, length: Duration) {
        self.add(|times| times.polls.push(length));
    }

    /// Returns the measurements and resets them.
    #[must_use]
    pub fn take(&self) -> Times {
        let mut taken = Times::default();
        self.add(|times| std::mem::swap(times, &mut taken));
        taken
    }

    fn add(&self, change: impl FnOnce(&mut Times)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Default for Stopwatch {
    fn default() -> Self {
        Self::new()
    }
}

impl Times {
    /// Returns the number of polls.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.polls.len() as u64
    }

    /// Returns the total time in polls.
    #[must_use]
    pub fn busy(&self) -> Duration {
        self.polls.iter().sum()
    }

    /// Returns the longest poll.
    #[must_use]
    pub fn longest(&self) -> Duration {
        self.polls.iter().max().copied().unwrap_or_default()
    }

    /// Asserts that a future's recorded times are within those of this stopwatch around it.
    ///
    /// # Panics
    /// If a recorded time is longer.
    #[track_caller]
    pub fn is_around(&self, node: &Node, text: &str) {
        assert_eq!(node.polls, self.count(), "{self:?}\n{text}");
        is_at_most("busy", node.busy_ns, self.busy(), text);
        is_at_most("longest", node.longest_poll_ns, self.longest(), text);
        is_at_least("idle", node.idle_ns, self.idle, text);
        is_at_most("busy + idle", node.busy_ns + node.idle_ns, self.busy() + self.idle, text);
    }

    /// Asserts that a future's recorded times cover those of this stopwatch around its whole body.
    ///
    /// # Panics
    /// If a recorded time is shorter.
    #[track_caller]
    pub fn is_inside(&self, node: &Node, text: &str) {
        assert_eq!(node.polls, self.count(), "{self:?}\n{text}");
        is_at_least("busy", node.busy_ns, self.busy(), text);
        is_at_least("longest", node.longest_poll_ns, self.longest(), text);
        is_at_most("idle", node.idle_ns, self.idle, text);
        is_at_least("busy + idle", node.busy_ns + node.idle_ns, self.busy() + self.idle, text);
    }

    /// Asserts that a histogram lies between a stopwatch around the future, `self`, and one inside
    /// it. Compares the number of polls at or above each bound.
    ///
    /// # Panics
    /// If it does not.
    pub fn bounds_histogram(&self, inside: &Self, node: &Node) {
        for bucket in &node.polls_histogram {
            let from = Duration::from_nanos(bucket.from_ns);
            let reach = |times: &Self, length: Duration| {
                times.polls.iter().filter(|poll| **poll >= length).count() as u64
            };
            let above = node.polls_histogram.iter().filter(|other| other.from_ns >= bucket.from_ns);
            let recorded: u64 = above.map(|other| other.count).sum();
            let (least, most) = (reach(inside, with_slack(from)), reach(self, without_slack(from)));
            assert!((least..=most).contains(&recorded), "{from:?}: {recorded}, not {least} to {most}");
        }
    }
}

/// Asserts that a recorded time is at least a measured one.
///
/// # Panics
/// If it is shorter.
#[track_caller]
pub fn is_at_least(subject: &str, recorded_ns: u64, measured: Duration, text: &str) {
    let recorded = Duration::from_nanos(recorded_ns);
    assert!(with_slack(recorded) >= measured, "{subject}: {recorded:?} recorded of {measured:?}\n{text}");
}

/// Asserts that a recorded time is at most a measured one.
///
/// # Panics
/// If it is longer.
#[track_caller]
pub fn is_at_most(subject: &str, recorded_ns: u64, measured: Duration, text: &str) {
    let recorded = Duration::from_nanos(recorded_ns);
    assert!(recorded <= with_slack(measured), "{subject}: {recorded:?} recorded of {measured:?}\n{text}");
}

/// Allows for the error of the recorder's clock rate, which each capture measures again.
fn with_slack(time: Duration) -> Duration {
    time + time / 500 + Duration::from_micros(20)
}

fn without_slack(time: Duration) -> Duration {
    time.saturating_sub(time / 500 + Duration::from_micros(20))
}

/// The waker of a timed future, which stores the first wake since the last poll began.
struct Wakes(Mutex<(Waker, Option<Instant>)>);

impl Wakes {
    fn new(outer: &Waker) -> Self {
        Self(Mutex::new((outer.clone(), None)))
    }

    /// Begins a poll. Returns the time of the wake that led to it.
    fn begin(&self, outer: &Waker) -> Option<Instant> {
        let mut own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        own.0.clone_from(outer);
        own.1.take()
    }
}

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        let now = Instant::now();
        let mut own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = own.1.get_or_insert(now);
        let outer = own.0.clone();
        drop(own);
        outer.wake();
    }
}
