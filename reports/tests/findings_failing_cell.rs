//! The rule `contended` for cells that are initialized again and again.

use crate::findings_locks::{MS, add_mutex, drawn, sentences};
use diagnose_reports::Snapshot;
use diagnose_reports::model::ResourceKind;

/// 100 pages that wait 40 ms each for a cell, which was initialized 25 times.
fn pages(change: impl FnOnce(&mut Snapshot)) -> Vec<String> {
    let mut snapshot = drawn(
        "page | calls=100 completed=100 polls=300 busy=1_000_000 idle=5_000_000_000\n  \
         config.get_or_try_init(load).await | calls=100 polls=200 idle=4_000_000_000 self_idle=4_000_000_000\n  \
         fetch(id).await | calls=100 polls=200 idle=1_000_000_000 self_idle=1_000_000_000",
    );
    add_mutex(&mut snapshot, "config.get_or_try_init(load).await", 100, 4_000, 1_000);
    let cell = snapshot.resources.last_mut().expect("it was added");
    cell.kind = ResourceKind::OnceCell;
    cell.usage.waiters.clear();
    (cell.usage.acquisitions, cell.usage.waited, cell.usage.waited_ns) = (25, 100, 4_000 * MS);
    change(&mut snapshot);
    sentences(&snapshot)
}

#[test]
fn a_cell_that_is_initialized_again_and_again_is_found() {
    let [finding] = &pages(|_| ())[..] else { panic!("one finding: {:?}", pages(|_| ())) };
    assert!(
        finding.starts_with(
            "the OnceCell created at src/main.rs:500 makes `page` wait: 80 % of its time, 40.0 ms on average; it was initialized 25 \
             times, one after the other, so most likely that fails. Next: find out why"
        ) && finding.ends_with("(contended)"),
        "{finding}"
    );
}

#[test]
fn cells_that_are_initialized_once_are_healthy() {
    assert_eq!(pages(|it| it.resources[0].usage.acquisitions = 1), [""; 0]);
    assert_eq!(pages(|it| it.resources[0].usage.acquisitions = 19), [""; 0], "until a server is there");
    assert_eq!(pages(|it| it.resources[0].usage.waited = 19), [""; 0], "few calls wait");
    assert_eq!(pages(|it| it.resources[0].usage.waited_ns = 99 * MS), [""; 0], "not for long");
    assert_eq!(pages(|it| it.nodes[0].idle_ns = 50_000 * MS), [""; 0], "a small share of their time");
    assert_eq!(
        pages(|it| it.resources[0].kind = ResourceKind::Barrier),
        [""; 0],
        "it is waited for each time"
    );
}
