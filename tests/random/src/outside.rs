//! Steps that are not recorded: through a static, threads, tasks spawned by tokio, and wakers of
//! other code.

use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::program::{Step, Way};
use crate::task::{Doing, Held, Own, is_done_within, passed};

/// A guard, a permit or a channel end that has left its task.
type Thing = Box<dyn Send>;

/// The static that tasks put things into. One program runs at a time.
static TABLE: Mutex<Vec<Thing>> = Mutex::new(Vec::new());

/// Futures that were polled and left their task.
static FUTURES: Mutex<Vec<Doing<'static>>> = Mutex::new(Vec::new());

/// Threads that hold something: when they release it, in ms since the start, and how they are told
/// to.
static THREADS: Mutex<Vec<(u64, Release)>> = Mutex::new(Vec::new());

/// The thread that is older than all programs, if there is one.
static OLDER: OnceLock<Sender<Order>> = OnceLock::new();

/// A job for the older thread, and the sender that reports its end.
enum Order {
    Keep(Vec<Thing>),
    LetGo(Sender<()>),
}

enum Release {
    Own(Sender<()>, JoinHandle<()>),
    Older,
}

/// Starts the thread that is older than all later programs.
///
/// # Panics
/// If it was started before.
pub fn start_older_thread() {
    let (orders, ordered) = mpsc::channel();
    thread::spawn(move || {
        let mut things = Vec::new();
        for order in ordered {
            match order {
                Order::Keep(more) => things.extend(more),
                Order::LetGo(done) => {
                    things.clear();
                    let _ = done.send(());
                }
            }
        }
    });
    assert!(OLDER.set(orders).is_ok(), "it is started once");
}

/// Makes the threads that are due release what they hold, and waits for them. Returns whether any
/// was due.
pub(crate) fn release_threads(now_ms: u64) -> bool {
    let mut threads = THREADS.lock().expect("no panic");
    let (due, later): (Vec<_>, Vec<_>) =
        std::mem::take(&mut *threads).into_iter().partition(|(at_ms, _)| *at_ms <= now_ms);
    let has_due = !due.is_empty();
    *threads = later;
    drop(threads);
    for (_, release) in due {
        match release {
            Release::Own(done, thread) => {
                drop(done);
                thread.join().expect("no panic");
            }
            Release::Older => let_go(),
        }
    }
    has_due
}

/// Clears the static and the threads for the next program.
pub(crate) fn clear() {
    while release_threads(u64::MAX) {}
    clear_table();
}

fn clear_table() {
    // Taken out first: the drop of a thing may use the table, and its lock must be free by then.
    let things = std::mem::take(&mut *TABLE.lock().expect("no panic"));
    drop(things);
    let futures = std::mem::take(&mut *FUTURES.lock().expect("no panic"));
    drop(futures);
}

fn let_go() {
    let (done, is_done) = mpsc::channel();
    if OLDER.get().is_some_and(|older| older.send(Order::LetGo(done)).is_ok()) {
        let _ = is_done.recv();
    }
}

/// A waker that wakes another one.
struct Passes(Waker);

impl Wake for Passes {
    fn wake(self: Arc<Self>) {
        self.0.wake_by_ref();
    }
}

impl Own<'_> {
    /// Takes an unrecorded step.
    pub(crate) async fn outside(&self, way: &Way) {
        match way {
            Way::Stash => stash(self.take_last().into_iter().collect()),
            Way::StashSender(channel) => {
                let sender = self.ends.senders[*channel].lock().expect("no panic").take();
                stash(sender.into_iter().map(|it| Box::new(it) as Thing).collect());
            }
            Way::StashReceiver(channel) => {
                let receiver = self.ends.receivers[*channel].try_lock().ok().and_then(|mut it| it.take());
                stash(receiver.into_iter().map(|it| Box::new(it) as Thing).collect());
            }
            Way::StashTeller(oneshot) => {
                let teller = self.ends.tellers[*oneshot].lock().expect("no panic").take();
                stash(teller.into_iter().map(|it| Box::new(it) as Thing).collect());
            }
            Way::Take => {
                let thing = TABLE.lock().expect("no panic").pop();
                self.held.lock().expect("no panic").extend(thing.map(Held::Movable));
            }
            Way::Clear => clear_table(),
            Way::Spawn(ms) => {
                let things = self.take_all();
                drop(::tokio::spawn(after(*ms, move || drop(things))));
            }
            Way::Thread(ms) => self.to_thread(*ms),
            Way::OlderThread(ms) => self.to_older_thread(*ms),
            Way::Forget => self.take_last().into_iter().for_each(std::mem::forget),
            Way::Refill(semaphore, ms) => {
                let semaphore = Arc::clone(&self.world.semaphores[*semaphore]);
                drop(::tokio::spawn(after(*ms, move || semaphore.add_permits(1))));
            }
            Way::Notify(notify, ms) => {
                let notify = Arc::clone(&self.world.notifies[*notify]);
                drop(::tokio::spawn(after(*ms, move || notify.notify_waiters())));
            }
            Way::Abort(task, ms) => {
                let (task, world) = (*task, Arc::clone(self.world));
                drop(::tokio::spawn(after(*ms, move || world.abort(task))));
            }
            Way::Timeout(ms, step) => {
                let _ = ::tokio::time::timeout(Duration::from_millis(*ms), self.start(step)).await;
            }
            Way::Noop(step) => {
                let mut step = self.start(step);
                if step.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
                    step.await;
                }
            }
            Way::Wrapped(step) => self.wrapped(step).await,
            Way::Pass(ms, steps, is_annotated) => {
                let mut future =
                    passed(self.number, Arc::clone(self.world), (**steps).clone(), *is_annotated);
                if !is_done_within(*ms, &mut future).await {
                    FUTURES.lock().expect("no panic").push(future);
                }
            }
            Way::Adopt => {
                let future = FUTURES.lock().expect("no panic").pop();
                if let Some(future) = future {
                    future.await;
                }
            }
        }
    }

    async fn wrapped(&self, step: &Step) {
        let mut step = self.start(step);
        std::future::poll_fn(|context| -> Poll<()> {
            let waker = Waker::from(Arc::new(Passes(context.waker().clone())));
            step.as_mut().poll(&mut Context::from_waker(&waker))
        })
        .await;
    }

    fn to_thread(&self, ms: u64) {
        let things = self.take_all();
        let (done, is_done) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            let _ = is_done.recv();
            drop(things);
        });
        let at_ms = self.world.now_ms() + ms;
        THREADS.lock().expect("no panic").push((at_ms, Release::Own(done, thread)));
    }

    fn to_older_thread(&self, ms: u64) {
        let Some(older) = OLDER.get() else { return };
        if older.send(Order::Keep(self.take_all())).is_ok() {
            let at_ms = self.world.now_ms() + ms;
            THREADS.lock().expect("no panic").push((at_ms, Release::Older));
        }
    }

    /// The last guard or permit, if it can be moved.
    fn take_last(&self) -> Option<Thing> {
        let mut held = self.held.lock().expect("no panic");
        let place = held.iter().rposition(|it| matches!(it, Held::Movable(_)))?;
        match held.remove(place) {
            Held::Movable(thing) => Some(thing),
            Held::Borrowed(_) => None,
        }
    }

    fn take_all(&self) -> Vec<Thing> {
        std::iter::from_fn(|| self.take_last()).collect()
    }
}

fn stash(things: Vec<Thing>) {
    TABLE.lock().expect("no panic").extend(things);
}

async fn after(ms: u64, act: impl FnOnce() + Send + 'static) {
    ::tokio::time::sleep(Duration::from_millis(ms)).await;
    act();
}
