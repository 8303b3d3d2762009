//! The rule `saturated` on connections: their tasks never end, but the requests in them do.

use diagnose_reports::Snapshot;
use diagnose_reports::model::{SiteKind, Worker};

use crate::support::tree;

const MS: u64 = 1_000_000;

/// Ten seconds of 30 connections with one worker that is busy all the time. 2,000 requests wait
/// 50 ms each for their second turn; for their first turn, while `read_line` is pending, 10 ms.
const CONNECTIONS: &str = "connection | calls=30 pending=30 polls=4000 busy=9_900_000_000 queued=120_000_000_000 idle=290_000_000_000
  stream.read_line(&mut line).await | calls=2030 polls=4000 idle=190_000_000_000 self_idle=190_000_000_000
  handle(line).await | calls=2000 completed=2000 polls=4000 busy=9_900_000_000 idle=100_000_000_000
    handle | calls=2000 completed=2000 polls=4000 busy=9_900_000_000 idle=100_000_000_000
      yield_now().await | calls=2000 completed=2000 polls=4000 idle=100_000_000_000 self_idle=100_000_000_000
  stream.write_all(answer).await | calls=2000 completed=2000 polls=2000 busy=1_000_000
";

fn service(drawing: &str, cpu_ms: u64, delayed_ms: u64) -> Snapshot {
    let mut snapshot = tree(drawing);
    snapshot.elapsed_ns = 10_000 * MS;
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
    }
    let mut worker = Worker::default();
    (worker.cpu_ns, worker.delayed_ns) = (Some(cpu_ms * MS), Some(delayed_ms * MS));
    snapshot.workers.push(worker);
    snapshot
}

fn sentences(snapshot: &Snapshot) -> Vec<String> {
    snapshot.findings().iter().map(|finding| format!("{}: {}", finding.rule, finding.sentence)).collect()
}

#[test]
fn requests_of_connections_that_never_end_wait_for_busy_workers() {
    let expected = "saturated: workers are busy 99 % of the time, and a task waits 30.0 ms for its turn on average: 71 % of \
                    the time of its calls";
    assert_eq!(sentences(&service(CONNECTIONS, 9_850, 50)), [expected]);
}

#[test]
fn the_function_that_takes_most_of_the_cpu_is_named() {
    let next = |drawing: &str| {
        let finding = service(drawing, 9_850, 50).findings().remove(0);
        (finding.next, finding.place.map(|place| place.line))
    };
    let (named, line) = next(CONNECTIONS);
    let expected =
        "use less CPU in `handle` (src/main.rs:4), which takes 100 % of the busy time of tasks, add workers";
    assert!(named.starts_with(expected), "{named}");
    assert_eq!(line, Some(4));
    let handle = "    handle | calls=2000 completed=2000 polls=4000 busy=9_900_000_000";
    let divided = CONNECTIONS.replace(handle, &handle.replace("9_900", "4_900"));
    let (named, line) = next(&divided);
    assert!(named.starts_with("use less CPU in the functions at the top of the table, add"), "{named}");
    assert_eq!(line, None, "its callers compute for longer");
}

#[test]
fn tasks_that_never_end_and_answer_nothing_are_a_simulation() {
    let without = |name: &str| {
        let lines: Vec<&str> = CONNECTIONS.lines().filter(|line| !line.contains(name)).collect();
        sentences(&service(&lines.join("\n"), 9_850, 50))
    };
    assert_eq!(without("nothing").len(), 1);
    assert_eq!(without("write_all"), [""; 0], "nothing is answered");
    assert_eq!(without("read_line"), [""; 0], "nothing is asked");
}

/// The server of a library reads and writes.
#[test]
fn calls_of_a_server_in_connections_that_never_end_wait_for_busy_workers() {
    let [connection, _, around, handle, call, _] = CONNECTIONS.lines().collect::<Vec<_>>()[..] else {
        panic!("six lines")
    };
    let around = around.replace("handle(line).await", "http.serve_connection(io, handle).await");
    let drawing = [connection, &around, handle, call].join("\n");
    assert_eq!(sentences(&service(&drawing, 9_850, 50)).len(), 1);
    let around = around.replace("http.serve_connection(io, handle)", "batch(handle)");
    let drawing = [connection, &around, handle, call].join("\n");
    assert_eq!(sentences(&service(&drawing, 9_850, 50)), [""; 0], "a simulation");
}

#[test]
fn a_worker_that_waits_for_a_cpu_now_and_then_is_busy() {
    let busy = |cpu_ms, delayed_ms| sentences(&service(CONNECTIONS, cpu_ms, delayed_ms)).len();
    assert_eq!(busy(8_000, 1_900), 1);
    assert_eq!(busy(8_000, 1_400), 0, "it has time left");
    assert_eq!(busy(7_000, 2_900), 0, "it may have waited for other processes");
}

#[test]
fn connections_that_wait_for_something_else_are_not_saturated() {
    let slow = CONNECTIONS.replace("idle=100_000_000_000", "idle=200_000_000_000");
    assert_eq!(sentences(&service(&slow, 9_850, 50)), [""; 0], "under half of the time of requests");
}

/// Ten seconds of 2,000 requests on 16 workers and 2 CPUs: 20 ms in polls for 2 ms of work, 10 ms
/// of sleep.
const REQUESTS: &str =
    "item | calls=2000 completed=2000 polls=4000 busy=60_000_000_000 queued=5_000_000_000 idle=20_000_000_000
  sleep(ms(1)).await | calls=2000 completed=2000 polls=4000 idle=20_000_000_000 self_idle=20_000_000_000
";

/// The CPU time of each worker, and its waits for a CPU, in ms.
fn crowd(drawing: &str, workers: usize, cpu_ms: u64, delayed_ms: u64) -> Snapshot {
    let mut snapshot = service(drawing, cpu_ms, delayed_ms);
    snapshot.process.cpus = Some(2);
    let worker = snapshot.workers[0].clone();
    snapshot.workers.resize(workers, worker);
    snapshot
}

#[test]
fn many_workers_for_a_cpu_make_calls_slow() {
    let expected = "oversubscribed: workers wait for a CPU 80 % of the time that they could run: there are 16 workers for 2 CPUs; \
                    a call waits 26.5 ms for one on average, 66 % of its time";
    assert_eq!(sentences(&crowd(REQUESTS, 16, 1_000, 4_000)), [expected]);
}

#[test]
fn many_workers_that_can_run_most_of_the_time_are_found_where_others_use_the_cpus() {
    let found = |delayed_ms| sentences(&crowd(REQUESTS, 16, 600, delayed_ms));
    let [finding] = &found(7_000)[..] else { panic!("one finding") };
    let expected = "there are 16 workers for 2 CPUs, which other threads or processes use too; a call waits";
    assert!(finding.contains(expected), "{finding}");
    assert_eq!(found(6_800), [""; 0], "they could run 74 % of the time");
}

#[test]
fn many_workers_are_healthy_if_they_do_not_wait_for_each_other() {
    let found = |workers, cpu_ms, delayed_ms| sentences(&crowd(REQUESTS, workers, cpu_ms, delayed_ms)).len();
    assert_eq!(found(8, 1_500, 6_000), 1, "four for each CPU");
    assert_eq!(found(7, 1_500, 6_000), 0, "under four for each CPU");
    assert_eq!(found(16, 1_000, 2_900), 0, "they got a quarter of the CPU");
    assert_eq!(found(16, 624, 4_000), 0, "others use the CPUs");
    let drawn = |from: &str, to: &str| sentences(&crowd(&REQUESTS.replace(from, to), 16, 1_000, 4_000)).len();
    assert_eq!(drawn("", ""), 1);
    assert_eq!(drawn("busy=60_000_000_000", "busy=18_700_000_000"), 0, "calls lose under 10 ms");
    assert_eq!(drawn("idle=20_000_000_000", "idle=47_000_000_000"), 0, "under half of their time");
    assert_eq!(drawn("completed=2000", "completed=99"), 0, "they do not end");
    let mut snapshot = crowd(REQUESTS, 16, 1_000, 4_000);
    snapshot.process.cpus = None;
    assert_eq!(sentences(&snapshot), [""; 0], "the number of CPUs is unknown");
}
