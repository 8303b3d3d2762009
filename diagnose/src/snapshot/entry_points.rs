//! The functions that take a capture, for the crate root, the watchdog and `within`.

use diagnose_reports::Snapshot;

use super::capture::{self, Extent};
use crate::switch;

/// Returns everything recorded up to now, over all threads, living and ended.
///
/// Running polls and pending waits count up to now, including those of a blocked thread. Roots, and
/// the children of a node, are sorted by name. Times are in nanoseconds. No thread is stopped. The
/// cost is a few microseconds per node, on the calling thread.
///
/// # Examples
/// ```
/// #[diagnose::diagnose]
/// fn work() -> u32 { 7 }
///
/// work();
/// let snapshot = diagnose::snapshot();
/// let node = &snapshot.nodes[0];
/// assert_eq!(snapshot.sites[node.site].name, "work");
/// assert_eq!((node.calls, node.polls, node.completed), (1, 1, 1));
/// ```
#[must_use]
pub fn snapshot() -> Snapshot {
    capture::capture(Extent::Whole)
}

/// Returns the state of every task as text, in the style of a goroutine dump.
///
/// Verdicts come first. Then it shows what each task waits for, and since when. The longest wait
/// comes first; similar tasks are grouped. All of this runs on the calling thread, and stops no
/// other one. It costs what a snapshot costs, a second for some hundred thousand live tasks.
///
/// # Examples
/// ```
/// #[diagnose::diagnose]
/// async fn handle() -> String {
///     diagnose::tree() // also from another thread or a test, not from a signal handler
/// }
///
/// let tree = futures::executor::block_on(handle());
/// assert!(tree.starts_with("tasks: 1 alive, 1 running"));
/// ```
/// For a program with two waiting tasks, it returns
/// ```text
/// tasks: 2 alive, 2 waiting
/// polls of tasks: 7, 1.6 per second; mean time in the queue after a wake: 12.3 µs
///
/// task 1 main [waiting 4.20 s for Mutex#1] 2 polls, busy 31.0 µs
///   └─ handle at handle(&db).await (src/main.rs:31:5)
///      └─ db.lock().await (src/main.rs:20:18) [waiting 4.20 s]
///
/// task 7 refresh [waiting 1.00 s] 5 polls, busy 1.20 ms
///   └─ interval.tick().await (src/main.rs:12:9) [waiting 1.00 s]
/// ```
#[must_use]
pub fn tree() -> String {
    alive().tree()
}

/// Returns the contended resources as text, the longest wait first.
///
/// For each lock, channel and so on, it shows the holders with time and place, the waiters in
/// order, and the usage. It costs as much as [`tree`], without the verdicts.
///
/// # Examples
/// ```
/// use futures::FutureExt as _;
/// use futures::channel::oneshot;
///
/// let pool = diagnose::Resource::new("db-pool", 1);
/// let (_sender, never) = oneshot::channel::<()>();
/// let mut waiting = diagnose::wait("get connection", &pool, never).boxed();
///
/// assert!((&mut waiting).now_or_never().is_none());
/// assert!(diagnose::waiters().contains("`db-pool`"));
/// ```
#[must_use]
pub fn waiters() -> String {
    alive().waiters()
}

/// Returns the locks that were acquired in both orders, or in a cycle, as text.
///
/// For each pair, it shows the owner, the lock held, the lock acquired, and the places. The text is
/// empty unless [`Builder::lock_order`](crate::Builder::lock_order) or `DIAGNOSE_LOCK_ORDER=1`
/// turns recording on. These locks have not deadlocked yet, and need not: the tasks may never run
/// at the same time.
///
/// # Examples
/// ```
/// use diagnose::std::sync::Mutex;
///
/// diagnose::Builder::new().lock_order(true).install();
/// let (left, right) = (Mutex::new(1), Mutex::new(2));
/// for (first, second) in [(&left, &right), (&right, &left)] {
///     let _first = first.lock().unwrap();
///     let _second = second.lock().unwrap();
/// }
/// assert!(diagnose::lock_order().contains("were acquired in both orders"));
/// ```
/// For two tasks that do this, it returns
/// ```text
/// lock order: 1 cycle in 2 pairs
///
/// Mutex#1 `accounts` and Mutex#2 were acquired in both orders
///   task 2 `left` held Mutex#1 `accounts` (acquired at src/main.rs:5) and acquired Mutex#2 at src/main.rs:6, 12 times
///   task 3 `right` held Mutex#2 (acquired at src/main.rs:9) and acquired Mutex#1 `accounts` at src/main.rs:10, once
/// ```
#[must_use]
pub fn lock_order() -> String {
    let mut snapshot = Snapshot::default();
    if !switch::is_cut_off() {
        snapshot.lock_order = super::lock_order::build();
    }
    snapshot.lock_order_text()
}

/// Captures what is alive, without the recorded times.
pub(crate) fn alive() -> Snapshot {
    capture::capture(Extent::Alive)
}

/// Captures the tasks that run, or wait for a thread to run them, without the waits of the others.
/// Its cost grows with the number of such tasks, plus a few loads for each other task.
pub(crate) fn running() -> Snapshot {
    capture::capture(Extent::Running)
}
