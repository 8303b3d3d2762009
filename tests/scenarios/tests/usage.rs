//! Among three tasks, the blocking one is named. The future that never waits is listed.
//!
//! ```text
//! task1   inner_future1 ~~~ 50 ms ~~~  inner_future2 > blocking_future ▆▆ 20 ms ▆▆
//! task2   inner_future3 ▏ ~~~ 50 ms ~~~
//! ```

use std::time::Duration;

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::{self, spawn};
use diagnose_scenarios_tests::stopwatch::{Stopwatch, is_at_least, is_at_most};
use diagnose_scenarios_tests::tree::{lines, node, plain};
use diagnose_scenarios_tests::work::compute;

static AROUND_TASK1: Stopwatch = Stopwatch::new();
static AROUND_TASK2: Stopwatch = Stopwatch::new();
static AROUND_BLOCKING: Stopwatch = Stopwatch::new();
static IN_BLOCKING: Stopwatch = Stopwatch::new();
static IN_FUTURE1: Stopwatch = Stopwatch::new();
static IN_SLEEP: Stopwatch = Stopwatch::new();

async fn sleep(ms: u64) {
    IN_SLEEP.time(runtime::sleep(ms)).await;
}

#[diagnose]
async fn inner_future1() {
    IN_FUTURE1.time(runtime::sleep(50)).await;
}

#[diagnose]
async fn inner_future2() {
    // The future never waits, so this is one poll.
    let start = std::time::Instant::now();
    blocking_future().await;
    AROUND_BLOCKING.add_poll(start.elapsed());
}

#[diagnose]
async fn blocking_future() {
    IN_BLOCKING.call(|| {
        let _ = compute(1);
        std::thread::sleep(Duration::from_millis(20));
    });
}

#[diagnose]
async fn inner_future3() -> u64 {
    std::hint::black_box(3)
}

#[diagnose]
async fn task1() {
    inner_future1().await;
    inner_future2().await;
}

#[diagnose]
async fn task2() {
    inner_future3().await;
    sleep(50).await;
}

#[diagnose(name = "main")]
async fn program() {
    let (one, two) = (spawn(AROUND_TASK1.time(task1())), spawn(AROUND_TASK2.time(task2())));
    futures::join!(one, two);
}

#[test]
fn the_longest_poll_is_named_on_four_runtimes() {
    diagnose_isolation::isolated!();
    for runtime in runtime::ALL {
        diagnose::reset();
        runtime.run(program());
        let snapshot = plain(&diagnose::snapshot());
        let text = lines(&snapshot);
        println!("{runtime:?}\n{text}");

        let blocking = node(&snapshot, "task1 > inner_future2 > blocking_future");
        assert_eq!((blocking.calls, blocking.polls, blocking.idle_ns), (1, 1, 0), "{text}");
        assert_eq!(blocking.longest_poll_ns, blocking.busy_ns, "{text}");
        AROUND_BLOCKING.take().is_around(&blocking, &text);
        IN_BLOCKING.take().is_inside(&blocking, &text);
        is_at_least("a sleep", blocking.longest_poll_ns, Duration::from_millis(21), &text);

        let ready = node(&snapshot, "task2 > inner_future3");
        assert_eq!((ready.calls, ready.polls, ready.completed, ready.idle_ns), (1, 1, 1, 0), "{text}");

        let (task1, task2) = (node(&snapshot, "task1"), node(&snapshot, "task2"));
        let (around1, around2) = (AROUND_TASK1.take(), AROUND_TASK2.take());
        around1.is_around(&task1, &text);
        around2.is_around(&task2, &text);
        let slept = IN_SLEEP.take();
        slept.is_inside(&node(&snapshot, "task2 > sleep(50).await"), &text);
        // On one thread it waits for the other task's poll; runs are independent.
        is_at_least("queued", task2.queued_ns, around2.queued, &text);
        is_at_most("queued", task2.queued_ns, slept.queued, &text);
        assert!(task2.queued_ns <= task2.idle_ns, "{text}");
        // No other task blocks: the rest is the task's other polls, and its code around them.
        let future1 = node(&snapshot, "task1 > inner_future1");
        IN_FUTURE1.take().is_inside(&future1, &text);
        assert_eq!(task1.idle_ns, future1.idle_ns, "{text}");
        assert!(task1.longest_poll_ns >= blocking.longest_poll_ns, "{text}");
        is_at_most("all but the one", future1.busy_ns + blocking.busy_ns, around1.busy(), &text);
    }
}
