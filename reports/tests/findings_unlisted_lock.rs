//! The rule `contended` at awaits whose text says that they wait for a lock, without a record of
//! that lock.

use crate::support::tree;
use diagnose_reports::Snapshot;
use diagnose_reports::model::{Resource, ResourceId, ResourceKind, SiteKind, UsagePlace, Worker};

const MS: u64 = 1_000_000;

/// 100 reports: each waits 4 ms for `lock` on average, and 26 ms at `after`.
fn reports(lock: &str, after: &str) -> Snapshot {
    let mut snapshot = tree(&format!(
        "report | calls=100 completed=100 polls=300 busy=1_000_000 idle=3_000_000_000\n  \
         {lock} | calls=100 completed=100 polls=150 idle=400_000_000 self_idle=400_000_000\n  \
         {after} | calls=100 completed=100 polls=200 idle=2_600_000_000 self_idle=2_600_000_000"
    ));
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
    }
    snapshot.elapsed_ns = 10_000 * MS;
    snapshot
}

fn sentences(snapshot: &Snapshot) -> Vec<String> {
    snapshot.findings().iter().map(ToString::to_string).collect()
}

#[test]
fn a_lock_without_a_record_is_found_at_its_await() {
    let expected = "`cache.lock().await` (src/main.rs:2) makes `report` wait: 13 % of its time, 4.00 ms on average, for a lock that \
                    is not on record. Next: import it from `diagnose::tokio` or `diagnose::async_lock` to see who holds it, and \
                    where; it may be held over `query(id).await` (src/main.rs:3), which comes after it. (contended)";
    assert_eq!(sentences(&reports("cache.lock().await", "query(id).await")), [expected]);
    for lock in ["cache.read().await", "self.rows.write().await", "Arc::clone(&it).lock_owned().await"] {
        assert_eq!(sentences(&reports(lock, "query(id).await")).len(), 1, "{lock}");
    }
    for other in ["file.read(&mut it).await", "permits.acquire().await", "clock.block(2).await"] {
        assert_eq!(sentences(&reports(other, "query(id).await")), [""; 0], "{other} is no lock");
    }
}

#[test]
fn waits_that_are_short_few_or_on_record_are_healthy() {
    let changed = |change: &dyn Fn(&mut Snapshot)| {
        let mut snapshot = reports("cache.lock().await", "query(id).await");
        change(&mut snapshot);
        sentences(&snapshot).len()
    };
    assert_eq!(changed(&|_| ()), 1);
    assert_eq!(changed(&|it| it.nodes[1].calls = 134), 0, "under 3 ms each");
    let with_worker = |calls: u64, delayed_ms: u64| {
        changed(&|it| {
            let mut worker = Worker::default();
            (worker.cpu_ns, worker.delayed_ns) = (Some(1_000 * MS), Some(delayed_ms * MS));
            it.workers.push(worker);
            it.nodes[1].calls = calls;
        })
    };
    assert_eq!(with_worker(390, 0), 1, "over 1 ms each, and CPUs are free");
    assert_eq!(with_worker(401, 0), 0, "under 1 ms each");
    assert_eq!(with_worker(390, 1_000), 0, "the machine is half as fast");
    assert_eq!(changed(&|it| it.nodes[1].calls = 49), 0, "a start");
    assert_eq!(changed(&|it| it.nodes[0].idle_ns = 4_100 * MS), 0, "under a tenth of their time");
    assert_eq!(changed(&|it| it.nodes[0].completed = 40), 0, "they do not end");
    assert_eq!(changed(&|it| it.elapsed_ns = 41_000 * MS), 0, "under a hundredth of the recorded time");
    assert_eq!(changed(&|it| it.nodes[0].queued_ns = 301 * MS), 0, "they wait 1 ms for a thread each time");
    let recorded = |it: &mut Snapshot| {
        let mut lock = Resource::default();
        (lock.id, lock.kind) = (ResourceId::new(1), ResourceKind::Mutex);
        let mut row = UsagePlace::default();
        (row.place, row.count) = (it.sites[1].place.clone(), 1);
        lock.usage.waiters.push(row);
        it.resources.push(lock);
    };
    assert_eq!(changed(&recorded), 0, "other rules know more of it");
}

#[test]
fn workers_that_take_turns_are_healthy() {
    assert_eq!(sentences(&reports("jobs.lock().await", "jobs.recv().await")), [""; 0]);
    assert_eq!(sentences(&reports("jobs.lock().await.recv().await", "work(job).await")), [""; 0]);
}

#[test]
fn what_is_awaited_with_the_lock_is_no_wait_for_it() {
    assert_eq!(sentences(&reports("self.db.lock().await.query(id).await?", "log(id).await")), [""; 0]);
    assert_eq!(sentences(&reports("self.dbs.get(id).await.lock().await", "log(id).await")).len(), 1);
}

/// A connection reads its next request before it locks, in the function around.
#[test]
fn connections_wait_for_their_clients_without_the_lock() {
    let connection = |read: &str| {
        let mut snapshot = tree(&format!(
            "connection | calls=4 pending=4 polls=300 idle=9_000_000_000\n  \
             {read} | calls=104 completed=100 polls=200 idle=5_000_000_000 self_idle=5_000_000_000\n  \
             apply | calls=100 completed=100 polls=300 idle=3_000_000_000\n    \
             cache.lock().await | calls=100 completed=100 polls=150 idle=2_400_000_000 self_idle=2_400_000_000\n    \
             query(id).await | calls=100 completed=100 polls=200 idle=600_000_000 self_idle=600_000_000"
        ));
        for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
            site.kind = SiteKind::Await;
        }
        snapshot.elapsed_ns = 10_000 * MS;
        sentences(&snapshot).len()
    };
    assert_eq!(connection("lines.next_line().await"), 1);
    assert_eq!(connection("jobs.recv().await"), 0, "workers may share a receiver");
}
