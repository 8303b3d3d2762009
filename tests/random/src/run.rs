//! Runs a program on an executor of one thread, whose clock jumps to the next timer when nothing else can be done.

use std::any::Any;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use diagnose::{FutureExt as _, Snapshot, tokio};
use tokio::sync::{Mutex, RwLock, Semaphore, mpsc};

use crate::program::{Program, Step};

/// What the tasks share. It lives for ever, so that guards can be kept that borrow from it.
#[derive(Debug)]
struct World {
    mutexes: Vec<Arc<Mutex<()>>>,
    locks: Vec<Arc<RwLock<()>>>,
    semaphores: Vec<Arc<Semaphore>>,
    is_owned: bool,
}

/// What a task has besides.
struct Own {
    world: &'static World,
    senders: Vec<Option<mpsc::Sender<u32>>>,
    receivers: Vec<Option<tokio::sync::Mutex<mpsc::Receiver<u32>>>>,
    /// Guards and permits, in the order in which they were taken.
    held: std::sync::Mutex<Vec<Box<dyn Any + Send>>>,
}

/// What was seen of a run.
#[derive(Debug)]
pub(crate) struct Seen {
    /// At the moments at which the program says so, unless it was over.
    pub(crate) looks: Vec<Snapshot>,
    /// When nothing moved any more; `None` if all tasks have ended.
    pub(crate) end: Option<Snapshot>,
}

/// Later than every timer of a program.
const FAR: Duration = Duration::from_secs(1_000_000);

pub(crate) fn run(program: &Program) -> Seen {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime starts");
    let program = program.clone();
    runtime.block_on(async move {
        let looks = program.looks.clone();
        let end = tokio::spawn(tasks(program).diagnose("program"));
        let mut seen = Seen { looks: Vec::new(), end: None };
        let mut at = 0;
        for look in looks {
            tokio::time::sleep(Duration::from_millis(look - at)).await;
            at = look;
            seen.looks.push(diagnose::snapshot());
        }
        let mut end = pin!(end);
        let mut far = pin!(tokio::time::sleep(FAR));
        let is_over = std::future::poll_fn(|context| {
            if end.as_mut().poll(context).is_ready() {
                return Poll::Ready(true);
            }
            far.as_mut().poll(context).map(|()| false)
        });
        if !is_over.await {
            seen.end = Some(diagnose::snapshot());
        }
        seen
    })
}

/// Starts all tasks, and waits for each.
async fn tasks(program: Program) {
    let world: &'static World = Box::leak(Box::new(World {
        mutexes: (0..program.mutexes).map(|_| Arc::new(Mutex::new(()))).collect(),
        locks: (0..program.locks).map(|_| Arc::new(RwLock::new(()))).collect(),
        semaphores: program
            .semaphores
            .iter()
            .map(|permits| Arc::new(Semaphore::new(*permits as usize)))
            .collect(),
        is_owned: program.is_owned,
    }));
    let mut ends: Vec<_> = program.channels.iter().map(|(bound, _)| mpsc::channel(*bound)).collect();
    let mut joins = Vec::new();
    for (number, steps) in program.tasks.into_iter().enumerate() {
        let senders = ends.iter().map(|(sender, _)| Some(sender.clone())).collect();
        let mut receivers = Vec::new();
        for (channel, (_, owner)) in program.channels.iter().enumerate() {
            // The other end goes to its task with the first that is asked for it.
            let has = *owner == number;
            receivers.push(has.then(|| take(&mut ends, channel)));
        }
        let held = std::sync::Mutex::new(Vec::new());
        joins.push(tokio::spawn(task(Own { world, senders, receivers, held }, steps).diagnose("task")));
    }
    drop(ends);
    for join in joins {
        let _ = join.await;
    }
}

type Ends = (mpsc::Sender<u32>, mpsc::Receiver<u32>);

fn take(ends: &mut [Ends], channel: usize) -> Mutex<mpsc::Receiver<u32>> {
    let (_, unused) = mpsc::channel(1);
    let receiver = std::mem::replace(&mut ends[channel].1, unused);
    Mutex::new(receiver)
}

async fn task(own: Own, steps: Vec<Step>) {
    let mut parked: Vec<Pin<Box<dyn Future<Output = ()> + Send + '_>>> = Vec::new();
    for step in &steps {
        match step {
            Step::Park(ms, step) => {
                let mut step = step_of(&own, step);
                let mut limit = pin!(tokio::time::sleep(Duration::from_millis(*ms)));
                let is_done = std::future::poll_fn(|context| {
                    if step.as_mut().poll(context).is_ready() {
                        return Poll::Ready(true);
                    }
                    limit.as_mut().poll(context).map(|()| false)
                });
                if !is_done.await {
                    parked.push(step);
                }
            }
            step => step_of(&own, step).await,
        }
    }
}

fn step_of<'a>(own: &'a Own, step: &'a Step) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
    Box::pin(do_step(own, step))
}

fn keep(own: &Own, guard: impl Any + Send) {
    own.held.lock().expect("no panic").push(Box::new(guard));
}

async fn do_step(own: &Own, step: &Step) {
    let world = own.world;
    match step {
        Step::Yield => tokio::task::yield_now().await,
        Step::Sleep(ms) => tokio::time::sleep(Duration::from_millis(*ms)).await,
        Step::Lock(mutex) if world.is_owned => {
            keep(own, Arc::clone(&world.mutexes[*mutex]).lock_owned().await);
        }
        Step::Lock(mutex) => keep(own, world.mutexes[*mutex].lock().await),
        Step::Read(lock) if world.is_owned => keep(own, Arc::clone(&world.locks[*lock]).read_owned().await),
        Step::Read(lock) => keep(own, world.locks[*lock].read().await),
        Step::Write(lock) if world.is_owned => keep(own, Arc::clone(&world.locks[*lock]).write_owned().await),
        Step::Write(lock) => keep(own, world.locks[*lock].write().await),
        Step::Acquire(semaphore, permits) if world.is_owned => {
            let permits = Arc::clone(&world.semaphores[*semaphore]).acquire_many_owned(*permits).await;
            keep(own, permits.expect("it is open"));
        }
        Step::Acquire(semaphore, permits) => {
            keep(own, world.semaphores[*semaphore].acquire_many(*permits).await.expect("it is open"));
        }
        Step::Release => drop(own.held.lock().expect("no panic").pop()),
        Step::ReleaseAll => own.held.lock().expect("no panic").clear(),
        Step::Send(channel) => {
            if let Some(sender) = &own.senders[*channel] {
                let _ = sender.send(1).await;
            }
        }
        Step::Receive(channel) => {
            // A step that was given up or parked may still have it.
            if let Some(mut receiver) = own.receivers[*channel].as_ref().and_then(|it| it.try_lock().ok()) {
                receiver.recv().await;
            }
        }
        Step::Timeout(ms, step) => {
            let _ = tokio::time::timeout(Duration::from_millis(*ms), step_of(own, step)).await;
        }
        Step::Select(a, b) => {
            tokio::select! {
                biased;
                () = step_of(own, a) => {}
                () = step_of(own, b) => {}
            }
        }
        Step::Both(a, b) => {
            tokio::join!(step_of(own, a), step_of(own, b));
        }
        Step::Park(..) => {}
    }
}
