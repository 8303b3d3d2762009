//! Runs a program on an executor of one thread, whose clock jumps to the next timer when nothing else can be done.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use diagnose::{FutureExt as _, Snapshot, tokio};
use tokio::task::JoinHandle;

use crate::program::Program;
use crate::task::task;
use crate::world::{Progress, World, ends};

/// What was seen at a moment.
#[derive(Debug)]
pub(crate) struct Look {
    pub(crate) snapshot: Snapshot,
    /// By task: how many steps it had done.
    pub(crate) steps: Vec<usize>,
    /// How many tasks had been aborted.
    pub(crate) aborted: usize,
}

/// What was seen of a run.
#[derive(Debug)]
pub(crate) struct Seen {
    /// At the moments at which the program says so, and when nothing moved any more.
    pub(crate) looks: Vec<Look>,
    /// The tasks that were aborted, in their order.
    pub(crate) aborted: Vec<usize>,
    /// By task: the number by which the runtime knows it.
    pub(crate) ids: Vec<u64>,
}

/// Later than every timer of a program.
const FAR: Duration = Duration::from_secs(1_000_000);

pub(crate) fn run(program: &Program) -> Seen {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime starts");
    let progress = Progress::new(program);
    // Whoever looks is in no task: one that runs may have anything.
    let look = || Look {
        snapshot: diagnose::snapshot(),
        steps: progress.steps(),
        aborted: progress.aborted.lock().expect("no panic").len(),
    };
    let mut end = runtime.spawn(tasks(program.clone(), Arc::clone(&progress)).diagnose("program"));
    let (mut looks, mut at, mut has_ended) = (Vec::new(), 0, false);
    for &time in &program.looks {
        runtime.block_on(async { tokio::time::sleep(Duration::from_millis(time - at)).await });
        at = time;
        looks.push(look());
    }
    // The last timer fires when nothing else can be done.
    runtime.block_on(async {
        let mut far = pin!(tokio::time::sleep(FAR));
        let all = std::future::poll_fn(|context| {
            has_ended = has_ended || Pin::new(&mut end).poll(context).is_ready();
            far.as_mut().poll(context)
        });
        all.await;
    });
    looks.push(look());
    let aborted = progress.aborted.lock().expect("no panic").clone();
    let ids = progress.ids.lock().expect("no panic").clone();
    Seen { looks, aborted, ids }
}

/// Starts all tasks, and waits for each that no other may join.
async fn tasks(program: Program, progress: Arc<Progress>) {
    let world = Arc::new(World::new(&program, progress));
    let mut joins: Vec<JoinHandle<()>> = Vec::new();
    for (number, (ends, steps)) in ends(&program).into_iter().zip(program.tasks).enumerate() {
        let join = tokio::spawn(task(number, Arc::clone(&world), ends, steps).diagnose("task"));
        world.progress.ids.lock().expect("no panic").push(join.id().to_string().parse().expect("a number"));
        world.aborts.lock().expect("no panic").push(join.abort_handle());
        match program.joiners[number] {
            Some(_) => *world.joins[number].try_lock().expect("nobody joins yet") = Some(join),
            None => joins.push(join),
        }
    }
    drop(world);
    let all = std::future::poll_fn(|context| {
        joins.retain_mut(|join| Pin::new(join).poll(context).is_pending());
        if joins.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    });
    all.await;
}
