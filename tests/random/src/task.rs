//! Runs the steps of a task.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex as Std};
use std::task::Poll;
use std::time::Duration;

use diagnose::{FutureExt as _, tokio};

use crate::program::Step;
use crate::world::{Ends, Receiver, Sender, World};

/// A future of a step.
pub(crate) type Doing<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A task while it runs.
pub(crate) struct Own<'a> {
    pub(crate) number: usize,
    pub(crate) world: &'a Arc<World>,
    pub(crate) ends: &'a Ends,
    /// Guards and permits, in the order of their acquisition.
    pub(crate) held: Std<Vec<Held<'a>>>,
}

/// A guard or a permit.
pub(crate) enum Held<'a> {
    /// A guard that borrows from the task's resources.
    Borrowed(#[allow(dead_code, reason = "it is there to be dropped")] Box<dyn Send + 'a>),
    /// An owned guard or permit, which can move anywhere.
    Movable(Box<dyn Send>),
}

/// Takes the steps in order.
pub(crate) async fn task(number: usize, world: Arc<World>, ends: Ends, steps: Vec<Step>) {
    let own = Own { number, world: &world, ends: &ends, held: Std::default() };
    let mut parked = Vec::new();
    for step in &steps {
        match step {
            Step::Park(ms, step) => {
                let mut step = own.start(step);
                if !is_done_within(*ms, &mut step).await {
                    parked.push(step);
                }
            }
            step => own.start(step).await,
        }
    }
}

/// A future that takes two steps, and can move to another task.
pub(crate) fn passed(
    number: usize,
    world: Arc<World>,
    steps: [Step; 2],
    is_annotated: bool,
) -> Doing<'static> {
    let work = async move {
        let ends = Ends::default();
        let own = Own { number, world: &world, ends: &ends, held: Std::default() };
        for step in &steps {
            own.act(step).await;
        }
    };
    if is_annotated { Box::pin(work.diagnose("passed")) } else { Box::pin(work) }
}

/// Polls a future for a time in ms.
pub(crate) async fn is_done_within(ms: u64, step: &mut Doing<'_>) -> bool {
    let mut limit = pin!(tokio::time::sleep(Duration::from_millis(ms)));
    let poll = std::future::poll_fn(|context| {
        if step.as_mut().poll(context).is_ready() {
            return Poll::Ready(true);
        }
        limit.as_mut().poll(context).map(|()| false)
    });
    poll.await
}

impl<'a> Own<'a> {
    pub(crate) fn start<'b>(&'b self, step: &'b Step) -> Doing<'b> {
        Box::pin(async move {
            self.act(step).await;
            self.world.progress.steps[self.number].fetch_add(1, Relaxed);
        })
    }

    fn keep(&self, guard: impl Send + 'a) {
        self.held.lock().expect("no panic").push(Held::Borrowed(Box::new(guard)));
    }

    fn keep_owned(&self, guard: impl Send + 'static) {
        self.held.lock().expect("no panic").push(Held::Movable(Box::new(guard)));
    }

    async fn act(&self, step: &Step) {
        match step {
            Step::Yield => tokio::task::yield_now().await,
            Step::Sleep(ms) => tokio::time::sleep(Duration::from_millis(*ms)).await,
            Step::Lock(_) | Step::Read(_) | Step::Write(_) | Step::Downgrade(_) | Step::Acquire(..) => {
                self.take(step).await;
            }
            Step::Close(semaphore) => self.world.semaphores[*semaphore].close(),
            Step::Release => drop(self.held.lock().expect("no panic").pop()),
            Step::ReleaseAll => self.held.lock().expect("no panic").clear(),
            Step::Send(channel) => self.send(*channel).await,
            Step::DropSender(channel) => drop(self.ends.senders[*channel].lock().expect("no panic").take()),
            Step::Receive(channel) => self.receive(*channel).await,
            Step::Tell(oneshot) => {
                if let Some(sender) = self.ends.tellers[*oneshot].lock().expect("no panic").take() {
                    let _ = sender.send(1);
                }
            }
            Step::Hear(oneshot) => await_in(&self.ends.hearers[*oneshot]).await,
            Step::Notify(notify) => self.world.notifies[*notify].notify_one(),
            Step::Notified(notify) => self.world.notifies[*notify].notified().await,
            Step::Join(task) => await_in(&self.world.joins[*task]).await,
            Step::Abort(task) => {
                self.world.abort(*task);
            }
            Step::Timeout(ms, step) => {
                let _ = tokio::time::timeout(Duration::from_millis(*ms), self.start(step)).await;
            }
            Step::Select(a, b) => {
                tokio::select! {
                    biased;
                    () = self.start(a) => {}
                    () = self.start(b) => {}
                }
            }
            Step::Both(a, b) => {
                tokio::join!(self.start(a), self.start(b));
            }
            Step::Park(..) => {}
            Step::Outside(way) => self.outside(way).await,
        }
    }

    /// Acquires a lock or permits.
    async fn take(&self, step: &Step) {
        let World { mutexes, locks, semaphores, is_owned, .. } = &**self.world;
        match (step, is_owned) {
            (Step::Lock(it), false) => self.keep(mutexes[*it].lock().await),
            (Step::Lock(it), true) => self.keep_owned(Arc::clone(&mutexes[*it]).lock_owned().await),
            (Step::Read(it), false) => self.keep(locks[*it].read().await),
            (Step::Read(it), true) => self.keep_owned(Arc::clone(&locks[*it]).read_owned().await),
            (Step::Write(it), false) => self.keep(locks[*it].write().await),
            (Step::Write(it), true) => self.keep_owned(Arc::clone(&locks[*it]).write_owned().await),
            (Step::Downgrade(it), false) => self.keep(locks[*it].write().await.downgrade()),
            (Step::Downgrade(it), true) => {
                self.keep_owned(Arc::clone(&locks[*it]).write_owned().await.downgrade());
            }
            (Step::Acquire(it, permits), false) => {
                if let Ok(permits) = semaphores[*it].acquire_many(*permits).await {
                    self.keep(permits);
                }
            }
            (Step::Acquire(it, permits), true) => {
                if let Ok(permits) = Arc::clone(&semaphores[*it]).acquire_many_owned(*permits).await {
                    self.keep_owned(permits);
                }
            }
            _ => {}
        }
    }

    async fn send(&self, channel: usize) {
        // Cloned, so that no guard of the slot is held across the await.
        let sender = self.ends.senders[channel].lock().expect("no panic").clone();
        match sender {
            Some(Sender::Bounded(sender)) => drop(sender.send(1).await),
            Some(Sender::Unbounded(sender)) => drop(sender.send(1)),
            None => {}
        }
    }

    async fn receive(&self, channel: usize) {
        if let Ok(mut slot) = self.ends.receivers[channel].try_lock() {
            match &mut *slot {
                Some(Receiver::Bounded(receiver)) => drop(receiver.recv().await),
                Some(Receiver::Unbounded(receiver)) => drop(receiver.recv().await),
                None => {}
            }
        }
    }
}

/// Awaits the future in the slot, unless another step does. A future whose await is dropped stays
/// there.
async fn await_in<F: Future + Unpin>(slot: &::tokio::sync::Mutex<Option<F>>) {
    if let Ok(mut slot) = slot.try_lock() {
        if let Some(it) = &mut *slot {
            it.await;
            *slot = None;
        }
    }
}
