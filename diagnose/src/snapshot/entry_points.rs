//! The functions that take a capture: what the crate root has of this room, and what the watchdog and `within` ask for.

use diagnose_reports::Snapshot;

use super::capture::{self, Extent};

/// What the program has recorded up to now, over all threads, living and dead.
///
/// It includes what is still open: the running poll of a blocked thread up to now, and the wait of every pending span
/// up to now. Roots, and the children of a node, are sorted by name; times are nanoseconds. No thread is stopped;
/// the cost is a few microseconds per node, on the calling thread.
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

/// What every task is doing now, as text: each with its state, what it waits for and since when, in the style of a
/// goroutine dump. The longest wait comes first; tasks that are alike stand together.
///
/// # Examples
/// ```
/// #[diagnose::diagnose]
/// async fn handle() -> String {
///     diagnose::tree() // also from another thread, a signal or a test
/// }
///
/// let tree = futures::executor::block_on(handle());
/// assert!(tree.starts_with("tasks: 1 alive, 1 running"));
/// ```
/// Of a program with two tasks that wait, it is
/// ```text
/// tasks: 2 alive, 2 waiting
///
/// task 1 main [waiting 4.20 s] 2 polls, busy 31.0 µs
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

/// Who waits for whom, as text: each lock, channel and the like at which somebody waits, the longest wait first, with who
/// holds it since when and where, who waits in which order, and how it has been used.
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

/// Which locks were taken in both orders, or in a circle, as text: for each, who held which and took which, and where. Noted
/// only while [`Builder::lock_order`](crate::Builder::lock_order) or `DIAGNOSE_LOCK_ORDER=1` says so, empty otherwise. What
/// stands here has not hung yet, and need not: the tasks may never run at the same time.
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
/// assert!(diagnose::lock_order().contains("were taken in both orders"));
/// ```
/// Of two tasks that do this, it is
/// ```text
/// lock order: 1 circle in 2 pairs
///
/// Mutex#1 `accounts` and Mutex#2 were taken in both orders
///   task 2 `left` held Mutex#1 `accounts` (taken at src/main.rs:5) and took Mutex#2 at src/main.rs:6, 12 times
///   task 3 `right` held Mutex#2 (taken at src/main.rs:9) and took Mutex#1 `accounts` at src/main.rs:10, once
/// ```
#[must_use]
pub fn lock_order() -> String {
    let mut snapshot = Snapshot::default();
    if capture::cut_off_from().is_none() {
        snapshot.lock_order = super::lock_order::build();
    }
    snapshot.lock_order_text()
}

/// A snapshot of what is alive, without what was spent.
pub(crate) fn alive() -> Snapshot {
    capture::capture(Extent::Alive)
}

/// A snapshot of the tasks that run, or wait for a thread to run them: without what others wait for. It takes as long as
/// there are such tasks, and a glance at each of the others.
pub(crate) fn running() -> Snapshot {
    capture::capture(Extent::Running)
}
