//! The table of workers: shares of their polls and of their time.

use crate::support::{empty, page};
use diagnose_reports::model::{Runtime, Worker};
use diagnose_reports::{Format, Snapshot, View};

fn worker(runtime: u64, thread: &str, times: [u64; 4]) -> Worker {
    let mut worker = Worker::default();
    worker.runtime.push_str("tokio");
    worker.runtime_number = runtime;
    worker.thread.push_str(thread);
    [worker.polls, worker.busy_ns, worker.parked_ns, worker.listed_ns] = times;
    worker
}

fn table(snapshot: &Snapshot) -> Option<String> {
    let page = page(snapshot, Format::Text, View::Time);
    page.split("\n\n").find(|part| part.starts_with("WORKERS, most polls first")).map(str::to_owned)
}

#[test]
fn shares_are_of_the_runtime_and_of_the_time_listed() {
    let mut snapshot = empty();
    for number in [1, 2] {
        let mut runtime = Runtime::default();
        runtime.number = number;
        snapshot.runtimes.push(runtime);
    }
    snapshot.workers = vec![
        worker(1, "idle", [30, 5_000_000, 1_990_000_000, 2_000_000_000]),
        worker(1, "busy\n", [970, 1_900_000_000, 20_000_000, 2_000_000_000]),
        worker(2, "other", [0, 0, 0, 1_000]),
        worker(2, "unknown", [7, 7, 7, 0]),
    ];
    snapshot.workers[0].thread_id = Some(41);
    assert_eq!(
        table(&snapshot).unwrap(),
        "\
WORKERS, most polls first
  polls   share    busy  parked  listed for  worker
    970  97.0 %  95.0 %  1.00 %      2.00 s  busy of runtime 1
     30  3.00 %  0.25 %  99.5 %      2.00 s  idle (41) of runtime 1
      0     0 %     0 %     0 %     1.00 µs  other of runtime 2"
    );
}

#[test]
fn workers_without_times_have_no_table() {
    let mut snapshot = empty();
    assert_eq!(table(&snapshot), None);
    snapshot.workers = vec![worker(1, "unknown", [0; 4])];
    assert_eq!(table(&snapshot), None);
}

#[test]
fn a_thread_without_a_name_has_its_id() {
    let mut snapshot = empty();
    snapshot.workers = vec![worker(1, "", [30, 5_000_000, 1_990_000_000, 2_000_000_000])];
    snapshot.workers[0].thread_id = Some(41);
    assert!(table(&snapshot).unwrap().ends_with("  thread 41"), "{:?}", table(&snapshot));
}
