//! The rules `hog` and `blocking` on drawn trees: who is delayed by long polls.

use crate::support::tree;
use diagnose_reports::Snapshot;
use diagnose_reports::model::{RunState, SiteIndex, SiteKind, Task, TaskId, Thread, Worker};

const SECOND: u64 = 1_000_000_000;

pub(crate) fn rules(snapshot: &Snapshot) -> Vec<String> {
    snapshot.findings().iter().map(|finding| finding.rule.to_string()).collect()
}

/// Ten seconds of one worker that used `cpu_ns` of CPU time.
pub(crate) fn on_one_worker(drawing: &str, cpu_ns: u64) -> Snapshot {
    let mut snapshot = tree(drawing);
    snapshot.elapsed_ns = 10 * SECOND;
    let mut worker = Worker::default();
    (worker.cpu_ns, worker.delayed_ns, worker.thread_id) = (Some(cpu_ns), Some(0), Some(7));
    snapshot.workers.push(worker);
    snapshot
}

/// Eight connections that answer 320 requests, each with one poll whose duration is in `bucket`.
/// They wait for their clients, and for `queued` ns in all for a thread.
fn connections(bucket: &str, busy: u64, queued: u64) -> Snapshot {
    let drawing = format!(
        "session | calls=8 polls=640 pending=8 busy={busy} queued={queued} idle=70_000_000_000\n  \
         pack | calls=320 completed=320 polls=320 busy={busy} polls@{bucket}=320"
    );
    on_one_worker(&drawing, busy)
}

#[test]
fn a_hog_in_connections_that_never_end_is_found() {
    let snapshot = connections("4194304..8388608", 2 * SECOND, 0);
    assert_eq!(rules(&snapshot), ["hog"], "its worker sees no socket for a fifth of the time");
    assert_eq!(snapshot.findings()[0].place.as_ref().map(|place| place.line), Some(2), "the line of `pack`");
    assert_eq!(rules(&connections("4194304..8388608", SECOND * 4 / 10, 0)), [""; 0], "seldom");
    assert_eq!(rules(&connections("4194304..8388608", SECOND * 4 / 10, SECOND)), ["hog"], "others waited");
    assert_eq!(rules(&connections("1048576..2097152", SECOND / 2, SECOND)), [""; 0], "short polls");
}

/// The `main` of a batch job, which its thread blocks on.
#[test]
fn long_polls_outside_of_workers_take_none_of_their_time() {
    let on_worker = |busy_ns: u64| {
        let mut snapshot = connections("4194304..8388608", 2 * SECOND, 0);
        (snapshot.workers[0].listed_ns, snapshot.workers[0].busy_ns) = (10 * SECOND, busy_ns);
        rules(&snapshot)
    };
    assert_eq!(on_worker(0), [""; 0]);
    assert_eq!(on_worker(2 * SECOND), ["hog"]);
}

#[test]
fn code_without_annotation_is_found_with_the_place_of_its_spawn() {
    let mut snapshot = connections("4194304..8388608", 2 * SECOND, 0);
    snapshot.sites[1].kind = SiteKind::Task;
    let sentence = &snapshot.findings()[0].sentence;
    assert!(sentence.starts_with("`pack` (spawned at src/main.rs:2) takes 100 %"), "{sentence}");
}

#[test]
fn polls_of_the_bucket_around_the_bound_count_by_their_mean() {
    // On a busy machine the bound is higher than two milliseconds: inside the bucket of all polls.
    let busy = |ns: u64| {
        let mut snapshot = connections("2097152..4194304", 320 * ns, SECOND);
        snapshot.nodes[1].longest_poll_ns = 4_000_000;
        (snapshot.workers[0].delayed_ns, snapshot.workers[0].listed_ns) = (Some(SECOND / 4), 10 * SECOND);
        rules(&snapshot)
    };
    assert_eq!(busy(3_500_000), ["hog"]);
    assert_eq!(busy(2_200_000), [""; 0], "their wait for a CPU may have made them long");
}

#[test]
fn waits_for_a_cpu_after_a_wake_make_no_poll_longer() {
    // 200 polls of 4.5 ms; their worker waited for a CPU for a second.
    let parked = |parked_ms: u64| {
        let drawing = "hash | calls=200 completed=200 polls=400 busy=900_000_000 queued=1_000_000_000 \
                       idle=9_000_000_000 polls@4194304..8388608=200 polls@1024..2048=200";
        let mut snapshot = on_one_worker(drawing, 700_000_000);
        let worker = &mut snapshot.workers[0];
        (worker.delayed_ns, worker.listed_ns) = (Some(SECOND), 10 * SECOND);
        (worker.polls, worker.parked_ns) = (400, parked_ms * 1_000_000);
        rules(&snapshot)
    };
    assert_eq!(parked(9_000), ["hog"], "300 ms were in polls at most, the rest while it was parked");
    assert_eq!(parked(8_400), [""; 0], "900 ms may have been in polls");
    assert_eq!(parked(9_500), [""; 0], "its CPU time is older than the last reset");
}

#[test]
fn most_of_all_work_in_long_polls_is_found_where_nobody_else_waits() {
    let busy = |ns: u64| {
        let mut snapshot = connections("4194304..8388608", 320 * 6_000_000, 0);
        snapshot.elapsed_ns = ns;
        rules(&snapshot)
    };
    assert_eq!(busy(30 * SECOND), ["hog"], "6.4 % of the time");
    assert_eq!(busy(50 * SECOND), [""; 0], "3.8 % of the time");
}

#[test]
fn one_kind_of_request_may_be_the_hog() {
    // `long` of 1,000 polls are long. Their worker waited `delayed_ns` for a CPU.
    let rare = |long: u64, delayed_ns: u64| {
        let busy = 200_000_000 + long * 50_000_000;
        let drawing = format!(
            "execute | calls=1000 completed=1000 polls=1000 busy={busy} queued=2_000_000_000 idle=9_000_000_000 \
             polls@131072..262144={} polls@33554432..67108864={long}",
            1000 - long
        );
        let mut snapshot = on_one_worker(&drawing, busy);
        snapshot.workers[0].delayed_ns = Some(delayed_ns);
        rules(&snapshot)
    };
    assert_eq!(rare(20, 100_000_000), ["hog"], "one request of fifty");
    assert_eq!(rare(20, 990_000_000), [""; 0], "the waits for a CPU may have been in these polls");
    assert_eq!(rare(200, 2_000_000_000), ["hog"], "many are sure all the same");
    assert_eq!(rare(9, 0), [""; 0], "an accident");
}

#[test]
fn polls_of_awaits_hide_no_long_ones() {
    // 1,000 calls of two polls each.
    let rare = |long: u64| {
        let busy = 200_000_000 + long * 50_000_000;
        rules(&on_one_worker(
            &format!(
                "item | calls=1000 completed=1000 polls=2000 busy={busy} queued=2_000_000_000 idle=9_000_000_000 \
                 polls@131072..262144={} polls@33554432..67108864={long}",
                2_000 - long
            ),
            busy,
        ))
    };
    assert_eq!(rare(12), ["hog"]);
    assert_eq!(rare(9), [""; 0]);
}

#[test]
fn a_few_long_stalls_are_found_after_some_time() {
    let stalled = |stalls: u64, elapsed_ns: u64| {
        let busy = stalls * SECOND;
        let drawing = format!(
            "push_metrics | calls={stalls} completed={stalls} polls={stalls} busy={busy} \
             polls@536870912..1073741824={stalls}"
        );
        let mut snapshot = on_one_worker(&drawing, busy);
        snapshot.elapsed_ns = elapsed_ns;
        rules(&snapshot)
    };
    assert_eq!(stalled(3, 10 * SECOND), ["hog"]);
    assert_eq!(stalled(2, 10 * SECOND), [""; 0], "an accident");
    assert_eq!(stalled(3, 9 * SECOND), [""; 0], "a start");
}

#[test]
fn polls_that_take_a_hundredth_of_the_time_are_no_hog() {
    let idle = |elapsed_ns: u64| {
        let drawing = "invoice | calls=15 completed=15 polls=15 busy=73_000_000 queued=10_000_000 \
                       polls@4194304..8388608=15";
        let mut snapshot = on_one_worker(drawing, 73_000_000);
        snapshot.elapsed_ns = elapsed_ns;
        rules(&snapshot)
    };
    assert_eq!(idle(7 * SECOND), ["hog"]);
    assert_eq!(idle(8 * SECOND), [""; 0], "on a busy machine, an idle program has such polls");
}

/// Twelve stalls of 260 ms, in a bucket whose middle is 201 ms.
const STALLS: &str = "compact | calls=1 pending=1 polls=13 busy=3_120_000_000 queued=2_000_000_000 \
                      idle=6_000_000_000 polls@512..1024=1 polls@134217728..268435456=12";

fn stalls() -> Snapshot {
    on_one_worker(STALLS, 3_120_000_000)
}

#[test]
fn the_mean_of_long_polls_agrees_with_the_functions_own_time() {
    let findings = stalls().findings();
    let [finding] = &findings[..] else { panic!("one finding: {findings:?}") };
    assert!(finding.sentence.contains("12 of 13 polls take 260 ms on average"), "{finding}");
}

#[test]
fn where_no_cpu_time_is_known_a_hog_may_be_a_call_that_blocks() {
    let mut snapshot = stalls();
    assert!(snapshot.findings()[0].next.contains("yield_now"), "{}", snapshot.findings()[0]);
    snapshot.workers.clear();
    let findings = snapshot.findings();
    let [finding] = &findings[..] else { panic!("one finding: {findings:?}") };
    assert_eq!(finding.rule.to_string(), "hog");
    assert!(finding.next.contains("the call that blocks there"), "{finding}");
    snapshot.nodes[0].queued_ns = 0;
    let sentence = snapshot.findings()[0].sentence.clone();
    assert!(sentence.ends_with("31 % of the recorded time"), "{sentence}");
    assert!(!finding.next.contains("yield_now"), "{finding}");
}

#[test]
fn polls_of_workers_without_a_cpu_give_no_finding() {
    let delayed_by = |ns: u64| {
        let mut snapshot = connections("67108864..134217728", 9 * SECOND, SECOND);
        snapshot.workers[0].cpu_ns = Some(SECOND);
        snapshot.workers[0].delayed_ns = Some(ns);
        rules(&snapshot)
    };
    assert_eq!(delayed_by(8 * SECOND), ["hog"], "100 ms with a ninth of a CPU");
    assert_eq!(delayed_by(10 * SECOND), [""; 0], "with less than a tenth");
}

#[test]
fn cpu_time_that_other_polls_and_parks_may_have_used_proves_no_long_poll() {
    // 320 polls of 6.25 ms, and 500 ms of others. Their worker had a CPU for 1.2 s.
    let with = |polls: u64| {
        let busy = 2 * SECOND;
        let mut snapshot = on_one_worker(
            &format!(
                "session | calls=8 polls=640 pending=8 busy={busy} queued=1_000_000_000 idle=70_000_000_000\n  \
                 pack | calls=320 completed=320 polls=320 busy={busy} polls@4194304..8388608=320\n\
                 parse | calls=500 completed=500 polls=1000 busy=500_000_000 idle=1_000_000"
            ),
            1_200_000_000,
        );
        (snapshot.workers[0].delayed_ns, snapshot.workers[0].polls) = (Some(2 * SECOND), polls);
        rules(&snapshot)
    };
    assert_eq!(with(5_000), ["hog"], "after 50 ms for parks, 650 ms are left: more than 2 ms a poll");
    assert_eq!(with(7_000), [""; 0], "630 ms are left");
}

#[test]
fn without_workers_on_record_the_cpu_times_of_threads_that_have_polled_count() {
    // 320 polls of 6.25 ms, 500 ms of others, and jobs on a thread for blocking work.
    let with = |jobs_ms: u64, is_ended: bool| {
        let mut snapshot = on_one_worker(
            &format!(
                "session | calls=8 polls=640 pending=8 busy=2_000_000_000 queued=1_000_000_000 idle=70_000_000_000\n  \
                 pack | calls=320 completed=320 polls=320 busy=2_000_000_000 polls@4194304..8388608=320\n\
                 parse | calls=500 completed=500 polls=1000 busy=500_000_000 idle=1_000_000\n\
                 job | calls=10 completed=10 polls=10 busy={}",
                jobs_ms * 1_000_000
            ),
            0,
        );
        snapshot.workers.clear();
        snapshot.sites[3].is_blocking = true;
        for number in 0..2_u32 {
            let mut thread = Thread::default();
            (thread.alive, thread.cpu_ns, thread.delayed_ns) = (true, Some(SECOND), Some(SECOND));
            if is_ended && number == 1 {
                (thread.alive, thread.cpu_ns, thread.delayed_ns) = (false, None, None);
            }
            snapshot.threads.push(thread);
        }
        rules(&snapshot)
    };
    assert_eq!(with(800, false), ["hog"], "after 17 ms for parks, 683 ms are left: more than 2 ms a poll");
    assert_eq!(with(850, false), [""; 0], "633 ms are left");
    assert_eq!(with(0, true), [""; 0], "a thread has ended, and the other one had to wait as long as it ran");
}

#[test]
fn where_no_cpu_time_is_known_long_polls_of_other_functions_tell_how_busy_the_machine_is() {
    // 12 stalls of 260 ms, and polls of 100 ms in a function whose polls are mostly short.
    let beside = |polls: u64| {
        let busy = polls * SECOND / 10;
        let drawing = format!(
            "{STALLS}\nscan | calls=1000 completed=1000 polls=1000 busy={busy} polls@67108864..134217728={polls}"
        );
        let mut snapshot = on_one_worker(&drawing, 3 * SECOND);
        snapshot.workers.clear();
        rules(&snapshot)
    };
    assert_eq!(beside(30), ["hog"], "3 s against 3.12 s");
    assert_eq!(beside(32), [""; 0], "3.2 s");
    // 400 calls that compute for 7.5 ms, and wait at a dozen awaits.
    let mut search = on_one_worker(
        "search | calls=400 completed=400 polls=5200 busy=3_000_000_000 queued=1_000_000_000 idle=20_000_000_000 \
         polls@1024..2048=4800 polls@4194304..8388608=400",
        3 * SECOND,
    );
    search.workers.clear();
    assert_eq!(rules(&search), ["hog"], "its own long polls are not those of others");
}

#[test]
fn connections_that_sleep_in_their_polls_are_blocking() {
    let mut snapshot = connections("16777216..33554432", 8 * SECOND, 0);
    snapshot.workers[0].cpu_ns = Some(SECOND / 10);
    let mut task = Task::default();
    (task.id, task.site, task.thread_id) = (TaskId::from(1), SiteIndex::new(0), Some(7));
    task.state = RunState::Waiting;
    snapshot.tasks.push(task);
    assert_eq!(rules(&snapshot), ["blocking"]);
}

#[test]
fn without_workers_on_record_polls_of_known_threads_may_be_found_to_sleep() {
    let on_two_threads = |delayed_ms: u64, is_ended: bool| {
        let mut snapshot = connections("16777216..33554432", 8 * SECOND, 3 * SECOND);
        snapshot.workers.clear();
        for is_alive in [true, !is_ended] {
            let mut thread = Thread::default();
            let times_ns = (SECOND / 10, delayed_ms * 1_000_000);
            (thread.alive, (thread.cpu_ns, thread.delayed_ns)) =
                (is_alive, is_alive.then_some(times_ns).unzip());
            snapshot.threads.push(thread);
        }
        snapshot.threads.remove(0);
        rules(&snapshot)
    };
    assert_eq!(on_two_threads(150, false), ["blocking"], "7.5 of 8 s were asleep, although CPUs are scarce");
    assert_eq!(on_two_threads(2_000, false), [""; 0], "they may have waited for a CPU");
    assert_eq!(on_two_threads(150, true), [""; 0], "the other thread may have used the CPU");
}

#[test]
fn requests_that_sleep_in_their_polls_are_blocking_also_when_none_is_alive() {
    let drawing = "handle | calls=400 completed=400 polls=400 busy=8_000_000_000 queued=3_000_000_000 \
                   polls@16777216..33554432=400\n\
                   other | calls=1 completed=1 polls=1 busy=500_000_000";
    let busy_of_workers = |ns: u64| {
        let mut snapshot = on_one_worker(drawing, SECOND / 10);
        snapshot.workers[0].busy_ns = ns;
        rules(&snapshot)
    };
    assert_eq!(busy_of_workers(8 * SECOND), ["blocking"], "at most half a second of it was elsewhere");
    assert_eq!(busy_of_workers(4 * SECOND), ["hog"], "more than half of it may have been elsewhere");
}

#[test]
fn polls_that_are_mostly_off_a_cpu_may_be_a_call_that_blocks() {
    let finding = |cpu_ns: u64| {
        let mut snapshot = connections("16777216..33554432", 8 * SECOND, SECOND);
        (snapshot.workers[0].cpu_ns, snapshot.workers[0].delayed_ns) = (Some(cpu_ns), Some(5 * SECOND));
        snapshot.workers[0].busy_ns = 8 * SECOND;
        let findings = snapshot.findings();
        let [finding] = &findings[..] else { panic!("one finding: {findings:?}") };
        finding.to_string()
    };
    let little = finding(3_900_000_000);
    assert!(
        little.contains("polls of 25.0 ms on average (at most 3.90 s in all on a CPU), and tasks"),
        "{little}"
    );
    assert!(little.contains("or the call that blocks there"), "{little}");
    let most = finding(4_100_000_000);
    assert!(!most.contains("on a CPU)") && most.contains("yield_now"), "{most}");
}

/// A stage that computes for 60 us for each of 60,000 lines. `request` is delayed by it.
fn stage(request: &str) -> Snapshot {
    let mut snapshot = on_one_worker(
        &format!(
            "parse | calls=1 pending=1 polls=800 busy=3_700_000_000 idle=5_000_000_000 polls@4194304..8388608=800\n  \
             lines.recv().await | calls=60001 completed=60000 pending=1 polls=60400 busy=50_000_000 idle=4_000_000_000\n  \
             parsed.send(it).await | calls=60000 completed=60000 polls=60400 busy=50_000_000 idle=1_000_000_000\n\
             {request}"
        ),
        4 * SECOND,
    );
    for site in snapshot.sites.iter_mut().filter(|site| site.name.contains(".await")) {
        site.kind = SiteKind::Await;
    }
    snapshot
}

#[test]
fn a_stage_whose_awaits_are_ready_at_once_delays_requests_alone() {
    let tail = "tail | calls=1 pending=1 polls=9000 busy=100_000_000 queued=4_000_000_000 idle=5_000_000_000";
    assert_eq!(rules(&stage(tail)), [""; 0], "the next stage waits for it by design");
    let get =
        "get | calls=900 completed=900 polls=9000 busy=100_000_000 queued=4_000_000_000 idle=5_000_000_000";
    let findings = stage(get).findings();
    let [finding] = &findings[..] else { panic!("one finding: {findings:?}") };
    let expected = "add `yield_now().await` to its loop: its awaits are ready at once, 150 in each poll, so that other tasks get no turn";
    assert_eq!(finding.next, expected);
    let mut long = stage(tail);
    (long.nodes[1].completed, long.nodes[2].completed) = (9_000, 9_000);
    assert_eq!(rules(&long), ["hog"], "200 us and more for each");
}

#[test]
fn simulations_that_take_turns_are_no_hogs() {
    let drawing = "simulate | calls=6 polls=2_000 pending=6 busy=9_900_000_000 queued=50_000_000_000 \
                   idle=50_000_000_000 polls@4194304..8388608=2000";
    assert_eq!(rules(&on_one_worker(drawing, 10 * SECOND)), [""; 0], "they wait only for each other");
    let delayed =
        format!("{drawing}\nrequest | calls=90 completed=90 queued=2_000_000_000 idle=2_000_000_000");
    assert_eq!(rules(&on_one_worker(&delayed, 10 * SECOND)), ["hog"], "and requests wait for them");
}
