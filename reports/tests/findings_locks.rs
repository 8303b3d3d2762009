//! The rule `contended` on drawn trees: the awaits under a lock, and locks that only take turns.

use crate::support::tree;
use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    Node, NodeIndex, Resource, ResourceId, ResourceKind, SiteKind, UsagePlace, Wait, WaitMode, Worker,
};

pub(crate) const MS: u64 = 1_000_000;

/// A drawn tree of ten seconds. Names with `.await` are awaits, each on a line of its own.
pub(crate) fn drawn(drawing: &str) -> Snapshot {
    let mut snapshot = tree(drawing);
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
        site.end_line = site.place.line;
        site.end_column = 40;
    }
    snapshot.elapsed_ns = 10_000 * MS;
    snapshot
}

pub(crate) fn node_named(snapshot: &Snapshot, name: &str) -> usize {
    let is_it = |node: &Node| snapshot.site(node.site).is_some_and(|site| site.name == name);
    snapshot.nodes.iter().position(is_it).unwrap()
}

/// Adds a mutex that is waited for and held `count` times at this await, with these totals.
pub(crate) fn add_mutex(snapshot: &mut Snapshot, at: &str, count: u64, waited_ms: u64, held_ms: u64) {
    let node = node_named(snapshot, at);
    let site = &snapshot.sites[snapshot.nodes[node].site.get()];
    let mut row = UsagePlace::default();
    // A wrapper knows the column of its method, inside the await.
    row.place = site.place.clone();
    row.place.column += 5;
    row.node = Some(NodeIndex::new(node));
    row.count = count;
    let row = |total_ms: u64| {
        let mut row = row.clone();
        (row.total_ns, row.longest_ns) = (total_ms * MS, total_ms * MS / count * 2);
        row
    };
    let mut lock = Resource::default();
    lock.id = ResourceId::new(snapshot.resources.len() as u64 + 1);
    lock.kind = ResourceKind::Mutex;
    lock.created = Some(crate::support::place_at(500, 9));
    lock.usage.acquisitions = count;
    lock.usage.waiters = vec![row(waited_ms)];
    lock.usage.holders = vec![row(held_ms)];
    snapshot.resources.push(lock);
}

pub(crate) fn sentences(snapshot: &Snapshot) -> Vec<String> {
    snapshot.findings().iter().map(ToString::to_string).collect()
}

/// 100 requests that wait 40 ms each for a lock and hold it for 10 ms. `carts` returns the guard,
/// and its caller holds it over a query.
pub(crate) fn returned_guard() -> Snapshot {
    let mut snapshot = drawn(
        "order | calls=100 completed=100 polls=300 busy=1_000_000 idle=5_000_000_000\n  \
         self.carts().await | calls=100 polls=200 idle=4_000_000_000\n    \
         carts | calls=100 completed=100 polls=200 busy=1_000_000 idle=4_000_000_000\n      \
         lock().await | calls=100 polls=200 idle=4_000_000_000 self_idle=4_000_000_000\n  \
         fetch(id).await | calls=100 polls=200 idle=1_000_000_000 self_idle=1_000_000_000",
    );
    add_mutex(&mut snapshot, "lock().await", 100, 4_000, 1_000);
    snapshot
}

#[test]
fn a_guard_is_followed_to_the_caller_it_is_returned_to() {
    let [finding] = &sentences(&returned_guard())[..] else { panic!("one finding") };
    assert!(finding.contains("makes `order` wait: 80 % of its time"), "{finding}");
    assert!(finding.contains("held most by `carts` at src/main.rs:4"), "{finding}");
    assert!(finding.contains("over `fetch(id).await` (src/main.rs:5)"), "{finding}");
    assert!(finding.contains("Next: do not hold it across `fetch(id).await`; if it guards"), "{finding}");
}

#[test]
fn a_lock_held_over_the_wait_for_another_is_to_be_acquired_in_one_order() {
    let mut snapshot = returned_guard();
    add_mutex(&mut snapshot, "fetch(id).await", 100, 100, 50);
    let text = sentences(&snapshot).join("\n");
    let next = "Next: do not hold it across `fetch(id).await`, which waits for another lock; where both are needed, \
                acquire them in the same order everywhere";
    assert!(text.contains(next), "{text}");
}

#[test]
fn a_helper_whose_guard_others_drop_at_once_is_followed_to_the_long_hold() {
    let mut snapshot = returned_guard();
    // Readers took the lock by the same helper, 300 times for a moment.
    snapshot.resources[0].usage.holders[0].count = 400;
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(finding.contains("over `fetch(id).await` (src/main.rs:5)"), "{finding}");
}

/// A migration at a start, which all requests wait for, and holds of a few microseconds.
#[test]
fn waits_for_a_single_long_hold_do_not_come_again() {
    let longest = |ms: u64| {
        let mut snapshot = returned_guard();
        snapshot.resources[0].usage.holders[0].longest_ns = ms * MS;
        sentences(&snapshot).len()
    };
    assert_eq!((longest(900), longest(910)), (1, 0));
}

#[test]
fn waits_that_timeouts_end_are_told_beside_the_quantiles() {
    let mut snapshot = returned_guard();
    let usage = &mut snapshot.resources[0].usage;
    (usage.contended, usage.waited) = (100, 20);
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(finding.contains("80 % of its time, p99 0 ns, 80 of 100 waits given up; held"), "{finding}");
    let usage = &mut snapshot.resources[0].usage;
    (usage.contended, usage.waited) = (100, 99);
    assert!(!sentences(&snapshot)[0].contains("given up"));
}

/// Requests under a timeout that most of them run into; they take longer than their waits for the
/// lock.
#[test]
fn a_lock_comes_before_the_timeouts_that_end_the_waits_for_it() {
    let mut snapshot = drawn(
        "order | calls=100 completed=100 polls=300 busy=1_000_000 idle=5_000_000_000\n  \
         timeout(LIMIT, hold(&m)).await | calls=100 polls=300 idle=5_000_000_000\n    \
         hold | calls=100 completed=9 cancelled=91 polls=200 busy=1_000_000 idle=5_000_000_000\n      \
         lock().await | calls=100 polls=200 idle=4_000_000_000 self_idle=4_000_000_000\n      \
         fetch(id).await | calls=100 polls=200 idle=1_000_000_000 self_idle=1_000_000_000",
    );
    let rules = |snapshot: &Snapshot| {
        let findings = snapshot.findings();
        findings.iter().map(|finding| finding.rule.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(rules(&snapshot), ["contended", "cancelled"], "known from the text of its await");
    assert!(snapshot.findings()[0].sentence.contains("not on record"), "{}", snapshot.findings()[0]);
    add_mutex(&mut snapshot, "lock().await", 100, 4_000, 1_000);
    assert_eq!(rules(&snapshot), ["contended", "cancelled"]);
    assert!(snapshot.findings()[0].sentence.contains("the Mutex created"), "{}", snapshot.findings()[0]);
    assert!(snapshot.findings()[0].explains_ns < snapshot.findings()[1].explains_ns);
}

/// Four connections that wait for the lock in their requests, and for their clients in between.
#[test]
fn the_slow_request_is_named_and_not_its_connection() {
    let mut snapshot = drawn(
        "conn | calls=4 pending=4 polls=300 busy=1_000_000 idle=8_000_000_000\n  \
         next_line().await | calls=100 polls=200 idle=3_000_000_000 self_idle=3_000_000_000\n  \
         order | calls=100 completed=100 polls=300 busy=1_000_000 idle=5_000_000_000\n    \
         lock().await | calls=100 polls=200 idle=4_000_000_000 self_idle=4_000_000_000\n    \
         fetch(id).await | calls=100 polls=200 idle=1_000_000_000 self_idle=1_000_000_000",
    );
    add_mutex(&mut snapshot, "lock().await", 100, 4_000, 1_000);
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(finding.contains("makes `order` wait: 80 % of its time"), "{finding}");
}

/// A report that never ends, and a reader of the same lock whose calls end.
#[test]
fn one_call_that_never_ends_is_no_request() {
    let mut snapshot = drawn(
        "bump | calls=1 pending=1 polls=300 busy=1_000_000 idle=8_000_000_000\n  \
         lock().await | calls=100 polls=200 idle=2_000_000_000 self_idle=2_000_000_000\n\
         peek | calls=100 completed=100 polls=300 busy=1_000_000 idle=2_000_000_000\n  \
         lock().await | calls=100 polls=200 idle=2_000_000_000 self_idle=2_000_000_000",
    );
    add_mutex(&mut snapshot, "lock().await", 200, 4_000, 1_000);
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(finding.contains("makes `peek` wait: 100 % of its time"), "{finding}");
}

#[test]
fn a_guard_is_not_followed_out_of_a_function_that_works_under_it() {
    let mut snapshot = returned_guard();
    let carts = node_named(&snapshot, "carts");
    // 10 ms in each call: as long as the hold.
    snapshot.nodes[carts].busy_ns = 1_000 * MS;
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(!finding.contains(", over "), "{finding}");
}

/// Adds a worker with ten seconds on a CPU and `delayed_ms` in the queue for one.
fn add_worker(snapshot: &mut Snapshot, delayed_ms: u64) {
    let mut worker = Worker::default();
    (worker.cpu_ns, worker.delayed_ns) = (Some(10_000 * MS), Some(delayed_ms * MS));
    snapshot.workers.push(worker);
}

#[test]
fn a_lock_that_is_granted_to_tasks_without_a_thread_is_not_held() {
    let found = |queued_ms: u64, delayed_ms: u64| {
        let mut snapshot = returned_guard();
        // 100 of the 300 polls follow a grant, and so a third of the queued time. Without its
        // longest hold, the lock is held for 990 ms.
        snapshot.nodes[0].queued_ns = queued_ms * MS;
        add_worker(&mut snapshot, delayed_ms);
        sentences(&snapshot).len()
    };
    // The longest hold is twice the mean, and is left out.
    assert_eq!(found(2_900, 3_000), 1, "it was granted and not yet held for 970 ms");
    assert_eq!(found(3_100, 3_000), 0, "for 1,030 ms");
    assert_eq!(found(3_100, 2_000), 1, "in which the program used the CPUs itself");
}

#[test]
fn waits_are_scaled_by_the_delay_of_the_workers() {
    let delayed_by = |ms: u64| {
        let mut snapshot = returned_guard();
        let usage = &mut snapshot.resources[0].usage;
        usage.waiters[0].total_ns = 900 * MS;
        add_worker(&mut snapshot, ms);
        sentences(&snapshot).len()
    };
    assert_eq!(delayed_by(70_000), 1, "waits of 9 ms, on a machine that is eight times as slow");
    assert_eq!(delayed_by(90_000), 0, "ten times");
}

/// Four workers that take turns at a receiver behind a mutex, in one statement or in two.
fn workers_that_take_turns(receive: &str) -> Snapshot {
    let mut snapshot = drawn(&format!(
        "worker | calls=4 polls=1_200 pending=4 busy=10_000_000 idle=38_000_000_000\n  \
         jobs.lock().await | calls=400 polls=800 idle=28_000_000_000 self_idle=28_000_000_000\n  \
         {receive} | calls=400 polls=800 idle=10_000_000_000 self_idle=10_000_000_000\n  \
         run(job).await | calls=400 polls=800 idle=11_000_000_000 self_idle=11_000_000_000"
    ));
    add_mutex(&mut snapshot, "jobs.lock().await", 400, 28_000, 10_000);
    snapshot
}

#[test]
fn workers_that_share_a_receiver_wait_for_their_turn_not_for_the_lock() {
    assert_eq!(sentences(&workers_that_take_turns("jobs.recv().await")), [""; 0]);
    let mut snapshot = workers_that_take_turns("jobs.lock().await.recv().await");
    let lock = snapshot.sites[1].place.clone();
    (snapshot.sites[2].place, snapshot.sites[2].end_line, snapshot.sites[2].end_column) =
        (lock.clone(), lock.line, 60);
    assert_eq!(sentences(&snapshot), [""; 0], "both awaits begin at one column");
    let [finding] = &sentences(&workers_that_take_turns("query(id).await"))[..] else { panic!("a finding") };
    assert!(finding.contains("over `query(id).await`"), "a loop holds it once a turn: {finding}");
}

#[test]
fn a_lock_over_a_full_channel_is_held_over_a_slow_receiver() {
    let workers = |mode: WaitMode| {
        let mut snapshot = workers_that_take_turns("forward(job).await");
        let mut channel = Resource::default();
        (channel.id, channel.kind) = (ResourceId::new(9), ResourceKind::Mpsc);
        let mut wait = Wait::default();
        (wait.resource, wait.mode) = (Some(channel.id), mode);
        wait.place = Some(snapshot.sites[2].place.clone());
        snapshot.resources.push(channel);
        snapshot.waits.push(wait);
        sentences(&snapshot)
    };
    assert_eq!(workers(WaitMode::Receive), [""; 0], "they take turns at the receiver");
    let [finding] = &workers(WaitMode::Send)[..] else { panic!("a finding") };
    assert!(finding.contains("over `forward(job).await`"), "{finding}");
}

/// 100 requests that wait 40 ms each for a lock, and hold it for 10 ms, all in one await of a
/// function that is not annotated. Its calls are busy for `busy_ms` in all.
pub(crate) fn unannotated_helper(busy_ms: u64) -> Snapshot {
    let busy = busy_ms * MS;
    let mut snapshot = drawn(&format!(
        "order | calls=100 completed=100 polls=300 busy={busy} idle=5_000_000_000\n  \
         self.set(id).await | calls=100 polls=300 busy={busy} idle=5_000_000_000 self_idle=5_000_000_000"
    ));
    add_mutex(&mut snapshot, "self.set(id).await", 100, 4_000, 1_000);
    snapshot
}

#[test]
fn a_hold_that_is_not_busy_waits_at_an_await_that_is_not_on_record() {
    let [finding] = &sentences(&unannotated_helper(300))[..] else { panic!("one finding") };
    assert!(
        finding.contains("at the longest, most of it waiting. Next: do not hold it across an await"),
        "{finding}"
    );
    let [finding] = &sentences(&unannotated_helper(400))[..] else { panic!("one finding") };
    assert!(finding.contains("at the longest. Next: shorten the code that runs under it"), "{finding}");
}

#[test]
fn where_cpus_are_scarce_a_holder_may_wait_for_a_thread_instead_of_an_await() {
    let found = |busy_ms: u64, delayed_ms: u64| {
        let mut snapshot = unannotated_helper(busy_ms);
        add_worker(&mut snapshot, delayed_ms);
        sentences(&snapshot).len()
    };
    assert_eq!(found(300, 2_400), 1, "the program used the CPUs itself");
    assert_eq!(found(300, 2_600), 0, "it held the lock over no await on record");
    assert_eq!(found(400, 2_600), 1, "it was busy with it");
    assert_eq!(found(400, 89_000), 1, "workers got a tenth of the time that they wanted");
    assert_eq!(found(400, 91_000), 0, "less than that");
    let hardly_busy = |delayed_ms: u64| {
        let mut snapshot = unannotated_helper(100);
        add_worker(&mut snapshot, delayed_ms);
        snapshot.workers[0].cpu_ns = Some(100 * MS);
        sentences(&snapshot).len()
    };
    assert_eq!(hardly_busy(480), 1, "most of each hold is no wait for a CPU");
    assert_eq!(hardly_busy(520), 0, "half of it may be");
}

/// 100 of 500 exports hold the lock of one tenant over an upload of 40 ms. The others hold locks of
/// other tenants for 1 ms.
#[test]
fn a_hold_over_an_await_that_is_mostly_short_is_found_by_its_sum() {
    let mut snapshot = drawn(
        "export | calls=500 completed=500 polls=1500 busy=50_000_000 idle=8_400_000_000\n  \
         tenants[tenant].lock().await | calls=500 polls=600 idle=4_000_000_000 self_idle=4_000_000_000\n  \
         upload(tenant).await | calls=500 polls=1000 idle=4_400_000_000 self_idle=4_400_000_000",
    );
    add_mutex(&mut snapshot, "tenants[tenant].lock().await", 100, 4_000, 4_000);
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(finding.contains("over `upload(tenant).await` (src/main.rs:3)"), "{finding}");
}

#[test]
fn locks_without_a_place_of_creation_are_named_by_their_acquisition() {
    let mut snapshot = returned_guard();
    snapshot.resources[0].created = None;
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(finding.starts_with("the Mutex acquired at src/main.rs:"), "{finding}");
}

#[test]
fn locks_of_one_place_are_named_by_their_kind() {
    let mut snapshot = returned_guard();
    add_mutex(&mut snapshot, "lock().await", 100, 500, 1);
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(finding.starts_with("each Mutex created at src/main.rs:500 (2 of them) makes"), "{finding}");
}

#[test]
fn one_lock_of_many_is_a_hot_shard() {
    let mut snapshot = returned_guard();
    add_mutex(&mut snapshot, "lock().await", 100, 400, 1);
    let mut free = Resource::default();
    (free.id, free.kind) = (ResourceId::new(9), ResourceKind::Mutex);
    free.created.clone_from(&snapshot.resources[0].created);
    snapshot.resources.push(free);
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding") };
    assert!(finding.starts_with("one Mutex of those created at src/main.rs:500 makes"), "{finding}");
}

/// Jobs on threads for blocking code look up hosts one after the other, under a lock of std.
#[test]
fn threads_that_wait_for_a_lock_are_delayed_too() {
    let mut snapshot = drawn(
        "job | calls=100 completed=100 busy=9_000_000_000\n  \
         resolve | calls=100 completed=100 busy=9_000_000_000",
    );
    for site in [0, 1] {
        snapshot.sites[site].kind = SiteKind::Sync;
    }
    add_mutex(&mut snapshot, "resolve", 100, 8_000, 1_000);
    let found = sentences(&snapshot);
    assert!(found.iter().any(|it| it.contains("makes `job` wait: 89 % of its time")), "{found:?}");
}

/// 200 requests and a job wait for one pool of permits at one await, on two paths.
#[test]
fn a_slow_await_of_permits_is_one_finding_that_names_their_holder() {
    let path = |calls: u64, idle_ms: u64| {
        let ends = format!("calls={calls} completed={calls} polls=400 idle={}", idle_ms * MS);
        format!(
            "  db.query(id).await | {ends}\n    query | {ends}\n      permits.acquire().await | {ends} self_{}\n",
            ends.split(' ').next_back().unwrap_or_default()
        )
    };
    let (request, job) = (path(200, 5_400), path(50, 5_600));
    let mut snapshot = drawn(&format!(
        "customer | calls=200 completed=200 polls=400 idle=5_400_000_000\n{request}\
         job | calls=1 polls=400 pending=1 idle=5_600_000_000\n{job}"
    ));
    let lengths = [vec![3 * MS; 196], vec![1_200 * MS; 4]].concat();
    for node in &mut snapshot.nodes {
        node.latency.completed = crate::support::latency::durations(&lengths);
    }
    add_mutex(&mut snapshot, "permits.acquire().await", 200, 8_000, 4_000);
    let permits = &mut snapshot.resources[0];
    permits.kind = ResourceKind::Semaphore;
    // Permits that are waited for about as long as they are held are no bottleneck by themselves.
    permits.usage.held.p50_ns = 20 * MS;
    let [finding] = &sentences(&snapshot)[..] else { panic!("one finding: {:?}", sentences(&snapshot)) };
    assert!(finding.contains("of `query` (src/main.rs:3) take 500 ms or more"), "{finding}");
    let next = "Next: look at the calls that hold the Semaphore created at src/main.rs:500; it is held most by `query`";
    assert!(finding.contains(next), "{finding}");
    snapshot.resources[0].usage.holders[0].longest_ns = 3_700 * MS;
    assert_eq!(sentences(&snapshot), [""; 0], "a single hold does not come again");
}
