//! The first program of the literature gives the same tree on four runtimes.
//!
//! ```text
//! main     ├─ my_test ─┐
//!          │  100 ms   │  150 ms  │
//! polls    1           2          3
//! ```

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::{self, sleep};
use diagnose_scenarios_tests::tree::{counts, folded, lines, ms, node, plain};

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
    for runtime in runtime::ALL {
        diagnose::reset();
        runtime.run(program());
        let snapshot = plain(&diagnose::snapshot());
        let text = lines(&snapshot);
        println!("{runtime:?}\n{text}");
        let expected = [
            "main > my_test > sleep(100).await: 1 calls, 2 polls",
            "main > my_test: 1 calls, 2 polls",
            "main > sleep(150).await: 1 calls, 2 polls",
            "main: 1 calls, 3 polls",
        ];
        assert_eq!(counts(&snapshot), expected, "{runtime:?}");

        let main = node(&snapshot, "main");
        let first = node(&snapshot, "main > my_test > sleep(100).await");
        let second = node(&snapshot, "main > sleep(150).await");
        let total = main.busy_ns + main.idle_ns;
        assert!((250.0..400.0).contains(&ms(total)), "{text}");
        assert!(ms(main.busy_ns) < 25.0, "{text}");
        assert!((99.0..200.0).contains(&ms(first.idle_ns)), "{text}");
        assert!((149.0..250.0).contains(&ms(second.idle_ns)), "{text}");
        assert_eq!(main.self_idle_ns, 0, "its awaits waited, not itself\n{text}");

        let folded = folded();
        let idle = |path: &str| folded.iter().find(|(it, _)| it == path).map_or(0, |(_, value)| *value);
        // Each capture measures the clock's rate anew.
        assert!(idle("main;my_test;sleep(100).await;[idle]").abs_diff(first.idle_ns) < 100_000);
        assert!(idle("main;sleep(150).await;[idle]").abs_diff(second.idle_ns) < 100_000);
    }
}
