//! The state that the tasks of a program share, and the state of one task.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex as Std};

use ::tokio::sync::Mutex as Slot;
use diagnose::tokio;
use tokio::sync::{Mutex, Notify, RwLock, Semaphore, mpsc, oneshot};
use tokio::task::{AbortHandle, JoinHandle};

use crate::program::Program;

/// The resources of the program.
pub(crate) struct World {
    pub(crate) mutexes: Vec<Arc<Mutex<()>>>,
    pub(crate) locks: Vec<Arc<RwLock<()>>>,
    pub(crate) notifies: Vec<Arc<Notify>>,
    pub(crate) semaphores: Vec<Arc<Semaphore>>,
    /// The join handle of each task, unless the root joins it.
    pub(crate) joins: Vec<Slot<Option<JoinHandle<()>>>>,
    /// The abort handles, by task.
    pub(crate) aborts: Std<Vec<AbortHandle>>,
    pub(crate) progress: Arc<Progress>,
    pub(crate) is_owned: bool,
    start: ::tokio::time::Instant,
}

/// The progress of a run.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// The steps that are over, by task, nested ones included.
    pub(crate) steps: Vec<AtomicUsize>,
    /// The runtime's number of each task, by task.
    pub(crate) ids: Std<Vec<u64>>,
}

impl Progress {
    pub(crate) fn new(program: &Program) -> Arc<Self> {
        Arc::new(Self {
            steps: program.tasks.iter().map(|_| AtomicUsize::new(0)).collect(),
            ..Self::default()
        })
    }

    /// The number of steps each task has done.
    pub(crate) fn steps(&self) -> Vec<usize> {
        self.steps.iter().map(|steps| steps.load(Relaxed)).collect()
    }
}

impl World {
    pub(crate) fn new(program: &Program, progress: Arc<Progress>) -> Self {
        Self {
            mutexes: (0..program.mutexes).map(|_| Arc::new(Mutex::new(()))).collect(),
            locks: (0..program.locks).map(|_| Arc::new(RwLock::new(()))).collect(),
            notifies: (0..program.notifies).map(|_| Arc::new(Notify::new())).collect(),
            semaphores: program
                .semaphores
                .iter()
                .map(|permits| Arc::new(Semaphore::new(*permits as usize)))
                .collect(),
            joins: program.tasks.iter().map(|_| Slot::new(None)).collect(),
            aborts: Std::default(),
            progress,
            is_owned: program.is_owned,
            start: ::tokio::time::Instant::now(),
        }
    }

    /// Aborts a task.
    pub(crate) fn abort(&self, task: usize) {
        self.aborts.lock().expect("no panic")[task].abort();
    }

    /// The time since the start, in ms.
    pub(crate) fn now_ms(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// A sender of a channel.
#[derive(Debug, Clone)]
pub(crate) enum Sender {
    Bounded(mpsc::Sender<u32>),
    Unbounded(mpsc::UnboundedSender<u32>),
}

/// A receiver of a channel.
#[derive(Debug)]
pub(crate) enum Receiver {
    Bounded(mpsc::Receiver<u32>),
    Unbounded(mpsc::UnboundedReceiver<u32>),
}

/// The channel ends of a task. A step that was dropped or is not polled may still use a receiver.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    pub(crate) senders: Vec<Std<Option<Sender>>>,
    pub(crate) receivers: Vec<Slot<Option<Receiver>>>,
    pub(crate) tellers: Vec<Std<Option<oneshot::Sender<u32>>>>,
    pub(crate) hearers: Vec<Slot<Option<oneshot::Receiver<u32>>>>,
}

/// The ends that each task has.
pub(crate) fn ends(program: &Program) -> Vec<Ends> {
    let mut all: Vec<Ends> = program.tasks.iter().map(|_| Ends::default()).collect();
    for channel in &program.channels {
        let (sender, receiver) = match channel.bound {
            Some(bound) => {
                let (sender, receiver) = mpsc::channel(bound);
                (Sender::Bounded(sender), Receiver::Bounded(receiver))
            }
            None => {
                let (sender, receiver) = mpsc::unbounded_channel();
                (Sender::Unbounded(sender), Receiver::Unbounded(receiver))
            }
        };
        let mut receiver = Some(receiver);
        for (task, ends) in all.iter_mut().enumerate() {
            ends.senders.push(Std::new(Some(sender.clone())));
            let own = if task == channel.receiver { receiver.take() } else { None };
            ends.receivers.push(Slot::new(own));
        }
    }
    for oneshot in &program.oneshots {
        let (sender, receiver) = oneshot::channel();
        let (mut sender, mut receiver) = (Some(sender), Some(receiver));
        for (task, ends) in all.iter_mut().enumerate() {
            let own = if task == oneshot.sender { sender.take() } else { None };
            ends.tellers.push(Std::new(own));
            let own = if task == oneshot.receiver { receiver.take() } else { None };
            ends.hearers.push(Slot::new(own));
        }
    }
    all
}
