//! The dump of tasks, as a whole page.

use crate::support::hangs::{Program, set_aside};
use crate::support::{empty, page, site};
use diagnose_reports::model::{
    RunState, Runtime, SiteIndex, SiteKind, Span, SpanId, SpanIndex, Task, TaskId, WaitMode, Worker,
};
use diagnose_reports::{Format, Snapshot, View};

pub(crate) const MS: u64 = 1_000_000;

pub(crate) fn task(id: u64, site: usize, state: RunState, since_ns: u64) -> Task {
    let mut task = Task::default();
    task.id = TaskId::new(id);
    task.site = SiteIndex::new(site);
    task.state = state;
    task.since_ns = since_ns;
    task.age_ns = 2_000 * MS;
    task
}

fn woken(mut task: Task, by: Option<u64>, ns: u64) -> Task {
    task.woken_by = by.map(TaskId::new);
    task.woken_ns = Some(ns);
    task.wakes = 1;
    task
}

pub(crate) fn span(id: u64, site: usize, task: Option<u64>, parent: Option<usize>) -> Span {
    let mut span = Span::default();
    span.id = SpanId::new(id);
    span.site = SiteIndex::new(site);
    span.task = task.map(TaskId::new);
    span.parent = parent.map(SpanIndex::new);
    span.since_ns = 40 * MS;
    span
}

/// Sites 0 to 3, of which the last is an await.
pub(crate) fn sites() -> Snapshot {
    let mut snapshot = empty();
    for (line, name) in ["main", "producer", "consumer", "queue.pop().await"].into_iter().enumerate() {
        snapshot.sites.push(site(name, "app", "src/main.rs", u32::try_from(line).unwrap() + 1, 9));
    }
    snapshot.sites[3].kind = SiteKind::Await;
    snapshot
}

#[test]
fn the_head_says_what_the_runtimes_are_doing() {
    let mut snapshot = sites();
    for (number, name, workers, threads) in [(1, Some("payments"), 3, 4), (2, None, 1, 0)] {
        let mut runtime = Runtime::default();
        runtime.number = number;
        runtime.name = name.map(str::to_owned);
        runtime.library.push_str("tokio");
        runtime.workers = workers;
        runtime.threads = threads;
        snapshot.runtimes.push(runtime);
    }
    for (runtime, parked, since_ns) in
        [(1, true, 4_200 * MS), (1, true, 1_000 * MS), (1, false, 400 * MS), (2, true, MS)]
    {
        let mut worker = Worker::default();
        worker.runtime_number = runtime;
        worker.thread.push_str("worker");
        worker.parked = parked;
        worker.since_ns = since_ns;
        worker.task = (!parked).then_some(TaskId::new(1));
        snapshot.workers.push(worker);
    }
    snapshot.tasks = vec![task(1, 0, RunState::Running, 312 * MS), task(2, 1, RunState::Waiting, 5 * MS)];
    snapshot.tasks[0].polls = 100;
    snapshot.tasks[1].polls = 13;
    snapshot.tasks[1].wakes = 10;
    snapshot.tasks[1].queued_ns = MS;
    insta::assert_snapshot!(snapshot.tree(), @r"
    tasks: 2 alive, 1 running, 1 waiting
    runtimes: 1 payments (tokio, 3 workers, 4 threads), 2 (tokio, 1 worker)
    workers of runtime 1: 3, 2 parked for 1.00 s to 4.20 s, 1 busy: worker polling task 1 for 312 ms
    workers of runtime 2: 1, 1 parked for 1.00 ms, 0 busy
    polls of tasks: 113, 56.5 per second; mean time in the queue after a wake: 9.01 µs

    task 1 main [running 312 ms] 100 polls, busy 0 ns

    task 2 producer [waiting 5.00 ms] 13 polls, busy 0 ns
    ");
}

#[test]
fn wakes_are_followed_back_as_far_as_they_are_known() {
    let mut snapshot = sites();
    snapshot.tasks = vec![
        woken(task(1, 0, RunState::Waiting, 50 * MS), None, 60 * MS),
        woken(task(2, 1, RunState::Waiting, 11 * MS), Some(1), 13 * MS),
        woken(task(3, 2, RunState::Queued, 12 * MS), Some(2), 12 * MS),
        // Task 2 was woken again after it woke task 4: the task that woke it before is unknown.
        woken(task(4, 2, RunState::Queued, 14 * MS), Some(2), 14 * MS),
        woken(task(5, 2, RunState::Queued, 15 * MS), None, 15 * MS),
        woken(task(6, 2, RunState::Queued, 16 * MS), Some(99), 16 * MS),
        woken(task(7, 2, RunState::Queued, 17 * MS), Some(7), 17 * MS),
    ];
    // Tasks of one place would be grouped.
    for (number, task) in snapshot.tasks.iter_mut().enumerate() {
        task.spawned_at = Some(crate::support::place_at(u32::try_from(number).unwrap(), 1));
    }
    let tree = snapshot.tree();
    let chains: Vec<&str> = tree
        .lines()
        .filter(|line| line.starts_with("task "))
        .map(|line| line.split_once(", spawned").unwrap().1)
        .collect();
    assert_eq!(
        chains,
        [
            " at src/main.rs:0:1",
            " at src/main.rs:6:1, woken 17.0 ms ago by itself",
            " at src/main.rs:5:1, woken 16.0 ms ago by task 99, which is done",
            " at src/main.rs:4:1, woken 15.0 ms ago by a thread outside of all tasks",
            " at src/main.rs:3:1, woken 14.0 ms ago by task 2 producer",
            " at src/main.rs:2:1, woken 12.0 ms ago by task 2 producer, itself woken 13.0 ms ago by task 1 main",
            " at src/main.rs:1:1, woken 13.0 ms ago by task 1 main",
        ]
    );
}

#[test]
fn tasks_that_wake_each_other_end_the_chain() {
    let mut snapshot = sites();
    snapshot.tasks = vec![
        woken(task(1, 0, RunState::Queued, MS), Some(2), MS),
        woken(task(2, 1, RunState::Queued, MS), Some(1), MS),
    ];
    let tree = snapshot.tree();
    let first = tree.lines().find(|line| line.starts_with("task 1 ")).unwrap();
    assert_eq!(first.matches("woken ").count(), 4, "{first}");
}

#[test]
fn a_span_that_lost_its_parent_is_listed_under_its_task() {
    let mut snapshot = sites();
    snapshot.tasks = vec![task(1, 0, RunState::Waiting, 40 * MS)];
    snapshot.tasks[0].span = Some(SpanIndex::new(0));
    snapshot.spans = vec![
        span(1, 0, Some(1), None),
        span(2, 1, Some(1), Some(0)),
        span(3, 2, Some(1), None),
        span(4, 3, Some(1), Some(2)),
        span(5, 2, None, None),
    ];
    snapshot.spans[2].is_detached = true;
    snapshot.spans[4].is_detached = true;
    insta::assert_snapshot!(snapshot.tree(), @r"
    tasks: 1 alive, 1 waiting

    task 1 main [waiting 40.0 ms] 0 polls, busy 0 ns
      └─ producer (src/main.rs:2) [waiting 40.0 ms]
      detached, its parent future is gone: consumer (src/main.rs:3)
      └─ queue.pop().await (src/main.rs:4:9) [waiting 40.0 ms]

    detached: pending futures whose parent is gone
      consumer (src/main.rs:3) [waiting 40.0 ms]
    ");
}

#[test]
fn futures_that_no_live_task_has_polled_are_listed_once_if_they_are_alike() {
    let mut snapshot = sites();
    snapshot.tasks = vec![task(1, 0, RunState::Waiting, 40 * MS)];
    for (id, age_ns) in [(1, 30 * MS), (3, 10 * MS), (5, 20 * MS)] {
        let root = snapshot.spans.len();
        snapshot.spans.extend([span(id, 2, None, None), span(id + 1, 3, None, Some(root))]);
        (snapshot.spans[root].is_detached, snapshot.spans[root].age_ns) = (true, age_ns);
    }
    snapshot.spans.push(span(7, 1, None, None));
    let tree = snapshot.tree();
    let (_, detached) = tree.split_once("detached").expect("a heading");
    insta::assert_snapshot!(detached, @r"
    : pending futures whose parent is gone
      3 × created 10.0 ms to 30.0 ms ago: consumer (src/main.rs:3)
      └─ queue.pop().await (src/main.rs:4:9) [waiting]
      producer (src/main.rs:2) [waiting 40.0 ms]
    ");
}

#[test]
fn spans_that_lost_their_parents_are_listed_once_if_they_are_alike() {
    let mut snapshot = sites();
    // The first task has two of them, the second has one.
    let mut first = 0;
    for (id, detached) in [(1, 2), (2, 1)] {
        let mut own = task(id, 0, RunState::Waiting, 40 * MS);
        own.span = Some(SpanIndex::new(first));
        snapshot.tasks.push(own);
        snapshot.spans.push(span(first as u64, 0, Some(id), None));
        for _ in 0..detached {
            let number = snapshot.spans.len();
            let mut lost = span(number as u64, 2, Some(id), None);
            (lost.is_detached, lost.age_ns) = (true, number as u64 * MS);
            snapshot.spans.push(lost);
            snapshot.spans.push(span(number as u64 + 1, 3, Some(id), Some(number)));
        }
        first = snapshot.spans.len();
    }
    insta::assert_snapshot!(snapshot.tree(), @r"
    tasks: 2 alive, 2 waiting

    2 × task main [waiting 40.0 ms] 0 polls, busy 0 ns: tasks 1, 2
      3 × detached, its parent future is gone, created 1.00 ms to 6.00 ms ago: consumer (src/main.rs:3)
      └─ queue.pop().await (src/main.rs:4:9) [waiting]
    ");
}

#[test]
fn tasks_that_have_polled_their_branches_in_another_order_are_alike() {
    let mut snapshot = sites();
    for (id, branches) in [(1, [2, 3]), (2, [3, 2])] {
        let root = snapshot.spans.len();
        let mut waits = task(id, 1, RunState::Waiting, 40 * MS);
        waits.span = Some(SpanIndex::new(root));
        snapshot.tasks.push(waits);
        snapshot.spans.push(span(10 * id, 1, Some(id), None));
        for (number, site) in (1..).zip(branches) {
            snapshot.spans.push(span(10 * id + number, site, Some(id), Some(root)));
        }
    }
    let page = snapshot.tree();
    assert!(page.contains("2 × task producer"), "{page}");
    assert_eq!(page.matches("queue.pop().await").count(), 1, "{page}");
}

#[test]
fn a_task_says_what_it_waits_for() {
    let mut program = Program::new();
    let [one, other] = [program.mutex(), program.mutex()];
    let [single, both, joiner] = ["single", "both", "joiner"].map(|name| program.task(name));
    let alike: Vec<u64> = (0..3).map(|_| program.task("alike")).collect();
    program.waits(single, one, WaitMode::Lock, 10);
    program.waits(both, one, WaitMode::Lock, 20);
    program.waits(both, other, WaitMode::Lock, 21);
    set_aside(program.waits(joiner, one, WaitMode::Lock, 30));
    program.joins(joiner, single, 31);
    let first = program.of(alike[0]).clone();
    for &task in &alike {
        let mut like = first.clone();
        like.id = TaskId::new(task);
        *program.of(task) = like;
        program.waits(task, other, WaitMode::Lock, 40);
    }
    let heads = |program: &Program| -> Vec<String> {
        let tree = program.snapshot.tree();
        let (_, tree) = tree.split_once("tasks: ").expect("the tasks");
        let heads = tree.lines().filter(|line| line.contains(" [waiting "));
        let words = heads.filter_map(|line| Some((line.split_once(" [")?.0, line.split_once(']')?.0)));
        let words =
            words.map(|(name, state)| format!("{name}: {}", &state[state.find('[').unwrap_or(0) + 1..]));
        words.collect()
    };
    let expected = [
        "task 1 main: waiting 1.00 s",
        "task 2 single: waiting 1.00 s for Mutex#1",
        "task 3 both: waiting 1.00 s for Mutex#1, Mutex#2",
        "task 4 joiner: waiting 1.00 s for task 2",
        "3 × task alike: waiting 1.00 s for Mutex#2",
    ];
    assert_eq!(heads(&program), expected);
    program.snapshot.waits.last_mut().expect("a wait").resource = program.snapshot.waits[0].resource;
    assert_eq!(heads(&program)[4], "3 × task alike: waiting 1.00 s", "not all for the same lock");
}

#[test]
fn tasks_of_a_group_keep_their_attributes() {
    let mut snapshot = empty();
    snapshot.sites.push(site("handle", "server", "src/main.rs", 10, 1));
    for id in [9, 7, 8] {
        let mut task = task(id, 0, RunState::Waiting, 5 * MS);
        if id != 8 {
            task.attributes.insert("request".into(), format!("R{id}"));
        }
        snapshot.tasks.push(task);
    }
    let tree = snapshot.tree();
    assert!(tree.contains(": tasks 7 request=R7, 8, 9 request=R9\n"), "{tree}");
}

/// 25 tasks of one place wait for five locks, at one line each. The first three locks have one
/// waiter each, which holds the lock itself.
#[test]
fn all_shapes_with_a_stuck_task_are_shown() {
    let mut program = Program::new();
    let mut place = None;
    let waiters = [1, 1, 1, 4, 18];
    for (line, number) in (31..).zip(waiters) {
        let (lock, mut site) = (program.mutex(), None);
        for _ in 0..number {
            let task = program.task("handle");
            let first = (program.of(task).site, program.of(task).spawned_at.clone());
            (program.of(task).site, program.of(task).spawned_at) = place.get_or_insert(first).clone();
            program.waits(task, lock, WaitMode::Lock, line);
            let span = program.span(task, None, line);
            program.of(task).span = Some(SpanIndex::new(span));
            let span = &mut program.snapshot.spans[span];
            span.site = *site.get_or_insert(span.site);
            if number == 1 {
                program.holds(task, lock, 5);
            }
        }
    }
    let text = page(&program.snapshot, Format::Text, View::Time);
    let tasks = text.split_once("\nTASKS\n").unwrap().1;
    for (number, waiting) in (1..).zip(waiters) {
        let is_shown = tasks.contains(&format!("for Mutex#{number}]"));
        assert_eq!(is_shown, waiting == 1, "Mutex#{number}: {tasks}");
    }
}

#[test]
fn a_task_that_nothing_can_wake_is_not_folded_with_others() {
    let mut snapshot = sites();
    for id in 1..=5 {
        let mut task = task(id, 1, RunState::Waiting, 500 * MS);
        task.wakers = Some(u64::from(id != 3));
        snapshot.tasks.push(task);
    }
    let tree = snapshot.tree();
    let heads: Vec<&str> = tree.lines().filter(|line| line.contains("producer")).collect();
    assert!(heads[0].starts_with("4 × task producer ["), "{tree}");
    assert!(heads[1].starts_with("task 3 producer ["), "{tree}");
    assert_eq!(tree.matches("NOTHING CAN WAKE IT").count(), 1, "{tree}");
    // The text report shows it before the others, although they are more.
    let text = page(&snapshot, Format::Text, View::Wall);
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
    assert!(at("task 3 producer") < at("4 × task producer"), "{text}");
}

#[test]
fn a_thread_is_named_if_all_tasks_of_a_group_run_on_it() {
    let mut snapshot = sites();
    for (id, thread) in [(1, "worker-1"), (2, "worker-2")] {
        let mut task = task(id, 1, RunState::Running, 500 * MS);
        task.thread = thread.into();
        snapshot.tasks.push(task);
    }
    assert!(!snapshot.tree().contains("on thread"), "{}", snapshot.tree());
    snapshot.tasks[1].thread = "worker-1".into();
    assert!(snapshot.tree().contains("2 × task producer [running"), "{}", snapshot.tree());
    assert!(snapshot.tree().contains(", on thread worker-1"), "{}", snapshot.tree());
}

#[test]
fn tasks_that_wait_for_ever_on_purpose_do_not_hide_others() {
    let mut snapshot = sites();
    snapshot.sites[3].name = "pending().await".into();
    for id in 1..=3 {
        let mut task = task(id, 1, RunState::Waiting, 900 * MS);
        task.label = Some(format!("shard={id}").into());
        task.wakers = Some(0);
        task.span = Some(SpanIndex::new(snapshot.spans.len()));
        snapshot.spans.push(span(id, 3, Some(id), None));
        snapshot.tasks.push(task);
    }
    for id in 4..=20 {
        snapshot.tasks.push(task(id, 1, RunState::Waiting, 500 * MS));
    }
    let text = page(&snapshot, Format::Text, View::Wall);
    assert!(text.contains("17 × task producer"), "{text}");
}
