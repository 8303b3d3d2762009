//! The footer lists losses, states costs, and marks costs that were not measured.

use crate::support::{cost, page, tree};
use diagnose_reports::model::{Activity, Thread};
use diagnose_reports::{Format, Snapshot, View};

fn footer(snapshot: &Snapshot) -> Vec<String> {
    let page = page(snapshot, Format::Folded, View::Time);
    page.lines().filter_map(|line| line.strip_prefix("# diagnose: ")).map(str::to_owned).collect()
}

#[test]
fn states_time_threads_counts_clock_cost_and_version() {
    let mut snapshot =
        tree("main | busy=1_000_000 calls=3 polls=1000\n  read | busy=500_000 calls=2 polls=500");
    snapshot.threads.push(Thread::default());
    snapshot.costs.insert(0, cost(Activity::Calls, 5, 800));
    // Less than a hundredth of the sum.
    snapshot.costs.push(cost(Activity::Wakes, 20, 200));
    assert_eq!(
        footer(&snapshot),
        [
            "server (pid 4711): 2.00 s recorded on 2 threads, 1 of them ended; 5 calls, 1,500 polls, 1.00 ms busy",
            "nothing dropped",
            "clock manual; cost of recording ≈ 61.0 µs (6.10 % of busy): 5 calls 800 ns, 1,500 polls 60.0 µs",
            "diagnose 0.1.0, recording on",
        ]
    );
}

#[test]
fn threads_that_have_all_ended_are_not_counted_twice() {
    let mut snapshot = tree("main | busy=1_000_000 calls=3 polls=1000");
    snapshot.threads[0].alive = false;
    assert!(footer(&snapshot)[0].contains("recorded on 1 thread, which ended; "), "{:?}", footer(&snapshot));
    snapshot.threads.push(Thread::default());
    assert!(footer(&snapshot)[0].contains("on 2 threads, all of them ended; "), "{:?}", footer(&snapshot));
}

#[test]
fn losses_are_listed_by_reason() {
    let mut snapshot = tree("main | busy=1");
    snapshot.dropped.over_nodes = 1200;
    snapshot.dropped.over_depth = 1;
    snapshot.dropped.over_labels = 2;
    snapshot.dropped.unreadable = 1;
    assert_eq!(
        footer(&snapshot)[1],
        "DROPPED: 1,200 calls over the limit of nodes, 1 call over the limit of depth, \
         2 labels over the limit of labels, 1 node unreadable"
    );
}

#[test]
fn jumps_of_the_clock_are_reported() {
    let mut snapshot = tree("main | busy=1");
    snapshot.costs.clear();
    snapshot.clock.jumps = 2;
    assert_eq!(
        footer(&snapshot)[2],
        "clock manual with 2 jumps relative to the system clock (suspended, restored or set back); \
         cost of recording: not measured"
    );
}

#[test]
fn unknown_values_are_called_unknown() {
    let mut snapshot = tree("main | busy=1");
    snapshot.clock.name.clear();
    snapshot.costs.clear();
    snapshot.producer.clear();
    snapshot.enabled = false;
    snapshot.process.name.clear();
    let footer = footer(&snapshot);
    assert!(footer[0].starts_with("process (pid 4711): "), "{footer:?}");
    assert_eq!(
        footer[2..],
        ["clock unknown; cost of recording: not measured", "unknown producer, recording off"]
    );
}

#[test]
fn no_reader_takes_the_footer_for_a_stack() {
    let mut snapshot = tree("main | busy=1");
    snapshot.process.name = "server\n5".into();
    let page = page(&snapshot, Format::Folded, View::Time);
    for line in page.lines().skip(1) {
        let (_, last) = line.rsplit_once(' ').unwrap();
        assert!(line.starts_with("# ") && last.parse::<f64>().is_err(), "{line}");
    }
}
