//! The rule `unrecorded`: code without annotation uses the workers, and calls wait for them.

use diagnose_reports::Snapshot;
use diagnose_reports::model::{SiteKind, Thread, Worker};

use crate::support::latency::durations;
use crate::support::{split, tree};

const MS: u64 = 1_000_000;

/// Ten seconds of 2,000 requests: 2 ms each, and 40 ms for `slow` of them.
const REQUESTS: &str = "item | calls=2000 completed=2000 polls=4000 busy=20_000_000 idle=6_000_000_000 queued=600_000_000
  query(id).await | calls=2000 completed=2000 polls=4000 busy=10_000_000 idle=6_000_000_000 self_idle=6_000_000_000
";

/// Two workers with 2,000 polls each, which were on a CPU for `cpu_ms`, and parked for as long as
/// they did not need one.
fn service(drawing: &str, slow: usize, slow_ms: u64, cpu_ms: u64) -> Snapshot {
    let mut snapshot = tree(drawing);
    snapshot.elapsed_ns = 10_000 * MS;
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
    }
    let mut lengths = vec![2 * MS; 2_000 - slow];
    lengths.resize(2_000, slow_ms * MS);
    snapshot.nodes[0].latency.completed = durations(&lengths);
    for _ in 0..2 {
        let mut worker = Worker::default();
        (worker.cpu_ns, worker.delayed_ns) = (Some(cpu_ms * MS), Some(10 * MS));
        (worker.polls, worker.busy_ns) = (2_000, 10 * MS);
        (worker.listed_ns, worker.parked_ns) = (10_000 * MS, (10_000 - cpu_ms) * MS);
        snapshot.workers.push(worker);
    }
    snapshot
}

fn sentences(snapshot: &Snapshot) -> Vec<String> {
    snapshot.findings().iter().map(|finding| format!("{}: {}", finding.rule, finding.sentence)).collect()
}

#[test]
fn calls_that_wait_for_code_without_annotation_are_found() {
    let snapshot = service(REQUESTS, 60, 40, 4_410);
    let expected = "unrecorded: workers spend 44 % of their time in code that is not on record, and `item` (src/main.rs:1) \
                    takes 40.0 ms at p99, 2.00 ms at the median";
    assert_eq!(sentences(&snapshot), [expected]);
    let finding = &snapshot.findings()[0];
    assert_eq!(
        (finding.explains_ns, finding.per_mille, finding.place.as_ref()),
        (8_800 * MS, Some(440), None)
    );
    assert_eq!(finding.evidence.sites, [snapshot.nodes[0].site]);
    assert!(finding.next.contains("the return value of a handler counts too"), "{finding:?}");
}

#[test]
fn they_are_healthy_if_the_workers_have_time_or_the_calls_do_not_suffer() {
    let found = |slow, slow_ms, cpu_ms| sentences(&service(REQUESTS, slow, slow_ms, cpu_ms)).len();
    assert_eq!(found(60, 40, 1_111), 1, "10 %, and 50 µs for each poll");
    assert_eq!(found(60, 40, 1_109), 0, "a framework may need as much");
    assert_eq!(found(60, 18, 4_410), 0, "not slow");
    assert_eq!(found(10, 40, 4_410), 0, "under one in a hundred");
    assert_eq!(found(1_200, 40, 4_410), 0, "most calls are that slow");
    let changed = |change: &dyn Fn(&mut Snapshot)| {
        let mut snapshot = service(REQUESTS, 60, 40, 4_410);
        change(&mut snapshot);
        sentences(&snapshot).len()
    };
    assert_eq!(changed(&|it| it.elapsed_ns = 4_999 * MS), 0, "a start");
    let with_workers = |change: fn(&mut Worker)| changed(&|it| it.workers.iter_mut().for_each(change));
    assert_eq!(with_workers(|_| ()), 1);
    assert_eq!(with_workers(|it| it.polls = 70_000), 0, "for many polls");
    assert_eq!(with_workers(|it| it.busy_ns = 3_400 * MS), 0, "in polls on record");
    assert_eq!(with_workers(|it| it.parked_ns = 9_000 * MS), 0, "before the last reset");
    assert_eq!(with_workers(|it| it.cpu_ns = None), 0, "unknown");
    assert_eq!(with_workers(|it| it.delayed_ns = Some(4_500 * MS)), 0, "other processes use the machine");
}

#[test]
fn calls_that_wait_for_the_next_event_do_not_suffer() {
    let snapshot = service(&REQUESTS.replace("query(id)", "events.recv()"), 60, 40, 4_410);
    assert_eq!(sentences(&snapshot), [""; 0]);
}

/// A read-through cache: those calls that miss it ask a database.
#[test]
fn slow_calls_with_an_await_of_their_own_do_not_suffer() {
    let with_misses = |misses: u64, idle_ms: u64| {
        let idle = idle_ms * MS;
        let drawing = REQUESTS.replace(
            "query(id).await | calls=2000 completed=2000 polls=4000 busy=10_000_000 idle=6_000_000_000 self_idle=6_000_000_000",
            &format!("query(id).await | calls={misses} polls=4000 idle={idle} self_idle={idle}"),
        );
        sentences(&service(&drawing, 60, 40, 4_410)).len()
    };
    assert_eq!([with_misses(200, 4_100), with_misses(600, 13_000)], [0, 0]);
    assert_eq!([with_misses(1_000, 20_500), with_misses(1_001, 20_600)], [0, 1], "half of the calls");
    assert_eq!(with_misses(600, 11_700), 1, "they are not that slow there");
}

#[test]
fn labels_do_not_make_an_await_of_all_calls_a_rare_one() {
    let drawing = format!(
        "{}  query(id).await | calls=2000 completed=2000 polls=4000 idle=41_000_000_000
    query | calls=2000 completed=2000 polls=4000 idle=41_000_000_000
      db.run(id).await | calls=2000 completed=2000 polls=4000 idle=41_000_000_000 self_idle=41_000_000_000",
        REQUESTS.split_inclusive('\n').next().unwrap().replace("idle=6_000_000_000", "idle=41_000_000_000")
    );
    let mut snapshot = service(&drawing, 60, 40, 4_410);
    let whole = sentences(&snapshot);
    split(&mut snapshot, 2, 20);
    assert_eq!((whole.len(), sentences(&snapshot)), (1, whole));
}

/// Compression takes a CPU, and the database of one handler is slow now and then.
#[test]
fn a_function_that_waits_as_often_without_delays_shows_that_the_slow_calls_are_slow_by_themselves() {
    let beside = |calls: usize, waits: usize, slow_ms: u64| {
        let drawing = format!(
            "{REQUESTS}user | calls={calls} completed={calls} polls={} busy=20_000_000 idle=6_000_000_000
  find(id).await | calls={calls} completed={calls} polls={} idle=6_000_000_000 self_idle=6_000_000_000",
            calls + waits,
            calls + waits
        );
        let mut snapshot = service(&drawing, 60, 40, 4_410);
        let mut lengths = vec![2 * MS; calls - calls / 50];
        lengths.resize(calls, slow_ms * MS);
        snapshot.nodes[2].latency.completed = durations(&lengths);
        sentences(&snapshot)
    };
    assert_eq!(beside(1_000, 1_000, 9), [""; 0]);
    let [finding] = &beside(1_000, 1_000, 11)[..] else { panic!("one finding") };
    assert!(finding.contains("and `item` (src/main.rs:1) takes 40.0 ms at p99"), "{finding}");
    assert_eq!(beside(1_000, 990, 9).len(), 1, "it waits less often");
    assert_eq!(beside(99, 99, 9).len(), 1, "few calls");
    // 3 % of the slow function's calls are late.
    assert_eq!(beside(330, 330, 9).len(), 1, "of so few calls, fewer than ten would be late");
    assert_eq!(beside(340, 340, 9), [""; 0]);
}

/// Beside it, `sign` computes for 7 ms in each of 30 polls.
#[test]
fn a_hog_explains_only_delays_that_are_about_as_long_as_its_polls_and_no_more_cpu_than_it_uses() {
    let beside = |longest_ms: u64, polls: u64| {
        let busy = polls * 7 * MS;
        let drawing = format!(
            "{REQUESTS}sign | calls={polls} completed={polls} polls={polls} busy={busy} queued=2_000_000_000 \
             polls@4194304..8388608={polls}"
        );
        let mut snapshot = service(&drawing, 60, 40, 4_410);
        snapshot.nodes[2].longest_poll_ns = longest_ms * MS;
        snapshot.findings().iter().map(|finding| finding.rule.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(beside(8, 30), ["unrecorded", "hog"]);
    assert_eq!(beside(19, 30), ["unrecorded", "hog"], "calls take 40 ms at p99");
    assert_eq!(beside(20, 30), ["hog"]);
    assert_eq!(beside(8, 1_200), ["hog", "unrecorded"], "8.4 of 8.8 s of CPU");
    assert_eq!(beside(8, 1_260), ["hog"]);
}

#[test]
fn tasks_that_wait_for_a_thread_most_of_the_time_suffer() {
    let drawing = REQUESTS.replace("queued=600_000_000", "queued=90_000_000_000");
    let drawing = drawing.replace("idle=6_000_000_000", "idle=96_000_000_000");
    let expected = "unrecorded: workers spend 97 % of their time in code that is not on record, and a task waits 22.5 ms for \
                    its turn on average";
    assert_eq!(sentences(&service(&drawing, 0, 0, 9_700)), [expected], "and not `saturated`");
    let short = drawing.replace("queued=90_000_000_000", "queued=70_000_000_000");
    assert_eq!(sentences(&service(&short, 0, 0, 9_700)), [""; 0]);
}

/// A runtime that was not built through this crate: no worker is on record, but its two threads.
fn threads(cpu_ms: u64, change: impl Fn(&mut Snapshot)) -> Vec<String> {
    let mut snapshot = service(REQUESTS, 60, 40, 0);
    snapshot.workers.clear();
    for _ in 0..2 {
        let mut thread = Thread::default();
        (thread.alive, thread.nodes) = (true, 2);
        (thread.cpu_ns, thread.delayed_ns) = (Some(cpu_ms * MS), Some(10 * MS));
        snapshot.threads.push(thread);
    }
    change(&mut snapshot);
    sentences(&snapshot)
}

#[test]
fn threads_of_a_runtime_that_is_not_on_record_count_as_workers() {
    let expected = "unrecorded: workers spend 44 % of their time in code that is not on record, and `item` (src/main.rs:1) \
                    takes 40.0 ms at p99, 2.00 ms at the median";
    assert_eq!(threads(4_410, |_| ()), [expected]);
    let found = |cpu_ms| threads(cpu_ms, |_| ()).len();
    assert_eq!([found(2_110), found(2_109)], [1, 0], "20 %, and 50 µs for each poll");
    assert_eq!([found(10_000), found(11_000)], [1, 0], "they are older than the recording");
    let changed = |change: fn(&mut Snapshot)| threads(4_410, change).len();
    assert_eq!(changed(|it| it.nodes[0].busy_ns = 7_000 * MS), 0, "in polls on record");
    assert_eq!(changed(|it| it.threads.iter_mut().for_each(|it| it.alive = false)), 0, "ended");
    assert_eq!(changed(|it| it.threads.iter_mut().for_each(|it| it.cpu_ns = None)), 0, "unknown");
    assert_eq!(
        changed(|it| it.threads.iter_mut().for_each(|it| it.nodes = 0)),
        0,
        "it polls nothing on record"
    );
    let delayed = |it: &mut Snapshot| it.threads.iter_mut().for_each(|it| it.delayed_ns = Some(7_000 * MS));
    assert_eq!(changed(delayed), 0, "other processes use the machine");
    let with_a_job = |it: &mut Snapshot| {
        let mut site = it.sites[0].clone();
        (site.name, site.kind) = ("resize".into(), SiteKind::Sync);
        it.sites.push(site);
        let mut node = it.nodes[1].clone();
        (node.site, node.parent) = (diagnose_reports::model::SiteIndex::new(it.sites.len() - 1), None);
        it.nodes.push(node);
    };
    assert_eq!(changed(with_a_job), 0, "a thread for blocking work may use the CPU");
}

#[test]
fn requests_of_one_kind_that_are_late_alone_wait_for_something_else() {
    let with_many = |calls: usize, cpu_ms: u64, late_ms: u64, idle_ms: u64| {
        threads(cpu_ms, |it| {
            let mut site = it.sites[0].clone();
            site.name = "health".into();
            it.sites.push(site);
            let mut node = it.nodes[0].clone();
            node.site = diagnose_reports::model::SiteIndex::new(it.sites.len() - 1);
            let mut lengths = vec![2 * MS; calls - calls * 3 / 100];
            lengths.resize(calls, late_ms * MS);
            (node.latency.completed, node.idle_ns) = (durations(&lengths), idle_ms * MS);
            it.nodes.push(node);
        })
        .len()
    };
    let with_others = |cpu_ms, late_ms, idle_ms| with_many(2_000, cpu_ms, late_ms, idle_ms);
    assert_eq!([with_many(330, 4_410, 18, 5_000), with_many(340, 4_410, 18, 5_000)], [1, 0], "few calls");
    assert_eq!([with_others(4_410, 23, 5_000), with_others(4_410, 18, 5_000)], [1, 0]);
    assert_eq!(with_others(4_410, 18, 0), 1, "it never waits");
    assert_eq!(
        [with_others(1_220, 23, 5_000), with_others(1_219, 23, 5_000)],
        [1, 0],
        "10 % suffice for two"
    );
}
