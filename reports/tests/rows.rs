//! The table by function: sums, recursion, order, quantiles.

use crate::support::{random, tree};
use diagnose_reports::{Row, rows};
use proptest::prelude::*;

fn row(drawing: &str, name: &str) -> Row {
    rows(&tree(drawing)).into_iter().find(|row| row.name == name).unwrap()
}

#[test]
fn paths_of_a_site_add_up() {
    let drawing = "
a | busy=30
  read | busy=10 idle=5 self_idle=5 calls=2 polls=4 completed=1 cancelled=1 unpolled=3 max=7
b | busy=30
  read | busy=20 idle=6 self_idle=4 calls=3 polls=5 panicked=1 never_polled=2 pending=1 running=1 max=6
";
    let read = row(drawing, "read");
    assert_eq!(
        [read.calls, read.polls, read.completed, read.cancelled, read.panicked, read.never_polled],
        [5, 9, 1, 1, 1, 2]
    );
    assert_eq!([read.pending, read.running, read.unpolled_ns, read.longest_poll_ns], [1, 1, 3, 7]);
    assert_eq!([read.self_busy_ns, read.busy_ns, read.self_idle_ns, read.idle_ns], [30, 30, 9, 11]);
}

#[test]
fn recursion_counts_its_outermost_time_once() {
    // walk  |██████████|
    // walk    |██████|        inside
    // stat      |██|          inside of that
    // walk       ..           a third, below stat
    let drawing = "
walk | busy=10 idle=8
  walk | busy=6 idle=5
    stat | busy=4 idle=2
      walk | busy=1 idle=1
walk | busy=3 idle=2 label=again
";
    let walk = row(drawing, "walk");
    assert_eq!([walk.busy_ns, walk.idle_ns], [13, 10]);
    assert_eq!(walk.self_busy_ns, 4 + 2 + 1 + 3);
    let stat = row(drawing, "stat");
    assert_eq!([stat.self_busy_ns, stat.busy_ns, stat.idle_ns], [3, 4, 2]);
}

#[test]
fn a_caller_inside_another_caller_is_not_counted_again() {
    let of = |drawing: &str, name: &str| {
        let row = row(drawing, name);
        (row.called_ns, row.callers_ns)
    };
    let nested = "
handle | busy=100
  query | busy=5
  load | busy=90
    query | busy=80
other | busy=7
  query | busy=1
";
    assert_eq!(of(nested, "query"), (86, 107));
    assert_eq!(of(nested, "load"), (90, 100));
    let recursive = "
walk | busy=30
  stat | busy=10
  walk | busy=20
    stat | busy=10
    walk | busy=10
      stat | busy=10
";
    assert_eq!(of(recursive, "stat"), (30, 30));
}

#[test]
fn the_caller_is_the_function_around_an_await() {
    let drawing = "
handle | busy=100
  timeout(fetch()).await | busy=4
    fetch | busy=3
";
    let mut snapshot = tree(drawing);
    snapshot.sites[1].kind = diagnose_reports::model::SiteKind::Await;
    let rows = rows(&snapshot);
    let fetch = rows.iter().find(|row| row.name == "fetch").unwrap();
    assert_eq!((fetch.called_ns, fetch.callers_ns), (3, 100));
}

#[test]
fn order_is_self_busy_then_self_idle_then_name() {
    let rows = rows(&tree(
        "
d | busy=1
a | busy=1 self_idle=9
c | busy=1 self_idle=9
b | busy=5
",
    ));
    assert_eq!(rows.iter().map(|row| &row.name[..]).collect::<Vec<_>>(), ["b", "a", "c", "d"]);
}

#[test]
fn quantiles_lie_evenly_in_their_bucket() {
    // 4 polls in 64..128, 4 in 128..256, from two paths: the median is the end of the first bucket.
    let drawing = "
a | busy=1
  read | max=250 polls@64..128=4 polls@128..256=1
b | busy=1
  read | max=200 polls@128..256=3
";
    let read = row(drawing, "read");
    assert_eq!(read.p50_poll_ns, Some(128));
    // The 7.92nd of 8: 3.92 of 4 into the second bucket, 128 + 128 * 0.98 = 253, but no poll took
    // that long.
    assert_eq!(read.p99_poll_ns, Some(250));
}

#[test]
fn a_single_poll_is_its_own_quantile_at_most() {
    let read = row("read | max=70 polls@64..128=1", "read");
    assert_eq!([read.p50_poll_ns, read.p99_poll_ns], [Some(70), Some(70)]);
}

#[test]
fn a_histogram_of_the_largest_counts_has_a_quantile() {
    let all = u64::MAX;
    let read = row(&format!("main | busy=70 max=70 polls@0..{all}={all} polls@7..{all}={all}"), "main");
    assert_eq!([read.p50_poll_ns, read.p99_poll_ns], [Some(70), Some(70)]);
}

#[test]
fn without_a_finished_poll_there_is_no_quantile() {
    let read = row("read | busy=500 polls=1 running=1 max=500", "read");
    assert_eq!([read.p50_poll_ns, read.p99_poll_ns], [None, None]);
}

proptest! {
    #[test]
    fn self_times_add_up_to_the_whole(snapshot in random::snapshot(60)) {
        let roots: u64 = snapshot.nodes.iter().filter(|node| node.parent.is_none()).map(|node| node.busy_ns).sum();
        let nested: u64 = snapshot.nodes.iter().map(|node| node.nested_ns).sum();
        let rows = rows(&snapshot);
        prop_assert_eq!(rows.iter().map(|row| row.self_busy_ns).sum::<u64>(), roots - nested);
        for row in rows {
            prop_assert!(row.self_busy_ns <= row.busy_ns && row.busy_ns <= roots, "{row:?}");
            prop_assert!(row.p50_poll_ns <= row.p99_poll_ns && row.p99_poll_ns <= Some(row.longest_poll_ns), "{row:?}");
        }
    }
}
