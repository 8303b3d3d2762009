//! The task of a call from un-annotated code takes over nothing from a task that ended before it on
//! the same thread.

use diagnose::diagnose;
use diagnose::model::{Task as ListedTask, TaskKind};
use diagnose_isolation::isolated;
use diagnose_poll_tests::Step::{Busy, Wait};
use diagnose_poll_tests::{Task, pass, steps};

#[diagnose]
async fn called(waits: usize) {
    for _ in 0..waits {
        steps([Busy(1), Wait]).await;
    }
}

/// The task of the only root that waits.
fn waiting() -> ListedTask {
    let mut tasks = diagnose::snapshot().tasks;
    assert_eq!(tasks.len(), 1, "{tasks:#?}");
    tasks.remove(0)
}

// spawned  ├──9──┤┈┈┈┈┈┈├─┤
// called                     ├─1─┤┈┈┈┈
// called                     ├─1─┤┈┈┈┈├─1─┤┈┈┈┈├┤
// called                                         ├─1─┤┈┈┈┈
#[test]
fn the_task_of_a_call_is_not_that_of_an_earlier_one() {
    isolated!();
    let spawned = async { steps([Busy(9), Wait]).await };
    Task::new(diagnose::spawn_with(|task| task, "spawned", spawned)).run(5);

    let mut first = Task::new(called(1));
    assert!(first.poll().is_pending());
    let task = waiting();
    assert!(task.is_unspawned && task.spawned_at.is_none() && task.spawned_by.is_none(), "{task:#?}");
    assert_eq!((task.polls, task.busy_ns, task.wakes, task.woken_by), (1, 1, 0, None), "{task:#?}");
    assert_eq!((task.kind, task.runtime.as_str(), task.future_bytes), (TaskKind::Future, "", None));
    drop(first);

    let mut second = Task::new(called(2));
    assert!(second.poll().is_pending());
    let before = waiting();
    pass(3);
    assert!(second.poll().is_pending());
    assert_eq!((waiting().id, waiting().polls, waiting().busy_ns), (before.id, 2, 2));
    assert!(second.poll().is_ready());

    let mut third = Task::new(called(1));
    assert!(third.poll().is_pending());
    let task = waiting();
    assert_ne!(task.id, before.id, "{task:#?}");
    assert_eq!((task.polls, task.busy_ns, task.age_ns, task.since_ns), (1, 1, 1, 0), "{task:#?}");
    pass(1_000);
    assert_eq!(waiting().since_ns, 1_000);
}
