//! The rule `growing` on drawn tasks: their waits, their spawners, and the time until they are
//! found.

use crate::support::hangs::{Program, resource_id};
use crate::support::latency::durations;
use crate::support::node;
use diagnose_reports::Snapshot;
use diagnose_reports::model::{
    BlockingPool, ResourceKind, Role, RunState, Runtime, SiteKind, Span, TaskId, TaskKind, Wait, WaitMode,
};

const SECOND: u64 = 1_000_000_000;

pub(crate) fn growing(snapshot: &Snapshot) -> Vec<String> {
    let findings = snapshot.findings();
    findings.iter().filter(|it| it.rule.to_string() == "growing").map(ToString::to_string).collect()
}

/// 40 tasks of one line, spawned evenly over `seconds` by `spawners` tasks. `wait` adds the wait of
/// each.
pub(crate) fn grown(seconds: u64, spawners: u64, wait: impl Fn(&mut Program, u64)) -> Program {
    grown_to(40, seconds, spawners, wait)
}

pub(crate) fn grown_to(tasks: u64, seconds: u64, spawners: u64, wait: impl Fn(&mut Program, u64)) -> Program {
    let mut program = Program::new();
    let spawners: Vec<u64> = (0..spawners).map(|_| program.task("session")).collect();
    for &spawner in &spawners {
        // Sessions wait for their clients.
        program.has_timer(spawner);
    }
    let mut first = None;
    for number in 0..tasks {
        let task = program.task("forward");
        let site = *first.get_or_insert(program.of(task).site);
        let age_ns = (number + 1) * seconds * SECOND / tasks;
        let it = program.of(task);
        (it.site, it.age_ns, it.since_ns) = (site, age_ns, age_ns);
        it.spawned_at = Some(crate::support::place_at(62, 5));
        it.spawned_by = Some(TaskId::new(spawners[usize::try_from(number).unwrap() % spawners.len()]));
        wait(&mut program, task);
    }
    program
}

/// Waits for a notification that may come from outside of all tasks.
pub(crate) fn notified(program: &mut Program, task: u64) {
    let notify = program.other(ResourceKind::Notify);
    program.waits(task, notify, WaitMode::Notified, 71);
}

/// Waits for a client.
pub(crate) fn client(program: &mut Program, task: u64) {
    program.has_timer(task);
}

#[test]
fn tasks_that_requests_leave_behind_are_found_at_once() {
    let snapshot = grown(2, 4, notified).snapshot;
    let [finding] = &growing(&snapshot)[..] else { panic!("one finding") };
    let evidence = &snapshot.findings()[0].evidence;
    assert_eq!((evidence.tasks.len(), evidence.all_tasks), (32, Some(40)));
    assert!(
        finding.starts_with(
            "tasks of `forward` (spawned at src/main.rs:62) pile up: 40 alive, the oldest 2.00 s, 20 more each \
             second, none has ended; they wait at src/main.rs:71"
        ),
        "{finding}"
    );
    assert_eq!(growing(&grown(2, 1, notified).snapshot), [""; 0], "jobs of one loop");
    let [slow] = &growing(&grown(60, 1, notified).snapshot)[..] else { panic!("they do not end") };
    assert!(slow.contains("the oldest 60.0 s, one more every 1.50 s, none"), "{slow}");
}

#[test]
fn a_few_tasks_that_ended_are_not_denied() {
    let ended = |ended: u64| {
        let mut snapshot = grown_to(400, 60, 4, notified).snapshot;
        let forward = snapshot.sites.iter().position(|site| site.name == "forward").expect("it is there");
        let mut node = node(forward, None);
        (node.calls, node.completed) = (ended, ended);
        snapshot.nodes.push(node);
        growing(&snapshot).concat()
    };
    for (number, words) in [(0, "none has ended;"), (1, "one other has ended;"), (3, "3 others have ended;")]
    {
        assert!(ended(number).contains(words), "{}", ended(number));
    }
}

#[test]
fn jobs_that_fill_the_threads_for_blocking_code_are_found_early() {
    let jobs = |seconds, threads| {
        let mut program = grown(seconds, 4, |_, _| {});
        for task in program.snapshot.tasks.iter_mut().filter(|task| task.spawned_at.is_some()) {
            (task.kind, task.state, task.runtime_number) = (TaskKind::Blocking, RunState::Running, 1);
        }
        let mut pool = BlockingPool::default();
        (pool.runtime_number, pool.threads) = (1, threads);
        program.snapshot.blocking_pools.push(pool);
        growing(&program.snapshot)
    };
    let [finding] = &jobs(6, 100)[..] else { panic!("one finding") };
    assert!(
        finding.contains("none has ended; 40 threads for blocking code run them, of at most 100"),
        "{finding}"
    );
    assert_eq!(jobs(4, 100), [""; 0], "slow jobs that came together");
    assert_eq!(jobs(6, 512), [""; 0], "few of the threads");
    assert_eq!(jobs(31, 512).len(), 1);
}

#[test]
fn futures_that_calls_leave_behind_are_found() {
    let kept = |futures: u64, seconds: u64, ended: u64| {
        let mut program = Program::new();
        let task = program.task("main");
        let site = program.of(task).site;
        for number in 0..futures {
            let mut span = Span::default();
            (span.site, span.state, span.is_detached) = (site, RunState::Waiting, true);
            span.age_ns = (number + 1) * seconds * SECOND / futures;
            program.snapshot.spans.push(span);
        }
        let mut calls = node(site.get(), None);
        (calls.calls, calls.completed) = (futures + ended, ended);
        program.snapshot.nodes.push(calls);
        growing(&program.snapshot)
    };
    let [finding] = &kept(40, 8, 0)[..] else { panic!("one finding: {:?}", kept(40, 8, 0)) };
    assert!(
        finding.contains("pile up: 40 are pending, the oldest 8.00 s, 5 more each second; their"),
        "{finding}"
    );
    assert_eq!(kept(40, 4, 0), [""; 0], "until the next round of a loop");
    assert_eq!(kept(9, 8, 0), [""; 0], "few");
    assert_eq!(kept(40, 8, 40), [""; 0], "most of them end");
}

#[test]
fn runtimes_that_are_built_for_each_request_are_found() {
    let threads_of_each = std::cell::Cell::new(8);
    let built = |newest: u64, seconds: u64| {
        let mut program = Program::new();
        let task = program.task("main");
        program.of(task).age_ns = seconds * SECOND;
        // As after a reset.
        program.snapshot.elapsed_ns = seconds.min(60) * SECOND;
        let request = program.task("{block}");
        let it = program.of(request);
        (it.age_ns, it.runtime_number) = (SECOND / 50, 0);
        it.spawned_at = Some(crate::support::place_at(10, 24));
        for number in [1, newest] {
            let mut runtime = Runtime::default();
            (runtime.number, runtime.workers, runtime.threads) = (number, 8, threads_of_each.get());
            program.snapshot.runtimes.push(runtime);
        }
        let findings = program.snapshot.findings();
        let findings = findings.iter().filter(|it| it.rule.to_string() == "runtimes");
        findings.map(ToString::to_string).collect::<Vec<_>>()
    };
    let [finding] = &built(1_968, 7)[..] else { panic!("one finding") };
    assert!(
        finding.starts_with(
            "1,968 runtimes were built in 7.00 s, and 1,966 of them have ended; the last one has 8 workers and is \
             entered at src/main.rs:10"
        ),
        "{finding}"
    );
    let threads = "each one starts and stops threads, and has its own timers and sockets";
    assert!(finding.contains(threads), "{finding}");
    threads_of_each.set(0);
    assert!(built(1_968, 7)[0].contains("each one has its own timers and sockets"), "as in tests");
    assert_eq!(built(40, 7), [""; 0], "some at the start");
    assert_eq!(built(1_968, 36_000), [""; 0], "a few each minute");
}

/// The snapshot of `program`, in which all spawners have ended.
pub(crate) fn left_behind(mut program: Program) -> Snapshot {
    for task in &mut program.snapshot.tasks {
        task.spawned_by = task.spawned_by.map(|id| TaskId::new(id.get() + 1_000_000));
    }
    program.snapshot
}

#[test]
fn connections_may_arrive_for_minutes() {
    for (seconds, spawners) in [(2, 1), (2, 40), (120, 1), (120, 40)] {
        assert_eq!(growing(&grown(seconds, spawners, client).snapshot), [""; 0], "{seconds} {spawners}");
    }
    assert_eq!(growing(&grown(120, 40, notified).snapshot), [""; 0], "a writer for each connection");
    assert_eq!(growing(&left_behind(grown(120, 40, client))).len(), 1, "one for each request");
    assert_eq!(growing(&left_behind(grown(2, 40, notified))).len(), 1, "writers of closed connections");
    assert_eq!(growing(&grown(1_200, 1, client).snapshot).len(), 1, "too long for arrivals");
    let mut old_connections = grown(60, 40, notified);
    for task in
        old_connections.snapshot.tasks.iter_mut().filter(|task| task.spawned_by <= Some(TaskId::from(1)))
    {
        task.age_ns = 600 * SECOND;
    }
    assert_eq!(growing(&old_connections.snapshot).len(), 1, "one for a request of each");
}

#[test]
fn connections_that_join_their_readers_wait_for_clients() {
    let joins = |program: &mut Program, task: u64| {
        let reader = program.task("reader");
        program.has_timer(reader);
        program.joins(task, reader, 71);
    };
    assert_eq!(growing(&grown(60, 1, joins).snapshot), [""; 0]);
    let idle = |program: &mut Program, task: u64| {
        let reader = program.task("reader");
        notified(program, reader);
        program.joins(task, reader, 71);
    };
    assert_eq!(growing(&grown(60, 1, idle).snapshot).len(), 1, "no client is behind them");
}

#[test]
fn growth_may_pause_but_not_end() {
    let aged = |age: fn(u64) -> u64| {
        let mut program = grown(8, 4, notified);
        for task in program.snapshot.tasks.iter_mut().filter(|task| task.spawned_by > Some(TaskId::from(1))) {
            task.age_ns = age(task.age_ns / SECOND) * SECOND + task.age_ns % SECOND;
        }
        growing(&program.snapshot).len()
    };
    assert_eq!(aged(|age| age), 1);
    assert_eq!(aged(|age| if age < 4 { age / 2 } else { age }), 1, "nobody came for two seconds");
    assert_eq!(aged(|age| age + 8), 0, "there are as many as there were");
    assert_eq!(aged(|age| if age < 4 { 0 } else { 7 }), 0, "a start, and another one");
}

/// Waits for messages on a channel whose sender has sent `sent` of them.
pub(crate) fn mailbox(sent: u64) -> impl Fn(&mut Program, u64) {
    move |program, task| {
        let mailbox = program.channel(8);
        program.sends(2, mailbox, 49).uses = sent;
        program.waits(task, mailbox, WaitMode::Receive, 71);
    }
}

#[test]
fn actors_of_a_map_that_fills_are_healthy() {
    assert_eq!(growing(&grown(60, 4, mailbox(1)).snapshot), [""; 0]);
    assert_eq!(growing(&grown(60, 4, mailbox(0)).snapshot).len(), 1, "nobody has sent them anything");
    assert_eq!(growing(&grown(1_200, 4, mailbox(1)).snapshot).len(), 1, "a map without an end");
}

#[test]
fn callers_behind_actors_that_hang_are_not_actors() {
    let full = |program: &mut Program, task: u64| {
        let mailbox = program.channel(8);
        program.sends(2, mailbox, 49).uses = 9;
        program.waits(task, mailbox, WaitMode::Send, 71);
    };
    assert_eq!(growing(&grown(60, 4, full).snapshot).len(), 1);
    assert_eq!(growing(&grown(60, 4, mailbox(9)).snapshot), [""; 0], "they have had messages");
}

#[test]
fn tasks_of_unrecorded_spawns_are_found_after_all_arrivals() {
    let unspawned = |seconds: u64| {
        let mut program = grown(seconds, 4, notified);
        for task in program.snapshot.tasks.iter_mut().filter(|task| task.spawned_at.is_some()) {
            (task.is_unspawned, task.spawned_at, task.spawned_by) = (true, None, None);
        }
        program.snapshot
    };
    assert_eq!(growing(&unspawned(120)), [""; 0], "handlers of connections that arrive");
    let [finding] = &growing(&unspawned(1_200))[..] else { panic!("one finding") };
    assert!(finding.starts_with("tasks of `forward` pile up: 40 alive, the oldest 20.0 min"), "{finding}");
    let (mut before, after) = (unspawned(1_200), unspawned(1_200));
    before.elapsed_ns = after.elapsed_ns / 2;
    before.tasks.truncate(before.tasks.len() - 5);
    let since = |before: &Snapshot| after.findings_since(before).len();
    assert_eq!(since(&before), 0, "five more than before");
    before.tasks.truncate(before.tasks.len() - 15);
    assert_eq!(since(&before), 1, "twenty more");
    let mut after = after.clone();
    (before.captured_unix_ms, after.captured_unix_ms) = (1, 1 + 2 * after.elapsed_ns / 1_000_000);
    assert_eq!(after.findings_since(&before), after.findings(), "a reset: growth cannot be measured");
}

/// A timer that is due in three seconds.
pub(crate) fn sleep(wait: &mut Wait) {
    wait.due_ns = Some(3_000_000_000);
}

#[test]
fn tasks_that_wait_for_a_task_with_an_end_have_one() {
    let joins = |program: &mut Program, task: u64| {
        let step = program.task("step");
        sleep(program.wait(step, WaitMode::Timer, 80));
        program.joins(task, step, 71);
    };
    assert_eq!(growing(&grown(2, 40, joins).snapshot), [""; 0]);
    let reply = |program: &mut Program, task: u64| {
        let job = program.task("job");
        sleep(program.wait(job, WaitMode::Timer, 80));
        let reply = program.other(ResourceKind::Oneshot);
        program.sends(2, reply, 49).candidates = vec![TaskId::new(job)];
        program.waits(task, reply, WaitMode::Receive, 71);
        assert_eq!(program.snapshot.resource(resource_id(reply)).unwrap().holdings[0].role, Role::Sends);
    };
    assert_eq!(growing(&grown(2, 40, reply).snapshot), [""; 0]);
}

#[test]
fn handlers_that_end_within_milliseconds_do_not_have_the_senders_of_old_waits() {
    let waits = |longest_ns: u64| {
        let reply = |program: &mut Program, task: u64| {
            let handler = program.task("handler");
            sleep(program.wait(handler, WaitMode::Timer, 80));
            let site = program.of(handler).site;
            let mut calls = node(site.get(), None);
            (calls.calls, calls.completed) = (1_000, 1_000);
            calls.latency.completed = durations(&[longest_ns]);
            program.snapshot.nodes.push(calls);
            let reply = program.other(ResourceKind::Oneshot);
            program.sends(2, reply, 49).candidates = vec![TaskId::new(handler)];
            program.waits(task, reply, WaitMode::Receive, 71);
        };
        growing(&grown(2, 4, reply).snapshot).len()
    };
    // Each has waited for a second.
    assert_eq!(waits(20_000_000), 1);
    assert_eq!(waits(300_000_000), 0, "such a handler may answer");
}

#[test]
fn retries_that_never_end_are_found_after_some_time() {
    let retries = |tasks: u64, seconds: u64, sleeps: u64| {
        let mut program =
            grown_to(tasks, seconds, tasks, |program, task| sleep(program.wait(task, WaitMode::Timer, 71)));
        for task in program.snapshot.tasks.iter_mut().filter(|task| task.spawned_by.is_some()) {
            task.since_ns = SECOND / 10;
        }
        let forward = program.snapshot.tasks.iter().find(|task| task.spawned_by.is_some()).unwrap().site;
        let mut pause = program.snapshot.sites[forward.get()].clone();
        (pause.kind, pause.name) = (SiteKind::Await, "sleep(PAUSE).await".into());
        pause.place = crate::support::place_at(71, 1);
        (pause.end_line, pause.end_column) = (71, 40);
        program.snapshot.sites.push(pause);
        let mut around = node(forward.get(), None);
        (around.calls, around.pending) = (tasks, tasks);
        let mut at = node(program.snapshot.sites.len() - 1, Some(program.snapshot.nodes.len()));
        at.calls = tasks * sleeps;
        program.snapshot.nodes.extend([around, at]);
        growing(&left_behind(program)).len()
    };
    assert_eq!(retries(40, 40, 50), 1);
    assert_eq!(retries(40, 20, 50), 0, "they may end yet");
    assert_eq!(retries(240, 12, 50), 1, "not so many at once");
    assert_eq!(retries(240, 8, 50), 0);
    assert_eq!(retries(40, 40, 1), 0, "the first sleep ends");
}

/// Each of a thousand tasks of one session waits for a reply, and each of them could have the
/// senders of all others: a thousand million paths of three steps.
#[test]
fn tasks_that_may_wait_for_each_other_are_looked_at_once() {
    let mut program = Program::new();
    let session = program.task("session");
    program.has_timer(session);
    let tasks: Vec<u64> = (0..1_000).map(|_| program.task("forward")).collect();
    let site = program.of(tasks[0]).site;
    for (number, &task) in (1..).zip(&tasks) {
        let age_ns = number * 60 * SECOND / 1_000;
        let it = program.of(task);
        (it.site, it.age_ns, it.since_ns) = (site, age_ns, age_ns);
        (it.spawned_at, it.spawned_by) = (Some(crate::support::place_at(62, 5)), Some(TaskId::new(session)));
        let reply = program.other(ResourceKind::Oneshot);
        program.sends(session, reply, 49).candidates = tasks.iter().copied().map(TaskId::new).collect();
        program.waits(task, reply, WaitMode::Receive, 71);
    }
    assert_eq!(growing(&program.snapshot).len(), 1);
}

#[test]
fn a_suspected_hang_comes_before_what_grows() {
    let mut program = grown(2, 4, notified);
    let (left, right) = (program.task("left"), program.task("right"));
    let (a, b) = (program.mutex(), program.mutex());
    // The guards are owned, so a session could hold them.
    program.holds(left, a, 5).is_movable = true;
    program.holds(right, b, 9).is_movable = true;
    program.waits(left, b, WaitMode::Lock, 6);
    program.waits(right, a, WaitMode::Lock, 10);
    assert!(program.verdicts().contains(&"suspect cycle".to_owned()), "{:?}", program.verdicts());
    let findings = program.snapshot.findings();
    let rules: Vec<String> = findings.iter().map(|finding| finding.rule.to_string()).collect();
    assert_eq!(rules, ["stuck.cycle", "growing"]);
    assert!(findings[0].explains_ns < findings[1].explains_ns, "by its time, it would be the second");
}
