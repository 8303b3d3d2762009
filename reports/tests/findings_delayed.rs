//! The function that a lock delays, on drawn trees.

use crate::findings_locks::{MS, add_mutex, drawn, sentences};

/// A tree is walked: two functions call each other.
#[test]
fn functions_that_call_each_other_have_a_wait_once() {
    let walk = |waited_ms: u64| {
        let idle = waited_ms * MS;
        let mut snapshot = drawn(&format!(
            "visit | calls=100 completed=100 polls=200 idle=10_000_000_000\n  \
             entry | calls=100 completed=100 polls=200 idle=10_000_000_000\n    \
             visit | calls=100 completed=100 polls=200 idle=10_000_000_000\n      \
             entry | calls=100 completed=100 polls=200 idle=10_000_000_000\n        \
             rows.lock().await | calls=100 polls=200 idle={idle} self_idle={idle}"
        ));
        add_mutex(&mut snapshot, "rows.lock().await", 100, waited_ms, waited_ms);
        sentences(&snapshot)
    };
    assert_eq!(walk(400), [""; 0], "4 % of the time of `visit`");
    assert_eq!(walk(600).len(), 1, "{:?}", walk(600));
}
