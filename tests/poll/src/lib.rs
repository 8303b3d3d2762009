//! Scripted futures, a manual executor, and snapshots as text.
//!
//! A test draws its timeline, builds it with [`steps`], and compares the whole text of [`tree`]:
//! ```text
//! outer  busy 10  self 4  idle 20  own 0  calls 1  polls 2  completed 1
//!   inner  busy 6  self 6  idle 20  own 20  calls 1  polls 2  completed 1
//! ```
//! Times are nanoseconds of the manual clock, which moves only where a script or a test advances
//! it. The clock is global, so each test runs in its own process.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use diagnose::model::{Durations, NodeIndex, SiteKind};
use diagnose::{Snapshot, manual_clock};

/// One step of a scripted future.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// The poll takes this many nanoseconds.
    Busy(u64),
    /// The poll returns `Pending`.
    Wait,
    /// The poll panics.
    Panic,
}

/// A future that performs its steps, and is then ready.
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct Steps(VecDeque<Step>);

/// Creates a future that performs the given steps.
pub fn steps(steps: impl IntoIterator<Item = Step>) -> Steps {
    Steps(steps.into_iter().collect())
}

impl Future for Steps {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        while let Some(step) = self.0.pop_front() {
            match step {
                Step::Busy(ns) => manual_clock::advance_ns(ns),
                Step::Wait => return Poll::Pending,
                Step::Panic => panic!("a step of the script"),
            }
        }
        Poll::Ready(())
    }
}

/// A boxed future that is polled by hand.
#[must_use = "nothing happens unless it is polled"]
pub struct Task<T>(Pin<Box<dyn Future<Output = T> + Send>>);

impl<T> std::fmt::Debug for Task<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Task")
    }
}

impl<T> Task<T> {
    /// Creates a task that runs `future`.
    pub fn new(future: impl Future<Output = T> + Send + 'static) -> Self {
        manual_clock::install();
        Self(Box::pin(future))
    }

    /// Polls the task once.
    #[must_use = "it may be done"]
    pub fn poll(&mut self) -> Poll<T> {
        poll(self.0.as_mut())
    }

    /// Polls until the task is done, advancing the clock by `between_ns` ns between two polls.
    #[allow(clippy::must_use_candidate)] // Tests read the recording, not the result.
    pub fn run(mut self, between_ns: u64) -> T {
        loop {
            if let Poll::Ready(value) = self.poll() {
                return value;
            }
            manual_clock::advance_ns(between_ns);
        }
    }
}

/// Polls a future once with a waker that does nothing.
pub fn poll<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Polls a future until it is ready, inside the running poll if there is one: a nested executor.
pub fn block_on<F: Future>(future: F, between_ns: u64) -> F::Output {
    let mut future = std::pin::pin!(future);
    loop {
        if let Poll::Ready(value) = poll(future.as_mut()) {
            return value;
        }
        manual_clock::advance_ns(between_ns);
    }
}

/// Advances the clock by `ns` nanoseconds while nothing is polled.
pub fn pass(ns: u64) {
    manual_clock::advance_ns(ns);
}

/// Renders the current snapshot without awaits, whose times go to the function around them.
#[must_use]
pub fn tree() -> String {
    render(&diagnose::snapshot().without(&[SiteKind::Await]))
}

/// Renders the current snapshot with awaits.
#[must_use]
pub fn tree_with_awaits() -> String {
    render(&diagnose::snapshot())
}

/// Renders a snapshot: one indented line per node. Zeros after `calls` and `polls` are left out.
#[must_use]
pub fn render(snapshot: &Snapshot) -> String {
    let mut text = String::new();
    let mut depths: Vec<usize> = Vec::new();
    for (number, node) in snapshot.nodes.iter().enumerate() {
        let depth = node.parent.map_or(0, |parent| depths[parent.get()] + 1);
        depths.push(depth);
        let children = snapshot.nodes.iter().filter(|child| child.parent == Some(NodeIndex::new(number)));
        let nested: u64 = children.map(|child| child.busy_ns).sum();
        let own_busy = node.busy_ns - nested - node.nested_ns;
        let name = &snapshot.sites[node.site].name;
        let label = node.label.as_ref().map(|label| format!("{{{label}}}")).unwrap_or_default();
        let _ = write!(
            text,
            "{:indent$}{name}{label}  busy {}  self {own_busy}  idle {}  own {}  calls {}  polls {}",
            "",
            node.busy_ns,
            node.idle_ns,
            node.self_idle_ns,
            node.calls,
            node.polls,
            indent = depth * 2
        );
        for (name, value) in [
            ("completed", node.completed),
            ("cancelled", node.cancelled),
            ("panicked", node.panicked),
            ("never polled", node.never_polled),
            ("unpolled", node.unpolled_ns),
            ("pending", node.pending),
            ("running", node.running),
            ("nested", node.nested_ns),
        ] {
            if value > 0 {
                let _ = write!(text, "  {name} {value}");
            }
        }
        text.push('\n');
    }
    text
}

/// Renders the durations of finished calls, one line per node, under the rules of [`tree`].
///
/// A duration of 32 ns or more is shown as the start of its bucket, a shorter one as it is.
#[must_use]
pub fn latencies() -> String {
    let snapshot = diagnose::snapshot();
    let mut text = String::new();
    for node in snapshot.nodes.iter().filter(|node| !node.latency.is_empty()) {
        let label = node.label.as_ref().map(|label| format!("{{{label}}}")).unwrap_or_default();
        let _ = write!(text, "{}{label}", snapshot.sites[node.site].name);
        for (name, durations) in
            [("completed", &node.latency.completed), ("cancelled", &node.latency.cancelled)]
        {
            if !durations.is_empty() {
                let _ = write!(text, "  {name} {:?}", list(durations));
            }
        }
        text.push('\n');
    }
    text
}

fn list(durations: &Durations) -> Vec<u64> {
    let repeated = |count| usize::try_from(count).expect("a test has few calls");
    durations.buckets.iter().flat_map(|bucket| vec![bucket.from_ns; repeated(bucket.count)]).collect()
}
