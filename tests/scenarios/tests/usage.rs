//! Among three tasks, the one that blocks is named, and the future that never waits is there.
//!
//! ```text
//! task1   inner_future1 ~~~ 50 ms ~~~  inner_future2 > blocking_future ▆▆ 20 ms ▆▆
//! task2   inner_future3 ▏ ~~~ 50 ms ~~~
//! ```

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::{self, sleep, spawn};
use diagnose_scenarios_tests::tree::{lines, ms, node, plain};
use diagnose_scenarios_tests::work::compute;

#[diagnose]
async fn inner_future1() {
    sleep(50).await;
}

#[diagnose]
async fn inner_future2() {
    blocking_future().await;
}

#[diagnose]
async fn blocking_future() {
    let _ = compute(1);
    std::thread::sleep(std::time::Duration::from_millis(20));
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
    let (one, two) = (spawn(task1()), spawn(task2()));
    futures::join!(one, two);
}

#[test]
fn the_longest_poll_is_named_on_four_runtimes() {
    for runtime in runtime::ALL {
        diagnose::reset();
        runtime.run(program());
        let snapshot = plain(&diagnose::snapshot());
        let text = lines(&snapshot);
        println!("{runtime:?}\n{text}");

        let blocking = node(&snapshot, "task1 > inner_future2 > blocking_future");
        assert!((20.0..200.0).contains(&ms(blocking.longest_poll_ns)), "{text}");
        assert_eq!((blocking.calls, blocking.polls, blocking.idle_ns), (1, 1, 0), "{text}");

        let ready = node(&snapshot, "task2 > inner_future3");
        assert_eq!((ready.calls, ready.polls, ready.completed, ready.idle_ns), (1, 1, 1, 0), "{text}");

        let task2 = node(&snapshot, "task2");
        assert!((49.0..200.0).contains(&ms(task2.idle_ns)), "{text}");
        // On one thread it waits for the other's poll; no run knows of the run before.
        assert!(ms(task2.queued_ns) < 40.0 && task2.queued_ns <= task2.idle_ns, "{text}");
        // Nobody else blocks.
        for quiet in ["task2", "task1 > inner_future1"] {
            assert!(node(&snapshot, quiet).longest_poll_ns < 20_000_000, "{quiet}\n{text}");
        }
    }
}
