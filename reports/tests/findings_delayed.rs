//! The function that a lock delays, on drawn trees.

use crate::findings_locks::{MS, add_mutex, drawn, returned_guard, sentences, unannotated_helper};
use crate::support::split;

/// Files and tasks of its own are work of the holder, not an event that it waits for.
#[test]
fn a_lock_held_over_a_file_or_tasks_of_its_holder_is_found() {
    let over = |awaited: &str| {
        let mut snapshot = returned_guard();
        let fetch = snapshot.sites.iter_mut().find(|site| site.name == "fetch(id).await").unwrap();
        fetch.name = awaited.into();
        sentences(&snapshot).len()
    };
    assert_eq!(over("tokio::fs::read(path).await"), 1);
    assert_eq!(over("set.join_next().await"), 1);
    assert_eq!(over("jobs.recv().await"), 0);
}

/// The lock has the next moment, and the callers take turns.
#[test]
fn a_limit_on_the_rate_of_calls_is_meant() {
    let over = |awaited: &str| {
        let mut snapshot = returned_guard();
        let fetch = snapshot.sites.iter_mut().find(|site| site.name == "fetch(id).await").unwrap();
        fetch.name = awaited.into();
        sentences(&snapshot).len()
    };
    assert_eq!(over("interval.tick().await"), 0);
    assert_eq!(over("tokio::time::sleep_until(*next).await"), 0);
    assert_eq!(over("sleep(DELAY.saturating_sub(last.elapsed())).await"), 0);
    assert_eq!(over("sleep(BACKOFF).await"), 1);
}

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

#[test]
fn a_busy_hold_on_many_paths_does_not_wait() {
    let mut snapshot = unannotated_helper(900);
    split(&mut snapshot, 0, 10);
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(finding.contains("at the longest. Next: shorten the code that runs under it"), "{finding}");
}
