//! A time limit for tests, which reports what a late future waits for.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use pin_project_lite::pin_project;

use crate::own_thread;
use crate::say::say_now;
use crate::sync::Mutex;

/// Runs `future`, and panics with the tree of all tasks if it takes longer than `limit`, counted
/// from its first poll. The message names the place of this call.
///
/// Meant for tests, on any executor. A separate thread measures real time, so a runtime's paused or
/// advanced clock has no effect. If a poll does not return, the tree is still printed on stderr,
/// and the panic follows at the next poll. If the system refuses the thread, there is no limit.
///
/// # Panics
/// Panics at the first poll after `limit`. A poll that is running at the limit may still finish: if
/// it returns `Ready`, its output is returned.
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// #[diagnose::diagnose]
/// async fn answer() -> u32 { 42 }
///
/// # futures::executor::block_on(async {
/// let answer = diagnose::within(Duration::from_secs(60), answer()).await;
/// assert_eq!(answer, 42);
/// # });
/// ```
#[must_use = "futures do nothing unless you `.await` or poll them"]
#[track_caller]
pub fn within<F: Future>(limit: Duration, future: F) -> impl Future<Output = F::Output> + use<F> {
    let at = Location::caller();
    async move { Within { future, alarm: TimeLimitAlarm::start(limit, at) }.await }
}

pin_project! {
    struct Within<F> {
        #[pin]
        future: F,
        alarm: TimeLimitAlarm,
    }
}

/// The future's handle to the thread that waits for the limit.
struct TimeLimitAlarm {
    limit: Duration,
    /// The call of `within`.
    at: &'static Location<'static>,
    shared: Arc<WithinShared>,
    thread: thread::Thread,
}

#[derive(Default)]
struct WithinShared {
    state: Mutex<WithinState>,
}

#[derive(Default)]
struct WithinState {
    waker: Option<Waker>,
    /// The task tree at the end of the limit; `None` before that, and after it was reported.
    tree: Option<String>,
    is_over: bool,
}

impl TimeLimitAlarm {
    fn start(limit: Duration, at: &'static Location<'static>) -> Self {
        let shared = Arc::new(WithinShared::default());
        // If the end is past the clock's range, there is no limit.
        let end = Instant::now().checked_add(limit);
        let theirs = Arc::clone(&shared);
        let thread = own_thread::spawn("diagnose-within", move || theirs.watch(end, at));
        // Without a thread there is no limit: the test has a limit of its own, or hangs as before.
        let thread = thread.map_or_else(|_| thread::current(), |thread| thread.thread().clone());
        Self { limit, at, shared, thread }
    }

    fn check(&self, waker: &Waker) {
        // Cloned before the lock is taken, and dropped after: both are code of the executor.
        let waker = waker.clone();
        let mut state = self.shared.state.lock();
        let tree = state.tree.take();
        let old = state.waker.replace(waker);
        drop(state);
        drop(old);
        if let Some(tree) = tree {
            panic!("the future at {} did not finish within {:?}\n\n{tree}", place(self.at), self.limit);
        }
    }
}

/// `src/main.rs:12`.
fn place(at: &Location<'_>) -> String {
    format!("{}:{}", at.file(), at.line())
}

impl WithinShared {
    fn watch(&self, end: Option<Instant>, at: &'static Location<'static>) {
        loop {
            if own_thread::work(|| self.state.lock().is_over) {
                return;
            }
            let Some(end) = end else {
                thread::park();
                continue;
            };
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            thread::park_timeout(left);
        }
        let tree = own_thread::work(crate::tree);
        let copy = tree.clone();
        let (is_over, waker) = own_thread::work(|| {
            let mut state = self.state.lock();
            if !state.is_over {
                state.tree = Some(copy);
            }
            (state.is_over, state.waker.take())
        });
        if is_over {
            return;
        }
        if let Some(waker) = waker {
            crate::signal_mask::as_program(|| waker.wake());
        }
        // Printed last, because stderr may block this thread.
        say_now!("diagnose: the future of `within` at {} did not finish in time\n\n{tree}", place(at));
    }
}

impl Drop for TimeLimitAlarm {
    fn drop(&mut self) {
        self.shared.state.lock().is_over = true;
        self.thread.unpark();
    }
}

impl<F: Future> Future for Within<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        this.alarm.check(context.waker());
        this.future.poll(context)
    }
}
