//! The rules `hog` and `blocking` in connections that are so busy that they wait longer for a
//! thread than for their clients, and on several threads without workers on record.

use crate::findings_polls::{on_one_worker, rules};
use diagnose_reports::model::SiteKind;

const SECOND: u64 = 1_000_000_000;

/// Twelve connections whose answers take 25 ms each, one after the other: 9 s on a CPU in ten.
fn found(read: &str, write: &str) -> Vec<String> {
    let drawing = format!(
        "serve | calls=12 pending=12 polls=360 busy=9_100_000_000 queued=70_000_000_000 idle=100_000_000_000\n  \
         {read} | calls=372 completed=360 polls=700 idle=30_000_000_000\n  \
         lookup | calls=360 completed=360 polls=360 busy=9_000_000_000 polls@16777216..33554432=360\n  \
         {write} | calls=360 completed=360 polls=360 busy=1_000_000"
    );
    let mut snapshot = on_one_worker(&drawing, 9 * SECOND);
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
    }
    rules(&snapshot)
}

#[test]
fn connections_that_wait_for_a_thread_most_of_the_time_are_delayed_by_each_other() {
    assert_eq!(found("lines.next_line().await", "socket.write_all(row).await"), ["hog"]);
}

/// The CPU time is that of `serve` itself, or of a function that is defined below it.
#[test]
fn connections_that_compute_themselves_delay_each_other() {
    let found = |call: &str| {
        let drawing = format!(
            "serve | calls=12 pending=12 polls=360 busy=9_100_000_000 queued=70_000_000_000 idle=100_000_000_000 polls@16777216..33554432=360\n  \
             lines.next_line().await | calls=372 completed=360 polls=700 idle=30_000_000_000\n  \
             socket.write_all(row).await | calls=360 completed=360 polls=360 busy=1_000_000{call}"
        );
        let mut snapshot = on_one_worker(&drawing, 9 * SECOND);
        for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
            site.kind = SiteKind::Await;
        }
        rules(&snapshot)
    };
    assert_eq!(found(""), ["hog"]);
    let hash = "\n  hash | calls=360 completed=360 busy=9_000_000_000 polls=360 polls@16777216..33554432=360";
    assert_eq!(found(hash), ["hog"]);
}

#[test]
fn calls_of_a_server_are_delayed_by_each_other() {
    let found = |around: &str| {
        let drawing = format!(
            "serve | calls=12 pending=12 polls=360 busy=9_100_000_000 queued=70_000_000_000 idle=100_000_000_000\n  \
             {around} | calls=12 pending=12 polls=360 busy=9_000_000_000 idle=100_000_000_000\n    \
             lookup | calls=360 completed=360 polls=360 busy=9_000_000_000 polls@16777216..33554432=360"
        );
        let mut snapshot = on_one_worker(&drawing, 9 * SECOND);
        snapshot.sites[1].kind = SiteKind::Await;
        rules(&snapshot)
    };
    assert_eq!(found("http.serve_connection(io, lookup).await"), ["hog"]);
    assert_eq!(found("steps.for_each(lookup).await"), [""; 0], "they compute in turns");
}

#[test]
fn tasks_that_compute_in_turns_without_a_client_are_healthy() {
    assert_eq!(found("jobs.recv().await", "socket.write_all(row).await"), [""; 0]);
    assert_eq!(found("lines.next_line().await", "rows.push(row).await"), [""; 0]);
}

#[test]
fn polls_on_several_threads_may_take_longer_than_is_recorded() {
    let sentence = |busy: u64| {
        let drawing = format!(
            "profile | calls=500 completed=500 polls=1000 busy={busy} idle=9_000_000_000 \
             polls@16777216..33554432=500 polls@1024..2048=500"
        );
        let mut snapshot = on_one_worker(&drawing, SECOND);
        snapshot.workers.clear();
        snapshot.findings()[0].sentence.clone()
    };
    assert!(
        sentence(9 * SECOND).ends_with("18.0 ms on average, 90 % of the recorded time"),
        "{}",
        sentence(9 * SECOND)
    );
    let more = sentence(13 * SECOND);
    assert!(more.ends_with("26.0 ms on average, 13.0 s on several threads, in 10.0 s recorded"), "{more}");
}
