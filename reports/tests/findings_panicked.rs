//! The rule `panicked` on drawn trees: how many, of how many, and whose panics they are.

use crate::support::tree;
use diagnose_reports::Snapshot;
use diagnose_reports::model::SiteKind;

/// Requests whose `parse` panics, inside an await of `handle`.
fn requests(panicked: u64, completed: u64) -> Snapshot {
    let ended = format!("completed={completed} panicked={panicked}");
    let mut snapshot = tree(&format!(
        "handle | calls=9 {ended} polls=9 busy=9_000_000\n  \
         parse(&line).await | calls=9 polls=9 busy=9_000_000\n    \
         parse | calls=9 {ended} polls=9 busy=9_000_000\n"
    ));
    snapshot.sites[1].kind = SiteKind::Await;
    snapshot
}

fn sentences(snapshot: &Snapshot) -> Vec<String> {
    snapshot.findings().iter().map(ToString::to_string).collect()
}

#[test]
fn a_function_that_panics_often_is_found_and_not_its_callers() {
    let [finding] = &sentences(&requests(480, 4_289))[..] else { panic!("one finding") };
    assert!(
        finding.starts_with(
            "480 of 4,769 calls (10 %) of `parse` (src/main.rs:3) panicked. Next: read the messages on standard error"
        ),
        "{finding}"
    );
    assert!(finding.ends_with("(panicked)"), "{finding}");
}

#[test]
fn a_caller_with_panics_of_its_own_is_found_too() {
    let mut snapshot = requests(480, 4_289);
    snapshot.nodes[0].panicked += 50;
    let found = sentences(&snapshot);
    assert!(found.iter().any(|it| it.starts_with("50 of 4,819 calls (1 %) of `handle`")), "{found:#?}");
    assert_eq!(found.len(), 2, "{found:#?}");
}

#[test]
fn few_panics_and_none_are_healthy() {
    assert_eq!(sentences(&requests(10, 990)).len(), 1);
    assert_eq!(sentences(&requests(9, 0)), [""; 0], "few");
    assert_eq!(sentences(&requests(10, 991)), [""; 0], "under 1 %");
    assert_eq!(sentences(&requests(0, 5_000)), [""; 0]);
}
