//! Random small programs: help makes no task stuck, both searches agree, and nothing panics.

use std::collections::BTreeSet;

use diagnose_reports::model::{Attribution, SiteIndex, SpanId, SpanIndex, TaskId, Wait, WaitMode};
use diagnose_reports::{Confidence, Link, Snapshot};
use proptest::prelude::*;

use crate::support::hangs::{Program, resource_id};

const TASKS: u64 = 6;

/// Task, resource, whether the task holds it or waits for it, units, and attribution.
type Action = (u64, usize, bool, u64, u8);

fn program(actions: &[Action], joins: &[(u64, u64)], timers: &[u64]) -> Program {
    let mut program = Program::new();
    for _ in 1..TASKS {
        program.task("task");
    }
    let (lock, pool, rwlock, channel) =
        (program.mutex(), program.semaphore(3), program.rwlock(), program.channel(2));
    let unfair = program.unfair_mutex();
    for &(task, resource, holds, units, whereabouts) in actions {
        let resource = [lock, pool, rwlock, channel, unfair][resource % 5];
        let whereabouts =
            [Attribution::Exact, Attribution::Likely, Attribution::Unknown][whereabouts as usize % 3];
        let mode = match resource {
            it if it == pool => WaitMode::Acquire,
            it if it == rwlock => {
                if units > 1 {
                    WaitMode::Write
                } else {
                    WaitMode::Read
                }
            }
            it if it == channel => {
                if units > 1 {
                    WaitMode::Send
                } else {
                    WaitMode::Receive
                }
            }
            _ => WaitMode::Lock,
        };
        if holds && resource == channel {
            program.receives(task, channel, 5).attribution = whereabouts;
        } else if holds {
            program.holds_many(task, resource, units, 5).attribution = whereabouts;
        } else {
            let wait = program.waits(task, resource, mode, 6);
            wait.units = units;
            wait.is_set_aside = whereabouts == Attribution::Unknown;
            wait.may_have_moved = wait.is_set_aside && units == 1;
        }
    }
    for &(task, other) in joins {
        program.joins(task, other, 7);
    }
    for &task in timers {
        program.has_timer(task);
    }
    program
}

fn action() -> impl Strategy<Value = Action> {
    (1..=TASKS, 0..5_usize, any::<bool>(), 1..3_u64, 0..3_u8)
}

/// The tasks in chains and among the victims of proven verdicts.
fn named(snapshot: &Snapshot) -> BTreeSet<TaskId> {
    named_from(snapshot, Confidence::Proven)
}

/// The tasks in chains and among the victims of verdicts of at least this confidence.
fn named_from(snapshot: &Snapshot, least: Confidence) -> BTreeSet<TaskId> {
    let mut named = BTreeSet::new();
    for verdict in snapshot.verdicts().into_iter().filter(|verdict| verdict.confidence <= least) {
        named.extend(verdict.victims.iter().copied());
        named.extend(verdict.chain.iter().filter_map(Link::task));
    }
    named
}

/// The stuck tasks by the rules without a graph: rounds over all tasks until nothing changes.
fn naive(snapshot: &Snapshot) -> BTreeSet<TaskId> {
    let mut can: BTreeSet<TaskId> = BTreeSet::new();
    loop {
        let before = can.len();
        for task in &snapshot.tasks {
            // What a future that was set aside waits for wakes its task, which may poll it then.
            let wakes = |wait: &Wait| !wait.is_set_aside || wait.woken_ns.is_none();
            let waits = || snapshot.waits.iter().filter(|wait| wait.task == Some(task.id) && wakes(wait));
            if task.opaque_wakers != Some(0) || waits().any(|wait| comes(snapshot, &can, wait)) {
                can.insert(task.id);
            }
        }
        if can.len() == before {
            return snapshot.tasks.iter().map(|task| task.id).filter(|id| !can.contains(id)).collect();
        }
    }
}

fn comes(snapshot: &Snapshot, can: &BTreeSet<TaskId>, wait: &Wait) -> bool {
    use diagnose_reports::model::{ResourceKind, Role};
    if wait.mode == WaitMode::Join {
        return wait.tasks.iter().any(|task| can.contains(task));
    }
    let id = wait.resource.unwrap();
    let it = snapshot.resource(id).unwrap();
    let gives = |holding: &&diagnose_reports::model::Holding| {
        holding.attribution != Attribution::Exact || can.contains(&holding.task.unwrap())
    };
    let holders = || it.holdings.iter().filter(|holding| holding.role == Role::Holds);
    let receives = || it.holdings.iter().filter(|holding| holding.role == Role::Receives);
    if wait.mode == WaitMode::Receive {
        return it.filled > 0 || it.holdings.iter().all(|holding| holding.role != Role::Sends);
    }
    if it.kind == ResourceKind::Semaphore && !can.is_empty() {
        // Any task that can continue may close it.
        return true;
    }
    if it.kind == ResourceKind::Mpsc
        && (receives().next().is_none() || receives().any(|holding| gives(&holding)))
    {
        // A receiver that can continue may be dropped.
        return true;
    }
    let queue = snapshot.waits.iter().filter(|other| other.resource == Some(id));
    let ahead = queue.take(usize::try_from(wait.ahead).unwrap());
    let ahead: Vec<_> = ahead.filter(|other| it.is_fair && other.mode != WaitMode::Receive).collect();
    let asked = |wait: &Wait| match wait.mode {
        WaitMode::Write => it.capacity.unwrap(),
        _ => wait.units,
    };
    // A boxed future that is not polled may have moved to any task.
    let leaves = |wait: &&diagnose_reports::model::Wait| {
        can.contains(&wait.task.unwrap()) || wait.may_have_moved && !can.is_empty()
    };
    // If there is room, futures that are not polled may be granted units and keep them.
    let least = ahead.iter().filter(|other| other.is_set_aside).map(|other| asked(other)).min();
    let has_room =
        wait.mode != WaitMode::Write && least.is_some_and(|least| least + wait.units <= it.capacity.unwrap());
    let is_first =
        ahead.iter().filter(|other| !(has_room && other.is_set_aside)).copied().all(|it| leaves(&it));
    let stay: u64 =
        ahead.iter().filter(|other| other.is_set_aside && !leaves(other)).map(|other| asked(other)).sum();
    let stay = if has_room { stay } else { 0 };
    let sum: u64 = it.free + holders().filter(gives).map(|holding| holding.units.max(1)).sum::<u64>();
    is_first
        && match (it.kind, wait.mode) {
            (_, WaitMode::Write) => holders().all(|holding| gives(&holding)),
            (_, WaitMode::Read)
                if !has_room
                    && (it.free > 0
                        || holders().all(|holding| holding.units <= 1) && holders().next().is_some()) =>
            {
                true
            }
            _ => sum >= wait.units + stay,
        }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn help_makes_no_task_stuck(
        actions in prop::collection::vec(action(), 0..14),
        joins in prop::collection::vec((1..=TASKS, 1..=TASKS), 0..3),
        helped in 1..=TASKS,
        help in 0..4_u8,
    ) {
        let before = program(&actions, &joins, &[]);
        let mut after = program(&actions, &joins, &[]);
        match help {
            0 => after.has_timer(helped),
            1 => after.snapshot.resources.iter_mut().for_each(|it| it.free += 1),
            2 => {
                let other = after.task("other");
                after.has_timer(other);
                for it in &mut after.snapshot.resources {
                    it.holdings.iter_mut().for_each(|holding| holding.candidates.push(TaskId::new(other)));
                }
            }
            _ => after.of(helped).opaque_wakers = None,
        }
        // The task of a future that may have moved is only likely, and so are the waits behind it.
        let may_have_moved = before.snapshot.waits.iter().any(|wait| wait.may_have_moved);
        let least = if may_have_moved { Confidence::Likely } else { Confidence::Proven };
        let before = named_from(&before.snapshot, least);
        let after = named(&after.snapshot);
        prop_assert!(after.is_subset(&before), "{before:?} {after:?}");
    }

    #[test]
    fn the_worklist_and_repeated_rounds_find_the_same(
        actions in prop::collection::vec(action(), 0..14),
        joins in prop::collection::vec((1..=TASKS, 1..=TASKS), 0..3),
        timers in prop::collection::vec(1..=TASKS, 0..2),
    ) {
        let mut program = program(&actions, &joins, &timers);
        // A task without a recorded wait can be woken by something unrecorded.
        for task in program.snapshot.tasks.iter_mut().filter(|task| task.wakers == Some(0)) {
            (task.wakers, task.opaque_wakers) = (None, None);
        }
        let snapshot = &program.snapshot;
        let (naive, named) = (naive(snapshot), named(snapshot));
        prop_assert!(named.is_subset(&naive), "{named:?} of {naive:?}");
        // Nothing wakes a task that has left its boxed future, but that future's present task is
        // only likely.
        let has_left = |id: &TaskId| {
            let mut waits = snapshot.waits.iter().filter(|wait| wait.task == Some(*id));
            waits.any(|wait| wait.may_have_moved)
        };
        if named.is_empty() && naive.iter().any(has_left) {
            prop_assert!(!named_from(snapshot, Confidence::Likely).is_empty(), "{naive:?}");
        } else {
            prop_assert_eq!(named.is_empty(), naive.is_empty(), "{:?} {:?}", named, naive);
        }
    }

    #[test]
    fn no_snapshot_that_can_be_read_causes_a_panic(
        actions in prop::collection::vec(action(), 0..14),
        resource in 0..40_usize,
        numbers in prop::collection::vec(any::<u64>(), 8),
    ) {
        let mut program = program(&actions, &[(1, 2), (9, 9)], &[]);
        for (index, wait) in program.snapshot.waits.iter_mut().enumerate() {
            let number = numbers[index % 8];
            if number % 3 == 0 {
                wait.resource = Some(resource_id(resource));
            }
            wait.ahead = number;
            wait.units = numbers[(index + 1) % 8];
            wait.task = Some(TaskId::new(number % 9));
            wait.span = Some(SpanId::new(number % 5));
            wait.is_set_aside = number % 2 == 0;
            wait.is_granted = number % 5 == 0;
            wait.thread_id = (number % 7 == 0).then_some(number % 3);
        }
        program.set_aside(1, "op", 1);
        program.snapshot.spans[0].parent = Some(SpanIndex::new(usize::try_from(numbers[0] % 4).unwrap()));
        program.snapshot.spans[0].site = SiteIndex::new(resource);
        program.snapshot.tasks[0].span = Some(SpanIndex::new(resource));
        program.snapshot.tasks[0].site = SiteIndex::new(resource + 20);
        let _ = program.snapshot.verdicts();
        let _ = (program.snapshot.waiters(), program.snapshot.tree());
    }
}
