//! The rule `contended` on semaphores, whose permits are meant to bound what is done at once.

use diagnose_reports::Snapshot;
use diagnose_reports::model::{ResourceId, ResourceKind, Task, TaskId, Wait, WaitMode};

use crate::findings_locks::{MS, add_mutex, drawn, node_named, returned_guard, sentences};

/// 100 requests that wait 40 ms each for a permit and hold it for 10 ms over a query. Two more
/// wait: one for 60 ms, one for `youngest_ms`.
fn permits(youngest_ms: u64) -> Snapshot {
    let mut snapshot = returned_guard();
    let permits = &mut snapshot.resources[0];
    (permits.kind, permits.usage.held.p50_ns) = (ResourceKind::Semaphore, 10 * MS);
    for since_ms in [60, youngest_ms] {
        let mut wait = Wait::default();
        (wait.resource, wait.mode, wait.since_ns) =
            (Some(ResourceId::new(1)), WaitMode::Acquire, since_ms * MS);
        snapshot.waits.push(wait);
    }
    snapshot
}

#[test]
fn permits_are_held_over_the_calls_that_they_limit() {
    let [finding] = &sentences(&permits(1))[..] else { panic!("one finding") };
    assert!(
        finding.contains(
            "over `fetch(id).await` (src/main.rs:5). Next: hold the permits for a shorter \
             time, or add permits if the bound is not on purpose"
        ),
        "{finding}"
    );
    let mut snapshot = permits(1);
    snapshot.resources[0].usage.held.p50_ns = 11 * MS;
    assert_eq!(sentences(&snapshot), [""; 0], "bounded concurrency");
}

#[test]
fn waits_that_have_not_ended_count() {
    // Of 9.4 s, 4 s are in waits that have ended; `waiting` other waits are still open.
    let overloaded = |waiting: u64| {
        let mut snapshot = permits(1);
        let row = snapshot.resources[0].usage.waiters[0].clone();
        for node in 0..snapshot.nodes.len() - 1 {
            snapshot.nodes[node].idle_ns += 4_400 * MS;
        }
        for _ in 0..waiting {
            let mut wait = snapshot.waits[0].clone();
            (wait.place, wait.since_ns) = (Some(row.place.clone()), 60 * MS);
            snapshot.waits.push(wait);
        }
        sentences(&snapshot)
    };
    assert_eq!(overloaded(2), [""; 0]);
    let [finding] = &overloaded(58)[..] else { panic!("one finding") };
    assert!(finding.contains("makes `order` wait: 80 % of its time"), "{finding}");
}

#[test]
fn a_batch_limited_by_permits_waits_by_design() {
    assert_eq!(sentences(&permits(29)).len(), 1);
    assert_eq!(sentences(&permits(31)), [""; 0], "they came at once");
    let mut done = permits(1);
    done.waits.clear();
    assert_eq!(sentences(&done), [""; 0], "nobody waits");
}

#[test]
fn an_overloaded_service_has_more_calls_in_flight_than_have_ended() {
    let served = |ended: u64, calls: u64| {
        let mut snapshot = permits(1);
        for name in ["order", "carts"] {
            let node = node_named(&snapshot, name);
            (snapshot.nodes[node].calls, snapshot.nodes[node].completed) = (calls, ended);
        }
        sentences(&snapshot).len()
    };
    assert_eq!((served(100, 1_000), served(100, 1_010)), (1, 0), "a tenth has ended");
    assert_eq!((served(99, 900), served(99, 198)), (0, 1), "loops, or a start");
}

/// A crawler spawns a task for each link that it finds.
#[test]
fn jobs_that_nobody_has_asked_for_wait_by_design() {
    let crawler = |change: fn(&mut Snapshot)| {
        let mut snapshot = permits(1);
        for (id, name) in [(1, "order"), (2, "carts")] {
            let mut task = Task::default();
            task.id = TaskId::new(id);
            task.site = snapshot.nodes[node_named(&snapshot, name)].site;
            snapshot.tasks.push(task);
        }
        snapshot.tasks[0].spawned_by = Some(TaskId::new(2));
        change(&mut snapshot);
        sentences(&snapshot).len()
    };
    assert_eq!(crawler(|_| ()), 0);
    assert_eq!(crawler(|it| it.tasks.clear()), 1, "how they began is not on record");
    assert_eq!(crawler(|it| it.tasks[1].is_unspawned = true), 1, "spawned in a handler");
    assert_eq!(crawler(|it| it.nodes[3].calls = 101), 1, "several in a task, as in a connection");
    let most_give_up = |it: &mut Snapshot| {
        (it.resources[0].usage.contended, it.resources[0].usage.waited) = (100, 20);
    };
    assert_eq!(crawler(most_give_up), 1);
}

/// Where most waits are given up, they last as long as the callers' patience.
#[test]
fn permits_that_most_callers_give_up_on_are_found_although_the_waits_are_short() {
    let given_up = |count: u64| {
        let mut snapshot = permits(1);
        let usage = &mut snapshot.resources[0].usage;
        usage.held.p50_ns = 11 * MS;
        (usage.contended, usage.waited) = (100, 100 - count);
        sentences(&snapshot)
    };
    assert_eq!(given_up(48), [""; 0], "bounded concurrency");
    let [finding] = &given_up(80)[..] else { panic!("one finding") };
    assert!(finding.contains("waits given up; held most by"), "{finding}");
}

/// 400 requests of 40 connections that come in bursts. 300 of them wait for one of four permits,
/// 140 ms on average and 500 ms at most, and each holds it for 30 ms. Nobody waits now.
fn bursts() -> Snapshot {
    let mut snapshot = drawn(
        "connection | calls=40 pending=40 polls=1_600 busy=10_000_000 idle=399_000_000_000\n  \
         socket.read_line(&mut line).await | calls=440 polls=800 idle=345_000_000_000 self_idle=345_000_000_000\n  \
         quote(line).await | calls=400 completed=400 polls=800 idle=54_000_000_000\n    \
         quote | calls=400 completed=400 polls=800 idle=54_000_000_000\n      \
         permits.acquire().await | calls=400 polls=700 idle=42_000_000_000 self_idle=42_000_000_000\n      \
         query(id).await | calls=400 polls=800 idle=12_000_000_000 self_idle=12_000_000_000\n  \
         socket.write_all(answer).await | calls=400 completed=400 polls=400 busy=1_000_000",
    );
    add_mutex(&mut snapshot, "permits.acquire().await", 300, 42_000, 9_000);
    let permits = &mut snapshot.resources[0];
    (permits.kind, permits.capacity) = (ResourceKind::Semaphore, Some(4));
    let usage = &mut permits.usage;
    (usage.acquisitions, usage.contended, usage.waited) = (400, 300, 300);
    (usage.held.p50_ns, usage.wait.p99_ns, usage.wait.max_ns) = (30 * MS, 490 * MS, 500 * MS);
    snapshot
}

#[test]
fn bursts_of_requests_are_found_between_two_of_them() {
    let [finding] = &sentences(&bursts())[..] else { panic!("one finding") };
    assert!(
        finding.contains("makes `quote` wait: 78 % of its time, p99 490 ms; held most by `quote`"),
        "{finding}"
    );
}

/// The permits were in use for 3 s, as 400 holds of 30 ms by four at a time are.
#[test]
fn one_batch_of_requests_is_bounded_by_design() {
    let longest = |ms: u64| {
        let mut snapshot = bursts();
        snapshot.resources[0].usage.wait.max_ns = ms * MS;
        sentences(&snapshot).len()
    };
    assert_eq!(longest(750), 1, "four batches");
    assert_eq!(longest(760), 0, "fewer");
}

#[test]
fn bursts_of_jobs_are_bounded_by_design() {
    let mut snapshot = bursts();
    for site in &mut snapshot.sites {
        site.name = site.name.replace("write_all", "notify");
    }
    assert_eq!(sentences(&snapshot), [""; 0], "nobody has asked");
}

/// Waits of 100 ms on average, under four holds, in 40 % of the time of the requests.
#[test]
fn a_few_requests_that_wait_for_many_holds_are_found() {
    let bursts = |p99_ms: u64, waits: u64| {
        let mut snapshot = bursts();
        let usage = &mut snapshot.resources[0].usage;
        usage.wait.p99_ns = p99_ms * MS;
        let row = &mut usage.waiters[0];
        (row.count, row.total_ns) = (waits, waits * 100 * MS);
        for node in 0..4 {
            snapshot.nodes[node].idle_ns += 20_000 * MS;
        }
        sentences(&snapshot)
    };
    let [finding] = &bursts(300, 300)[..] else { panic!("one finding") };
    assert!(finding.contains("makes `quote` wait: 41 % of its time, p99 300 ms"), "{finding}");
    assert_eq!(bursts(299, 300), [""; 0], "the longest take under ten holds");
    assert_eq!(bursts(300, 99), [""; 0], "few");
}

/// Eight connections and two permits: requests wait for three holds each, and nobody else does.
#[test]
fn requests_that_wait_longer_than_they_work_are_found() {
    let crowd = |held_ms: u64, waits: u64| {
        let mut snapshot = bursts();
        let usage = &mut snapshot.resources[0].usage;
        usage.held.p50_ns = held_ms * MS;
        (usage.waiters[0].count, usage.waiters[0].total_ns) = (waits, waits * 140 * MS);
        sentences(&snapshot).len()
    };
    assert_eq!([crowd(60, 300), crowd(150, 300)], [1, 0], "a wait of 140 ms, and one hold or more");
    assert_eq!(crowd(60, 99), 0, "few");
}

/// Two permits over a query of 200 ms: of 120 handlers in 10 s, 92 have waited.
#[test]
fn few_waits_of_requests_for_permits_are_found_if_they_are_long() {
    let found = |waits: u64, ended: u64, waited_ms: u64, elapsed_ms: u64| {
        let idle = waited_ms * MS;
        let mut snapshot = drawn(&format!(
            "quote | calls=120 completed={ended} polls=300 idle={}\n  \
             permits.acquire().await | calls=120 polls=200 idle={idle} self_idle={idle}\n  \
             query(id).await | calls=100 polls=200 idle=20_000_000_000 self_idle=20_000_000_000",
            idle + 20_000 * MS
        ));
        snapshot.nodes[0].is_unspawned = true;
        add_mutex(&mut snapshot, "permits.acquire().await", waits, waited_ms, 20_000);
        let permits = &mut snapshot.resources[0];
        (permits.kind, permits.capacity) = (ResourceKind::Semaphore, Some(2));
        (permits.usage.held.p50_ns, permits.usage.wait.max_ns) = (200 * MS, 1_500 * MS);
        snapshot.elapsed_ns = elapsed_ms * MS;
        sentences(&snapshot).len()
    };
    assert_eq!(found(92, 100, 40_000, 10_000), 1);
    assert_eq!([found(92, 20, 40_000, 10_000), found(92, 19, 40_000, 10_000)], [1, 0], "overloaded");
    assert_eq!([found(50, 100, 30_000, 10_000), found(19, 100, 11_400, 10_000)], [1, 0], "few");
    assert_eq!(found(92, 100, 40_000, 4_999), 0, "a start");
}
