//! The classic first program gives the same tree on four runtimes.
//!
//! ```text
//! main     ├─ my_test ─┐
//!          │  100 ms   │  150 ms  │
//! polls    1           2          3
//! ```

use std::time::Duration;

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime;
use diagnose_scenarios_tests::stopwatch::{Stopwatch, is_at_least, is_at_most};
use diagnose_scenarios_tests::tree::{counts, folded, lines, node, plain, sum_of};

static AROUND: Stopwatch = Stopwatch::new();
static FIRST: Stopwatch = Stopwatch::new();
static SECOND: Stopwatch = Stopwatch::new();

async fn sleep(ms: u64) {
    let stopwatch = if ms == 100 { &FIRST } else { &SECOND };
    stopwatch.time(runtime::sleep(ms)).await;
}

#[diagnose]
async fn my_test() {
    sleep(100).await;
}

#[diagnose(name = "main")]
async fn program() {
    my_test().await;
    sleep(150).await;
}

#[test]
fn the_tree_is_the_same_on_four_runtimes() {
    diagnose_isolation::isolated!();
    for runtime in runtime::ALL {
        diagnose::reset();
        runtime.run(AROUND.time(program()));
        let full = diagnose::snapshot();
        let snapshot = plain(&full);
        let text = lines(&snapshot);
        println!("{runtime:?}\n{text}");
        // Two polls each, three of `main`, unless a timer elapsed during a delayed first poll.
        let (around, inside) = (AROUND.take(), [FIRST.take(), SECOND.take()]);
        let polls = [inside[0].count(), inside[1].count()];
        let expected = [
            format!("main > my_test > sleep(100).await: 1 calls, {} polls", polls[0]),
            format!("main > my_test: 1 calls, {} polls", polls[0]),
            format!("main > sleep(150).await: 1 calls, {} polls", polls[1]),
            format!("main: 1 calls, {} polls", polls[0] + polls[1] - 1),
        ];
        assert_eq!(counts(&snapshot), expected, "{runtime:?}");

        let main = node(&snapshot, "main");
        let test = node(&snapshot, "main > my_test");
        let first = node(&snapshot, "main > my_test > sleep(100).await");
        let second = node(&snapshot, "main > sleep(150).await");
        around.is_around(&main, &text);
        inside[0].is_inside(&first, &text);
        inside[1].is_inside(&second, &text);
        for (node, ms) in [(&first, 100), (&second, 150), (&main, 250)] {
            let least = Duration::from_millis(ms);
            is_at_least("a sleep", node.busy_ns + node.idle_ns, least, &text);
        }
        assert!(test.busy_ns >= first.busy_ns && test.idle_ns == first.idle_ns, "{text}");
        assert_eq!(main.self_idle_ns, 0, "its awaits waited, not itself\n{text}");
        assert!(main.idle_ns - (first.idle_ns + second.idle_ns) <= 1, "but for rounding\n{text}");

        let folded = folded(&full);
        let idle = |path: &str| sum_of(&folded, path, "[idle]");
        assert_eq!(sum_of(&folded, "main;", "[busy]"), main.busy_ns, "{folded:#?}");
        assert_eq!(idle("main;") + sum_of(&folded, "main;", "[queued]"), main.idle_ns, "{folded:#?}");
        assert_eq!(sum_of(&folded, "main;", "[queued]"), main.queued_ns, "{folded:#?}");
        for (path, node) in [("main;my_test;sleep(100).await;", first), ("main;sleep(150).await;", second)] {
            assert!(idle(path) <= node.idle_ns, "what was queued is not in it\n{folded:#?}");
        }
        assert!(idle("main;[idle]") <= 2, "but for rounding\n{folded:#?}");
        is_at_least("queued", main.queued_ns, around.queued, &text);
        is_at_most("queued", main.queued_ns, inside[0].queued + inside[1].queued, &text);
    }
}
