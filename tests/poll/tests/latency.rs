//! A call lasts from its first poll to its end, and counts where it ends.

use diagnose::{FutureExt as _, diagnose};
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Panic, Wait};
use diagnose_poll_tests::{Task, latencies, pass, steps};

#[diagnose]
async fn serve(id: u32) {
    steps([Busy(1)]).await;
    query(id).await;
    count(2);
}

#[diagnose(label = "user={user}")]
async fn query(user: u32) {
    steps([Busy(1), Wait, Busy(2), Wait, Busy(3)]).await;
    let _ = user;
}

#[diagnose]
fn count(ns: u64) {
    pass(ns);
}

// serve  ├1┬──┤┈ 4 ┈├──┤┈ 4 ┈├──┬2┤   17
// query    ├1─┤┈ 4 ┈├2─┤┈ 4 ┈├3─┤     14
// count                         ├2┤    2
#[test]
fn latency_is_the_time_from_the_first_poll_to_the_end() {
    isolated!();
    let mut made_early = Task::new(serve(7));
    pass(1_000);
    while made_early.poll().is_pending() {
        pass(4);
    }
    assert_eq!(
        latencies(),
        "\
serve  completed [17]
count  completed [2]
query{user=7}  completed [14]
"
    );
}

#[test]
fn latency_is_separate_for_each_label_and_path() {
    isolated!();
    for (user, between_ns) in [(7, 4), (8, 5), (7, 6)] {
        Task::new(query(user)).run(between_ns);
    }
    Task::new(serve(7)).run(1);
    assert_eq!(
        latencies(),
        "\
query{user=7}  completed [14, 18]
query{user=8}  completed [16]
serve  completed [11]
count  completed [2]
query{user=7}  completed [8]
"
    );
}

#[test]
fn a_call_without_a_wait_lasts_as_long_as_its_poll() {
    isolated!();
    for ns in [0, 1, 31, 1_000] {
        Task::new(steps([Busy(ns)]).diagnose("short")).run(0);
    }
    assert_eq!(latencies(), "short  completed [0, 1, 31, 992]\n");
    assert_eq!(diagnose::snapshot().nodes[0].latency.completed.longest_ns, 1_000);
}

// query  ├1┤┈ 5 ┈├2┤┈ 9 ┈✗
#[test]
fn a_cancelled_call_lasts_up_to_its_drop() {
    isolated!();
    let mut task = Task::new(query(7));
    assert!(task.poll().is_pending());
    pass(5);
    assert!(task.poll().is_pending());
    pass(9);
    assert_eq!(latencies(), "", "it has not ended yet");
    drop(task);
    drop(Task::new(query(7)));
    Task::new(query(7)).run(1);
    assert_eq!(latencies(), "query{user=7}  completed [8]  cancelled [17]\n");
}

#[test]
fn a_panic_is_neither_completed_nor_cancelled() {
    isolated!();
    for script in [vec![Busy(1), Panic], vec![Busy(1), Wait, Panic]] {
        let mut task = Task::new(steps(script).diagnose("fails"));
        let run = move || while task.poll().is_pending() {};
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
    }
    assert_eq!(latencies(), "");
    assert_eq!(diagnose::snapshot().nodes[0].panicked, 2);
}

/// Unwinding drops `inner`, which is pending, and ends `outer`, which is running.
#[test]
fn a_pending_call_that_unwinding_drops_is_cancelled() {
    isolated!();
    let outer = async {
        let mut inner = Box::pin(steps([Busy(1), Wait]).diagnose("inner"));
        assert!(diagnose_poll_tests::poll(inner.as_mut()).is_pending());
        pass(6);
        steps([Panic]).await;
    };
    let mut task = Task::new(outer.diagnose("outer"));
    let run = move || while task.poll().is_pending() {};
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
    assert_eq!(latencies(), "inner  cancelled [7]\n");
}

#[test]
fn a_future_that_begins_again_is_a_call_of_its_own() {
    isolated!();
    let mut polls = 0;
    let again = std::future::poll_fn(move |_| {
        pass(3);
        polls += 1;
        if polls % 2 == 0 { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    });
    let mut task = Task::new(again.diagnose("again"));
    for between_ns in [1, 500, 2, 500] {
        let _ = task.poll();
        pass(between_ns);
    }
    assert_eq!(latencies(), "again  completed [7, 8]\n");
}

#[test]
fn durations_of_hours_keep_their_precision() {
    isolated!();
    let hour_ns = 3_600_000_000_000;
    for hours in [1, 30, 1_000] {
        Task::new(steps([Wait]).diagnose("slow")).run(hours * hour_ns);
    }
    let completed = diagnose::snapshot().nodes[0].latency.completed.quantiles();
    assert!(completed.p50_ns.abs_diff(30 * hour_ns) <= hour_ns, "{completed:?}");
    assert_eq!((completed.count, completed.max_ns), (3, 1_000 * hour_ns));
}
