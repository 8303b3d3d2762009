//! Rules for overloaded machines and rare mistakes: each finds its fault in drawn data, and nothing
//! just below its bound.

use crate::support::latency::durations;
use crate::support::{empty, place_at, tree};
use diagnose_reports::Snapshot;
use diagnose_reports::model::{SiteIndex, SiteKind, Span, SpanId, SpanIndex, Task, TaskId, TaskKind, Worker};

const SECOND: u64 = 1_000_000_000;

fn rules(snapshot: &Snapshot) -> Vec<String> {
    snapshot.findings().iter().map(|finding| finding.rule.to_string()).collect()
}

/// Workers with these ns on a CPU, and these ns waiting for one.
fn workers(times: &[(u64, u64)]) -> Vec<Worker> {
    let worker = |&(cpu_ns, delayed_ns): &(u64, u64)| {
        let mut worker = Worker::default();
        (worker.cpu_ns, worker.delayed_ns) = (Some(cpu_ns), Some(delayed_ns));
        worker
    };
    times.iter().map(worker).collect()
}

/// Ten seconds of 2,000 requests that wait 30 ms for a thread at each of their polls.
fn queueing() -> Snapshot {
    let mut snapshot = tree(
        "request | calls=2000 completed=2000 polls=2000 queued=60_000_000_000 idle=61_000_000_000 \
         busy=100_000_000 polls@32768..65536=2000",
    );
    snapshot.elapsed_ns = 10 * SECOND;
    snapshot
}

#[test]
fn busy_workers_with_a_queue_are_saturated() {
    let mut snapshot = queueing();
    snapshot.workers = workers(&[(9_900_000_000, 50_000_000), (9_800_000_000, 80_000_000)]);
    assert_eq!(rules(&snapshot), ["saturated"]);
    snapshot.workers = workers(&[(9_900_000_000, 50_000_000), (8_000_000_000, 80_000_000)]);
    assert_eq!(rules(&snapshot), [""; 0], "a worker has time left");
}

#[test]
fn busy_workers_without_a_queue_are_a_simulation() {
    let mut snapshot = queueing();
    snapshot.workers = workers(&[(9_900_000_000, 50_000_000), (9_800_000_000, 80_000_000)]);
    snapshot.nodes[0].queued_ns = 2_000_000_000;
    assert_eq!(rules(&snapshot), [""; 0]);
}

#[test]
fn workers_that_wait_for_a_cpu_are_oversubscribed() {
    let mut snapshot = queueing();
    snapshot.workers = workers(&[(2_000_000_000, 7_900_000_000); 2]);
    assert_eq!(rules(&snapshot), ["oversubscribed"]);
    let because = |snapshot: &Snapshot, text: &str| snapshot.findings()[0].sentence.contains(text);
    assert!(because(&snapshot, ": other threads or processes use the machine; "));
    snapshot.process.cpus = Some(1);
    assert!(because(&snapshot, ": there are 2 workers for 1 CPU; "));
}

#[test]
fn one_busy_worker_of_four_is_an_imbalance() {
    let mut snapshot = queueing();
    let idle = (20_000_000, 1_000_000);
    snapshot.workers = workers(&[(9_500_000_000, 50_000_000), idle, idle, idle]);
    assert_eq!(rules(&snapshot), ["imbalance"]);
    snapshot.workers[1].cpu_ns = Some(3_000_000_000);
    assert_eq!(rules(&snapshot), [""; 0], "another one works too");
}

#[test]
fn workers_with_unknown_times_give_no_finding() {
    let mut snapshot = queueing();
    snapshot.workers = workers(&[(9_900_000_000, 50_000_000); 2]);
    snapshot.workers[0].cpu_ns = None;
    assert_eq!(rules(&snapshot), [""; 0]);
}

/// A task of ten seconds with 100,000 polls that wakes itself.
fn spinning() -> Snapshot {
    let mut snapshot = tree("spin | calls=1 polls=100_000 pending=1 busy=200_000_000");
    snapshot.elapsed_ns = 10 * SECOND;
    let mut task = Task::default();
    (task.id, task.site, task.kind) = (TaskId::from(1), SiteIndex::new(0), TaskKind::Future);
    task.spawned_at = Some(place_at(7, 5));
    (task.age_ns, task.polls, task.wakes, task.self_wakes) = (10 * SECOND, 100_000, 100_000, 99_000);
    (task.busy_ns, task.queued_ns) = (200_000_000, 9_700_000_000);
    snapshot.tasks = vec![task];
    snapshot
}

#[test]
fn a_task_that_wakes_itself_without_work_is_found() {
    let snapshot = spinning();
    assert_eq!(rules(&snapshot), ["self_wake"]);
    assert_eq!(snapshot.findings()[0].evidence.tasks, [TaskId::from(1)]);
}

/// The site of a task that was spawned through this crate is where it was spawned.
#[test]
fn a_task_that_wakes_itself_is_named_with_the_place_of_its_function() {
    let mut snapshot = spinning();
    let mut spawned = snapshot.sites[0].clone();
    spawned.place = place_at(7, 5);
    snapshot.sites.push(spawned);
    let mut span = Span::default();
    (span.id, span.site, span.task) = (SpanId::new(3), SiteIndex::new(0), Some(TaskId::from(1)));
    snapshot.spans = vec![span];
    (snapshot.tasks[0].site, snapshot.tasks[0].span) = (SiteIndex::new(1), Some(SpanIndex::new(0)));
    let finding = snapshot.findings()[0].to_string();
    assert!(finding.contains("the task `spin` (src/main.rs:1), spawned at src/main.rs:7"), "{finding}");
}

#[test]
fn a_task_that_yields_after_work_is_not() {
    let mut snapshot = spinning();
    snapshot.tasks[0].busy_ns = 5 * SECOND;
    snapshot.nodes[0].busy_ns = 5 * SECOND;
    assert!(!rules(&snapshot).contains(&"self_wake".to_owned()), "{:?}", rules(&snapshot));
}

#[test]
fn lost_data_is_named_with_its_number() {
    let mut snapshot = empty();
    assert_eq!(rules(&snapshot), [""; 0]);
    snapshot.dropped.over_labels = 3;
    snapshot.dropped.over_nodes = 41;
    let [finding] = &snapshot.findings()[..] else { panic!("one finding for all losses") };
    assert_eq!(finding.rule.to_string(), "lost_data");
    assert!(finding.sentence.starts_with("41 calls are counted in `[other]`"), "{}", finding.sentence);
    assert!(finding.sentence.ends_with("; 1 loss more in the footer"), "{}", finding.sentence);
    snapshot.dropped.over_nodes = 1;
    let sentence = snapshot.findings()[0].sentence.clone();
    assert!(sentence.starts_with("1 call is counted in `[other]`"), "{sentence}");
}

#[test]
fn the_remedy_for_lost_data_is_that_of_its_limit() {
    let remedy = |lose: fn(&mut Snapshot)| {
        let mut snapshot = empty();
        lose(&mut snapshot);
        snapshot.findings()[0].next.clone()
    };
    assert!(remedy(|it| it.dropped.over_depth = 2).contains("recursive function"));
    assert!(remedy(|it| it.dropped.over_labels = 2).contains("fewer distinct labels"));
    assert!(remedy(|it| it.dropped.over_spans = 2).contains("what piles up"));
    assert!(remedy(|it| it.dropped.over_holdings = 2).contains("what piles up"));
}

/// A drawn tree in which a name with `.await` is an await.
fn with_awaits(drawing: &str) -> Snapshot {
    let mut snapshot = tree(drawing);
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
    }
    snapshot.elapsed_ns = 10 * SECOND;
    snapshot
}

/// 200 calls that wait at one await. Most take 3 ms, the last `slow` ones `slow_ns`.
fn with_slow_calls(slow: usize, slow_ns: u64) -> Snapshot {
    let mut snapshot = with_awaits(
        "fetch | calls=200 completed=200 polls=400 busy=2_000_000 idle=5_400_000_000\n  \
         pool.query(id).await | calls=200 completed=200 polls=400 idle=5_400_000_000 self_idle=5_400_000_000",
    );
    let mut lengths = vec![3_000_000; 200 - slow];
    lengths.resize(200, slow_ns);
    snapshot.nodes[0].latency.completed = durations(&lengths);
    snapshot
}

#[test]
fn an_await_that_explains_the_slow_calls_is_found() {
    let snapshot = with_slow_calls(4, 1_200_000_000);
    assert_eq!(rules(&snapshot), ["slow_await"]);
    let finding = &snapshot.findings()[0];
    assert_eq!(
        finding.sentence,
        "4 of 200 calls (2 %) of `fetch` (src/main.rs:1) take 500 ms or more, at a median of 2.95 ms; they wait at \
         `pool.query(id).await` (src/main.rs:2)"
    );
    assert_eq!(rules(&with_slow_calls(4, 400_000_000)), [""; 0], "not that slow");
    assert_eq!(rules(&with_slow_calls(0, 0)), [""; 0], "all alike");
    assert_eq!(rules(&with_slow_calls(3, 2_000_000_000)), [""; 0], "few");
    assert_eq!(rules(&with_slow_calls(150, 1_200_000_000)), [""; 0], "they are the usual ones");
}

#[test]
fn calls_on_a_machine_without_a_cpu_for_them_are_not_slow_by_themselves() {
    // 4.3 s of 5.4 s are in slow calls.
    let starved = |delayed_ns: u64| {
        let mut snapshot = with_slow_calls(4, 1_200_000_000);
        snapshot.workers = workers(&[(SECOND / 10, delayed_ns)]);
        rules(&snapshot)
    };
    assert_eq!(starved(7 * SECOND), ["slow_await"]);
    assert_eq!(starved(9 * SECOND), [""; 0], "its worker had no CPU meanwhile");
}

#[test]
fn an_await_of_slow_calls_alone_is_found() {
    // 200 usual awaits take 3 s; the slow ones are in a branch of their own.
    let with_branch = |calls: u64| {
        let mut snapshot = with_slow_calls(4, 1_200_000_000);
        let drawing = format!(
            "fetch | calls=200 completed=200 polls=400 busy=2_000_000 idle=7_800_000_000\n  \
             cache.get(id).await | calls=200 polls=400 idle=3_000_000_000 self_idle=3_000_000_000\n  \
             pool.query(id).await | calls={calls} polls=400 idle=4_800_000_000 self_idle=4_800_000_000"
        );
        let latency = snapshot.nodes[0].latency.clone();
        snapshot = with_awaits(&drawing);
        snapshot.nodes[0].latency = latency;
        snapshot
    };
    let findings = with_branch(4).findings();
    assert_eq!(findings.len(), 1);
    assert!(findings[0].sentence.ends_with("`pool.query(id).await` (src/main.rs:3)"), "{}", findings[0]);
    assert_eq!(rules(&with_branch(100)), [""; 0], "either await may be the slow one");
}

#[test]
fn slow_calls_that_wait_for_the_next_event_are_not_found() {
    let mut snapshot = with_slow_calls(4, 1_200_000_000);
    snapshot.sites[1].name = "socket.recv().await".into();
    assert_eq!(rules(&snapshot), [""; 0]);
    snapshot.sites[1].name = "stream.read_u32().await".into();
    assert_eq!(rules(&snapshot), [""; 0], "the next request");
    snapshot.sites[1].name = "pool.get_or_init(connect).await".into();
    assert_eq!(rules(&snapshot), [""; 0], "the first calls of all");
    snapshot.sites[1].name = "rows.read().await".into();
    assert_eq!(rules(&snapshot), ["contended"], "a lock");
    snapshot.sites[1].name = "rows.read_all().await".into();
    assert_eq!(rules(&snapshot), ["slow_await"], "no event");
    for meant in [
        "queue.pop(id).await",
        "redis.blpop(id, 0).await",
        "proxy::copy_bidirectional(a, b).await",
        "requests.message().await?",
    ] {
        snapshot.sites[1].name = meant.into();
        assert_eq!(rules(&snapshot), [""; 0], "{meant}");
    }
}

#[test]
fn a_pause_of_the_function_itself_is_meant_and_one_below_it_is_not() {
    let mut snapshot = with_slow_calls(4, 1_200_000_000);
    snapshot.sites[1].name = "sleep(POLL).await".into();
    assert_eq!(rules(&snapshot), [""; 0], "no job, so it looks again later");
    let latency = snapshot.nodes[0].latency.clone();
    let mut snapshot = with_awaits(
        "handle | calls=200 completed=200 polls=400 busy=2_000_000 idle=5_400_000_000\n  \
         query(id).await | calls=200 completed=200 polls=400 idle=5_400_000_000\n    \
         query | calls=200 completed=200 polls=400 idle=5_400_000_000\n      \
         sleep(SLOW).await | calls=200 completed=200 polls=400 idle=5_400_000_000 self_idle=5_400_000_000",
    );
    snapshot.nodes[0].latency = latency;
    assert_eq!(rules(&snapshot), ["slow_await"], "a database that is slow");
}

/// 200 calls that await `first`, and then wait for what they read, `reads` times each.
fn rules_of_reader(first: &str, read: &str, reads: u64) -> Vec<String> {
    let latency = with_slow_calls(4, 1_200_000_000).nodes[0].latency.clone();
    let count = 200 * reads;
    let mut snapshot = with_awaits(&format!(
        "ask | calls=200 completed=200 polls=400 busy=2_000_000 idle=5_400_000_000\n  \
         {first} | calls=200 completed=200 polls=200\n  \
         {read} | calls={count} completed={count} polls=400 idle=5_400_000_000 self_idle=5_400_000_000"
    ));
    snapshot.nodes[0].latency = latency;
    rules(&snapshot)
}

#[test]
fn slow_calls_that_read_an_answer_are_found() {
    let requests = ["upstream.write_all(question).await", "upstream.write_u64(7).await", "tx.send(7).await"];
    let answers = ["upstream.read_exact(&mut it).await", "lines.read_line(&mut it).await", "rx.recv().await"];
    for (request, answer) in requests.into_iter().flat_map(|request| answers.map(|answer| (request, answer)))
    {
        assert_eq!(rules_of_reader(request, answer, 1), ["slow_await"], "{request} {answer}");
        assert_eq!(rules_of_reader("limit.check().await", answer, 1), [""; 0], "nothing was asked: {answer}");
    }
}

#[test]
fn many_reads_after_a_greeting_are_for_the_next_event() {
    assert_eq!(rules_of_reader("socket.send(hello).await", "socket.next().await", 10), [""; 0]);
    let body = "response.chunk().await?";
    assert_eq!(rules_of_reader("client.get(url).send().await?", body, 10), ["slow_await"], "one answer");
}

/// 100 calls under a timeout; `cancelled` of them ran into it.
fn with_timeouts(cancelled: u64) -> Snapshot {
    with_awaits(&format!(
        "handle | calls=100 completed=100 polls=200 busy=1_000_000 idle=900_000_000\n  \
         timeout(LIMIT, load()).await | calls=100 completed=100 polls=200 idle=900_000_000\n    \
         load | calls=100 polls=200 completed={} cancelled={cancelled} idle=900_000_000 self_idle=900_000_000",
        100 - cancelled
    ))
}

#[test]
fn calls_that_run_into_a_timeout_are_found() {
    let snapshot = with_timeouts(20);
    assert_eq!(rules(&snapshot), ["cancelled"]);
    assert!(
        snapshot.findings()[0]
            .sentence
            .starts_with("20 of 100 calls (20 %) of `load` (src/main.rs:3) run into"),
        "{}",
        snapshot.findings()[0].sentence
    );
    assert_eq!(rules(&with_timeouts(9)), [""; 0], "few");
    let mut snapshot = with_timeouts(20);
    snapshot.sites[1].name = "race(stop, load()).await".into();
    assert_eq!(rules(&snapshot), [""; 0], "the loser of a race");
}

#[test]
fn futures_that_nobody_awaits_are_found() {
    let drawing = "handle | calls=30 completed=30 polls=30 busy=1_000_000\n  audit | never_polled=30";
    let snapshot = with_awaits(drawing);
    assert_eq!(rules(&snapshot), ["missing_await"]);
    let sentence = &snapshot.findings()[0].sentence;
    assert!(sentence.contains("`audit` (src/main.rs:2) is called in `handle`"), "{sentence}");
    let awaited = drawing.replace("never_polled=30", "never_polled=30 calls=5 completed=5 polls=5");
    assert_eq!(rules(&with_awaits(&awaited)), [""; 0], "it is awaited on that path, too");
    let raced = format!("{drawing}\n  select(audit(), stop()).await | calls=30 completed=30 polls=30");
    assert_eq!(rules(&with_awaits(&raced)), [""; 0], "the loser of a race");
}

/// A damaged file can claim counts whose sums and products overflow. Found by mutation.
#[test]
fn a_histogram_with_impossible_counts_causes_no_panic() {
    let mut snapshot = tree("work | calls=1 polls=1 busy=3_000_000_000 polls@1048576..2097152=1");
    snapshot.elapsed_ns = SECOND;
    let bucket = snapshot.nodes[0].polls_histogram[0];
    for count in [u64::MAX, u64::MAX / 3] {
        let mut huge = bucket;
        (huge.from_ns, huge.to_ns, huge.count) = (u64::MAX / 2, u64::MAX, count);
        snapshot.nodes[0].polls_histogram = vec![huge; 3];
        assert!(snapshot.findings().len() <= 10);
    }
}
