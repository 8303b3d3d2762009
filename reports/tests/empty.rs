//! A report with nothing to draw gives the reason and the remedy, in every format and without
//! error.

use crate::support::{empty, folded, page, tree};
use diagnose_reports::{Format, Snapshot, View};

/// The first two lines of the folded report's comment.
fn reason(snapshot: &Snapshot, view: View) -> String {
    assert_eq!(folded(snapshot, view), "");
    let page = page(snapshot, Format::Folded, view);
    page.lines().take(2).map(|line| line.strip_prefix("# diagnose: ").unwrap()).collect::<Vec<_>>().join(" ")
}

#[test]
fn recording_is_off() {
    let mut snapshot = empty();
    snapshot.enabled = false;
    assert_eq!(
        reason(&snapshot, View::Time),
        "Nothing to show: recording is switched off. \
         What to do: call `diagnose::set_enabled(true)`, or run without `DIAGNOSE=off`, and dump again."
    );
}

#[test]
fn nothing_was_polled() {
    assert_eq!(
        reason(&empty(), View::Time),
        "Nothing to show: no annotated future was polled yet. \
         What to do: put `#[diagnose]` on an async fn that the program runs, or unset `DIAGNOSE_ONLY`, and dump again."
    );
}

#[test]
fn futures_were_created_but_not_polled() {
    assert_eq!(
        reason(&tree("handle | never_polled=3"), View::Time),
        "Nothing to show: futures were created, but none was polled yet. \
         What to do: check that the program awaits or spawns them, and dump again."
    );
}

#[test]
fn all_times_are_zero() {
    assert_eq!(
        reason(&tree("handle | calls=1 polls=1"), View::Time),
        "Nothing to show: there are only times of zero length. \
         What to do: let the program run longer and dump again; the counts are in the text report."
    );
}

#[test]
fn an_empty_view_names_a_view_that_is_not_empty() {
    assert_eq!(
        reason(&tree("handle | busy=1"), View::Idle),
        "Nothing to show: there is no idle time. \
         What to do: the `busy` view of this snapshot has something to show."
    );
    assert_eq!(
        reason(&tree("handle | self_idle=1"), View::Busy),
        "Nothing to show: there is no busy time. \
         What to do: the `idle` view of this snapshot has something to show."
    );
}

#[test]
fn the_text_report_says_that_nothing_was_recorded() {
    insta::assert_snapshot!(page(&empty(), Format::Text, View::Time), @r"
    server (pid 4711), recorded 2.00 s
    0 calls, 0 polls, 0 ns busy on 1 thread

    FINDINGS none

    VERDICTS none, ALARMS none

    Nothing to show: no annotated future was polled yet.
    What to do: put `#[diagnose]` on an async fn that the program runs, or unset `DIAGNOSE_ONLY`, and dump again.

    nothing dropped
    clock manual; cost of recording ≈ 60.0 µs (0 % of busy): 1,500 polls 60.0 µs
    diagnose 0.1.0, recording on
    ");
}

#[test]
fn one_nanosecond_is_something() {
    assert_eq!(folded(&tree("handle | busy=1"), View::Time), "handle;[busy] 1\n");
}
