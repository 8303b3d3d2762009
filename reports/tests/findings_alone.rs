//! The rules `hog` and `blocking` in programs in which nothing can wait for a thread unseen.

use crate::findings_polls::{on_one_worker, rules};
use diagnose_reports::Snapshot;
use diagnose_reports::model::{Runtime, SiteKind};

const SECOND: u64 = 1_000_000_000;

/// Thirty seconds of a loop on two workers, which takes 25 ms of CPU each second.
const CRON: &str = "cron | calls=1 pending=1 polls=61 busy=750_000_000 idle=29_000_000_000
  timer.tick().await | calls=31 completed=30 polls=61 idle=29_000_000_000
  job(now).await | calls=30 completed=30 polls=30 busy=750_000_000
    job | calls=30 completed=30 polls=30 busy=750_000_000 polls@16777216..33554432=30
";

/// A hundred files are read and hashed in `main`, one after the other: 3 s of CPU in 4 s.
const COMMAND: &str = "main | calls=1 pending=1 polls=201 busy=3_000_000_000 idle=1_000_000_000
  hash(path).await | calls=101 completed=100 pending=1 polls=201 busy=3_000_000_000 idle=1_000_000_000
    hash | calls=101 completed=100 pending=1 polls=201 busy=3_000_000_000 idle=1_000_000_000 polls@16777216..33554432=100
";

/// The rules that find something in a program whose tasks are all on record.
fn found(drawing: &str, workers: usize, cpu_ns: u64, change: impl Fn(&mut Snapshot)) -> Vec<String> {
    let mut snapshot = on_one_worker(drawing, cpu_ns);
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
    }
    (snapshot.workers[0].listed_ns, snapshot.workers[0].busy_ns) = (30 * SECOND, cpu_ns);
    snapshot.elapsed_ns = 30 * SECOND;
    let worker = snapshot.workers[0].clone();
    snapshot.workers.resize(workers, worker);
    let mut runtime = Runtime::default();
    runtime.workers = workers as u64;
    snapshot.runtimes.push(runtime);
    change(&mut snapshot);
    rules(&snapshot)
}

#[test]
fn a_job_at_an_interval_delays_nobody_in_a_program_without_other_tasks() {
    let found = |drawing: &str| found(drawing, 2, 800_000_000, |_| ());
    assert_eq!(found(CRON), [""; 0]);
    let beside = |others: &str| found(&format!("{CRON}{others}"));
    assert_eq!(beside("get | calls=900 completed=900 polls=900 idle=5_000_000"), ["hog"], "requests");
    assert_eq!(beside("load | calls=1 completed=1 polls=900 idle=5_000_000"), [""; 0], "the start");
    assert_eq!(beside("beat | calls=2 pending=2 polls=900 idle=50_000_000_000"), [""; 0], "other loops");
    let connection = "connection | calls=1 pending=1 polls=900 idle=29_000_000_000
  lines.next_line().await | calls=900 completed=900 polls=900 idle=29_000_000_000
  get(line).await | calls=900 completed=900 polls=900 idle=5_000_000
  socket.write_all(answer).await | calls=900 completed=900 polls=900 idle=5_000_000";
    assert_eq!(beside(connection), ["hog"], "requests of a connection");
    assert_eq!(found(&CRON.replace("calls=1 pending=1", "calls=2 pending=2")), ["hog"], "there are two");
}

#[test]
fn tasks_that_are_not_on_record_may_wait() {
    let found = |change: fn(&mut Snapshot)| found(CRON, 2, 800_000_000, change);
    assert_eq!(found(|it| it.unrecorded_tasks = 1), ["hog"]);
    assert_eq!(found(|it| it.runtimes.clear()), ["hog"], "the runtime is not on record either");
}

#[test]
fn the_only_task_of_a_command_may_compute() {
    let found = |drawing: &str| {
        found(drawing, 1, 3 * SECOND, |it| {
            it.elapsed_ns = 4 * SECOND;
            it.workers[0].listed_ns = 4 * SECOND;
        })
    };
    assert_eq!(found(COMMAND), [""; 0]);
    // Within `buffered`, say: calls last until the others are done.
    let hash = "    hash | calls=101 completed=100 pending=1 polls=201 busy=3_000_000_000 idle=";
    let overlapping = COMMAND.replace(&format!("{hash}1_"), &format!("{hash}20_"));
    assert_eq!(found(&overlapping), ["hog"], "its calls wait for each other");
}
