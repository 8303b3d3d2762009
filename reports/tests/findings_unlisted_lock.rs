//! The rule `contended` at awaits whose text says that they wait for a lock, without a record of
//! that lock.

use crate::support::tree;
use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    NodeIndex, Resource, ResourceId, ResourceKind, RunState, SiteKind, Span, SpanId, UsagePlace, Worker,
};

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
fn a_lock_that_is_held_until_the_next_moment_limits_a_rate() {
    for pause in ["interval.tick().await", "sleep_until(*next).await"] {
        assert_eq!(sentences(&reports("pace.lock().await", pause)), [""; 0], "{pause}");
    }
    assert_eq!(sentences(&reports("pace.lock().await", "sleep(BACKOFF).await")).len(), 1);
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

/// 200 handlers in ten seconds, of which 80 have ended: each waits for 500 ms, and then for 100 ms.
fn handlers(awaited: &str) -> Snapshot {
    let mut snapshot = reports(awaited, "query(id).await");
    for (node, ms) in [(0, 110_000), (1, 100_000), (2, 10_000)] {
        snapshot.nodes[node].idle_ns = ms * MS;
    }
    (snapshot.nodes[0].calls, snapshot.nodes[0].completed) = (200, 80);
    snapshot.nodes[1].calls = 200;
    snapshot.nodes[0].is_unspawned = true;
    for number in 1..=4 {
        let mut span = Span::default();
        (span.site, span.state) = (snapshot.nodes[1].site, RunState::Waiting);
        (span.id, span.since_ns) = (SpanId::new(number), number * 100 * MS);
        snapshot.spans.push(span);
    }
    snapshot
}

#[test]
fn permits_and_slots_without_a_record_are_found_in_handlers() {
    let [finding] = &sentences(&handlers("self.permits.acquire().await"))[..] else { panic!("one finding") };
    let expected = "`self.permits.acquire().await` (src/main.rs:2) makes `report` wait: 91 % of its time, 500 ms on average, for \
                    permits that are not on record. Next: import it from `diagnose::tokio`";
    assert!(finding.starts_with(expected) && finding.ends_with("(contended)"), "{finding}");
    let [finding] = &sentences(&handlers("shop.jobs_tx.send(id).await"))[..] else { panic!("one finding") };
    let expected = "`shop.jobs_tx.send(id).await` (src/main.rs:2) makes `report` wait: 91 % of its time, 500 ms on average, for \
                    a slot of a channel that is not on record. Next: make its receiver faster";
    assert!(finding.starts_with(expected) && finding.ends_with("(full_channel)"), "{finding}");
    let [finding] = &sentences(&handlers("self.pool.get().await?"))[..] else { panic!("one finding") };
    let expected = "500 ms on average, for a connection of a pool that is not on record. Next: keep connections for a shorter time";
    assert!(finding.contains(expected) && finding.ends_with("(contended)"), "{finding}");
    for awaited in [
        "permits.clone().acquire_owned().await?",
        "shop.db_pool().get_conn().await?",
        "app.db.get().await",
        "self.redis.get_owned().await?",
        "news_tx.send(row).await",
        "tx.reserve().await",
        "self.tx.send((id, reply)).await?",
    ] {
        assert_eq!(sentences(&handlers(awaited)).len(), 1, "{awaited}");
    }
    for other in [
        "limiter.acquire(1).await",
        "cache.get().await",
        "pool.get(id).await",
        "app.db.get(id).await",
        "db.get_connection().await",
        "rows.get().await",
        "pool.close().await",
        "client.send(request).await",
        "mailer.send(mail).await",
        "self.ws_tx.send(frame).await",
        "http.get(url).send().await",
        "query(id).await",
    ] {
        assert_eq!(sentences(&handlers(other)), [""; 0], "{other}");
    }
}

#[test]
fn an_await_of_a_function_on_record_is_judged_by_what_that_awaits() {
    let mut snapshot = handlers("self.pool.get().await");
    snapshot.nodes[2].parent = Some(NodeIndex::new(1));
    assert_eq!(sentences(&snapshot), [""; 0], "it awaits `query(id)`");
}

#[test]
fn permits_without_a_record_that_bound_what_is_done_at_once_are_healthy() {
    let changed = |change: fn(&mut Snapshot)| {
        let mut snapshot = handlers("permits.acquire().await");
        change(&mut snapshot);
        sentences(&snapshot).len()
    };
    assert_eq!(changed(|_| ()), 1);
    assert_eq!(changed(|it| it.nodes[0].is_unspawned = false), 0, "jobs");
    assert_eq!(changed(|it| it.nodes[0].idle_ns = 201_000 * MS), 0, "under half of their time");
    assert_eq!(
        changed(|it| (it.nodes[0].idle_ns, it.nodes[1].idle_ns) = (4_000 * MS, 3_900 * MS)),
        0,
        "short"
    );
    assert_eq!(changed(|it| it.spans.truncate(3)), 0, "few wait now");
    assert_eq!(changed(|it| it.spans.iter_mut().for_each(|span| span.since_ns = MS)), 0, "they came at once");
    assert_eq!(changed(|it| it.nodes[0].completed = 49), 0, "a start");
}

#[test]
fn a_lock_of_an_overloaded_service_is_found() {
    let lock = |ended: u64| {
        let mut snapshot = handlers("rows.lock().await");
        snapshot.nodes[0].completed = ended;
        snapshot.nodes[0].calls = 800;
        sentences(&snapshot).len()
    };
    assert_eq!([lock(80), lock(79)], [1, 0], "a tenth");
}
