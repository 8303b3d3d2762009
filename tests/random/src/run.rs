//! Runs a program on a single-threaded executor, whose clock jumps to the next timer when no task
//! can run.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use diagnose::{FutureExt as _, Snapshot, tokio};
use tokio::task::JoinHandle;

use crate::outside;
use crate::program::{Program, Start};
use crate::task::task;
use crate::world::{Progress, World, ends};

/// The state at one moment.
#[derive(Debug)]
pub(crate) struct Look {
    pub(crate) snapshot: Snapshot,
    /// The steps each task had done, by task.
    pub(crate) steps: Vec<usize>,
}

/// The observations of a run.
#[derive(Debug)]
pub(crate) struct Seen {
    /// One for each moment that the program chooses, and a last one when no task can move any more.
    pub(crate) looks: Vec<Look>,
    /// The runtime's number of each task, by task.
    pub(crate) ids: Vec<u64>,
    /// The number of tasks of the runtime at the end, unrecorded ones included.
    pub(crate) alive: usize,
}

/// The time in ms up to which a program with unrecorded steps runs one millisecond at a time, so
/// that its threads release things on time.
const LAST_MS: u64 = 60;

/// Later than every timer of a program.
const FAR: Duration = Duration::from_secs(1_000_000);

pub(crate) fn run(program: &Program) -> Seen {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime starts");
    let progress = Progress::new(program);
    // Taken while no task runs: the verdicts assume that a running task may hold anything.
    let look = || Look { snapshot: diagnose::snapshot(), steps: progress.steps() };
    // The handle is dropped at once: while it exists, it could abort the task.
    drop(runtime.spawn(tasks(program.clone(), Arc::clone(&progress)).diagnose("program")));
    let mut looks = Vec::new();
    let last_look_ms = program.looks.last().copied().unwrap_or(0);
    for now_ms in 0..=if program.is_open { LAST_MS } else { last_look_ms } {
        looks.extend(program.looks.iter().filter(|&&look_ms| look_ms == now_ms).map(|_| look()));
        runtime.block_on(async { tokio::time::sleep(Duration::from_millis(1)).await });
        if program.is_open {
            outside::release_threads(now_ms);
        }
    }
    loop {
        // The last timer fires when nothing else can be done.
        runtime.block_on(async { tokio::time::sleep(FAR).await });
        if !outside::release_threads(u64::MAX) {
            break;
        }
    }
    looks.push(look());
    let alive = runtime.metrics().num_alive_tasks();
    outside::clear();
    let ids = progress.ids.lock().expect("no panic").clone();
    Seen { looks, ids, alive }
}

/// Starts all tasks, and waits for the end of each that no other task may join.
async fn tasks(program: Program, progress: Arc<Progress>) {
    let world = Arc::new(World::new(&program, progress));
    // An abort handle may be used at any time as far as the verdicts know. So it is kept only in
    // programs that abort tasks.
    let has_aborts = format!("{:?}", program.tasks).contains("Abort(");
    let mut joins: Vec<JoinHandle<()>> = Vec::new();
    for (number, (ends, steps)) in ends(&program).into_iter().zip(program.tasks).enumerate() {
        let task = task(number, Arc::clone(&world), ends, steps);
        let join: JoinHandle<()> = match program.starts[number] {
            Start::Recorded => tokio::spawn(task.diagnose("task")),
            Start::Met => ::tokio::spawn(task.diagnose("task")).into(),
            Start::MetFor(ms) => {
                let limit = Duration::from_millis(ms);
                ::tokio::spawn(
                    async move { drop(::tokio::time::timeout(limit, task.diagnose("task")).await) },
                )
                .into()
            }
            Start::Unrecorded => ::tokio::spawn(task).into(),
        };
        world.progress.ids.lock().expect("no panic").push(join.id().to_string().parse().expect("a number"));
        if has_aborts {
            world.aborts.lock().expect("no panic").push(join.abort_handle());
        }
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
