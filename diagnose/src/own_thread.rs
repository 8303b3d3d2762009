//! The threads of this crate. A snapshot counts no way out of a hang on them, and a fork waits
//! until they hold no lock of this crate. It does not wait for one that writes to stderr, which may
//! be blocked: a child may find the standard library's lock of stderr taken.
//!
//! They are known by their numbers, not by their names: a program may be called `diagnose-me`, and
//! the kernel gives that name to its threads.

use std::cell::Cell;
use std::fs::DirEntry;
use std::io;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::{Duration, Instant};

use crate::cpu::Began;
use crate::signal_mask::{Blocked, ProgramMask};
use crate::{cpu, os};

/// How many threads are known at once. A further one counts as the program's.
const MOST: usize = 64;

/// The place of a thread.
struct ThreadPlace {
    /// The kernel's number of the thread, with [`ENDED`] once that is over; 0 if there was none.
    number: AtomicU64,
    /// When a thread that is over had begun, in the kernel's ticks.
    began: AtomicU64,
}

/// The kernel lists a thread for a moment after its end, and may use its number for another later.
const ENDED: u64 = 1 << 63;

static PLACES: [ThreadPlace; MOST] =
    [const { ThreadPlace { number: AtomicU64::new(0), began: AtomicU64::new(0) } }; MOST];
/// The place that is tried first: the one that was left longest ago, as a rule.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// The number of threads that have been started and have no place yet.
static STARTING: AtomicU32 = AtomicU32::new(0);
/// The maximum time that a snapshot waits for starting threads.
const PATIENCE: Duration = Duration::from_millis(20);

/// The number of this crate's threads that work.
static WORKING: AtomicU32 = AtomicU32::new(0);
/// The number of forks that wait for these threads, or go on.
static FORKS: AtomicU32 = AtomicU32::new(0);
/// The time between two looks at [`WORKING`] or [`FORKS`].
const PAUSE: Duration = Duration::from_micros(200);

thread_local! {
    static IS_OWN: Cell<bool> = const { Cell::new(false) };
}

/// Starts a thread of this crate. Its name should begin with `diagnose-`.
pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    spawn_boxed(name, Box::new(run))
}

/// Compiled once, with all that the standard library does for a thread.
fn spawn_boxed(name: &str, run: Box<dyn FnOnce() + Send>) -> io::Result<JoinHandle<()>> {
    // A forked child must not inherit the work of this thread, even if nothing is recorded yet.
    #[cfg(unix)]
    crate::fork::watch();
    STARTING.fetch_add(1, Relaxed);
    let blocked = Blocked::new();
    let program = blocked.program();
    let thread = Builder::new().name(name.to_owned()).spawn(move || {
        IS_OWN.set(true);
        program.into_iter().for_each(ProgramMask::keep);
        let _listed = ListedThread::new(os::thread_id());
        end_start();
        run();
    });
    thread.inspect_err(|_| end_start())
}

/// Ends the start of a thread, which may have begun before a fork.
fn end_start() {
    // Release pairs with the load in `wait_until_listed`: the thread has its place.
    let _ = STARTING.fetch_update(Release, Relaxed, |starting| starting.checked_sub(1));
}

/// Waits until each thread that has been started has its place, for a short time at most. The
/// kernel lists it earlier.
fn wait_until_listed() {
    let began = Instant::now();
    // Acquire pairs with the update in `end_start`.
    while STARTING.load(Acquire) != 0 && began.elapsed() < PATIENCE {
        sleep(PAUSE);
    }
}

/// Returns whether the current thread is one of this crate's.
pub(crate) fn is_current() -> bool {
    IS_OWN.get()
}

/// Returns whether the thread of this number is one of this crate's, or was the last one of that
/// number. `began` is in the kernel's ticks; `None` if unknown.
fn is_own(number: u64, began: Option<u64>) -> bool {
    number == ADOPTED.load(Relaxed)
        || PLACES.iter().any(|place| {
            // Acquire pairs with the store in `Listed::drop`: `began` is that of the thread that is
            // over, or of a later one.
            let listed = place.number.load(Acquire);
            listed == number || listed == number | ENDED && Some(place.began.load(Relaxed)) == began
        })
}

/// Returns all threads of this process except the current one and those of this crate: the kernel's
/// number and the age in ns, which is 0 if it is unknown. `None` if threads cannot be listed.
pub(crate) fn others() -> Option<Vec<(u64, u64)>> {
    let own = std::fs::read_link("/proc/thread-self").ok();
    let own = own.as_deref().and_then(|path| path.file_name()?.to_str()?.parse::<u64>().ok());
    let threads: io::Result<Vec<_>> = std::fs::read_dir("/proc/self/task").ok()?.collect();
    let number_of = |thread: DirEntry| thread.file_name().to_str()?.parse::<u64>().ok();
    let numbers: Vec<u64> = threads.ok()?.into_iter().filter_map(number_of).collect();
    wait_until_listed();
    let others = numbers.into_iter().filter(|number| Some(*number) != own).filter_map(|number| {
        // A thread of unknown age may have begun just now, and may have received anything.
        let (began, age) = match cpu::began(number) {
            Began::At(began) => (Some(began), cpu::age(began).unwrap_or(0)),
            Began::Unknown => (None, 0),
            Began::Over => return None,
        };
        (!is_own(number, began)).then_some((number, age))
    });
    Some(others.collect())
}

/// The thread that ends the process; 0 if none does. It helps no task.
static ADOPTED: AtomicU64 = AtomicU64::new(0);

/// Counts the thread of this number as one of this crate's, as it ends the process. The caller
/// orders this before the snapshot.
pub(crate) fn adopt(number: u64) {
    ADOPTED.store(number, Relaxed);
}

/// Returns the thread for which a snapshot is taken: the one that ends the process, or else the
/// current one. 0 if there are no numbers.
pub(crate) fn of_snapshot() -> u64 {
    match ADOPTED.load(Relaxed) {
        0 => os::thread_id(),
        adopted => adopted,
    }
}

/// Returns whether the snapshot is taken by a thread of this crate, for no thread of the program.
pub(crate) fn takes_snapshot() -> bool {
    is_current() && ADOPTED.load(Relaxed) == 0
}

/// Calls `run`, during which the thread may take locks of this crate. A fork waits for its end, so
/// `run` must neither sleep for long nor call the program's code.
pub(crate) fn work<R>(run: impl FnOnce() -> R) -> R {
    // SeqCst pairs with that in `pause`: each side writes its number before it reads the other's,
    // so at least one of them sees the other.
    WORKING.fetch_add(1, SeqCst);
    while FORKS.load(SeqCst) != 0 {
        WORKING.fetch_sub(1, Relaxed);
        sleep(PAUSE);
        // For the same reason.
        WORKING.fetch_add(1, SeqCst);
    }
    let _working = Working;
    run()
}

struct Working;

impl Drop for Working {
    fn drop(&mut self) {
        // A child that was forked in a panic has begun from zero. Release pairs with the load in
        // `pause`: the locks are free before the thread counts as idle.
        let _ = WORKING.fetch_update(Release, Relaxed, |working| working.checked_sub(1));
    }
}

/// Keeps the threads from working until [`resume`] is called. Returns whether none works within
/// `patience`.
#[cfg(unix)]
pub(crate) fn pause(patience: Duration) -> bool {
    // SeqCst, also below, pairs with that in `work`.
    FORKS.fetch_add(1, SeqCst);
    let began = Instant::now();
    // For the same reason.
    while WORKING.load(SeqCst) != 0 {
        if began.elapsed() >= patience {
            return false;
        }
        sleep(PAUSE);
    }
    true
}

#[cfg(unix)]
pub(crate) fn resume() {
    FORKS.fetch_sub(1, Relaxed);
}

/// Removes all of them: the threads of its parent do not run in a forked child.
#[cfg(unix)]
pub(crate) fn forget_all() {
    for place in &PLACES {
        place.number.store(0, Relaxed);
    }
    STARTING.store(0, Relaxed);
    WORKING.store(0, Relaxed);
    FORKS.store(0, Relaxed);
    ADOPTED.store(0, Relaxed);
    IS_OWN.set(false);
}

/// The place of a running thread, free again once it ends.
struct ListedThread {
    place: Option<&'static ThreadPlace>,
    number: u64,
}

impl ListedThread {
    fn new(number: u64) -> Self {
        let first = NEXT.fetch_add(1, Relaxed);
        let mut places = (0..MOST).map(|at| &PLACES[first.wrapping_add(at) % MOST]);
        let place = places.find(|place| {
            let before = place.number.load(Relaxed);
            let is_free = before == 0 || before & ENDED != 0;
            is_free && place.number.compare_exchange(before, number, Relaxed, Relaxed).is_ok()
        });
        Self { place, number }
    }
}

impl Drop for ListedThread {
    fn drop(&mut self) {
        // In a forked child, another thread may have the place by now.
        if let Some(place) = self.place.filter(|place| place.number.load(Relaxed) == self.number) {
            let began = if let Began::At(began) = cpu::began(self.number) { began } else { 0 };
            place.began.store(began, Relaxed);
            // Release pairs with the load in `is_own`.
            place.number.store(self.number | ENDED, Release);
        }
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use std::sync::mpsc::{Receiver, channel};
    use std::thread::Builder;
    use std::time::{Duration, Instant};

    use super::{Began, PATIENCE, is_current, is_own, others, pause, resume, spawn, work};
    use crate::{cpu, os};

    #[test]
    fn a_thread_of_this_crate_is_not_known_by_its_name() {
        let (send, started) = channel();
        let run = |ends: Receiver<()>| {
            let send = send.clone();
            move || {
                send.send((os::thread_id(), is_current())).unwrap();
                let _ = ends.recv();
            }
        };
        let (end_ours, ends) = channel();
        let ours = spawn("diagnose-ours", run(ends)).unwrap();
        let (number_of_ours, knows_itself) = started.recv().unwrap();
        assert!(knows_itself);
        let (end_other, ends) = channel();
        let other = Builder::new().name("diagnose-service".to_owned()).spawn(run(ends)).unwrap();
        let (number_of_other, knows_itself) = started.recv().unwrap();
        assert!(!knows_itself);

        let others = others().unwrap();
        let is_other = |number| others.iter().any(|(id, _)| *id == number);
        assert_eq!((is_other(number_of_ours), is_other(number_of_other)), (false, true));

        let Began::At(began) = cpu::began(number_of_ours) else { panic!("it runs") };
        drop((end_ours, end_other));
        ours.join().unwrap();
        other.join().unwrap();
        assert!(is_own(number_of_ours, Some(began)), "the kernel may list it for a moment");
        assert!(!is_own(number_of_ours, Some(began + 1)), "the kernel may use its number again");
    }

    #[test]
    fn a_thread_whose_name_was_cut_inside_a_letter_is_listed() {
        let (send, started) = channel();
        let (end, ends) = channel::<()>();
        let run = move || {
            send.send(os::thread_id()).unwrap();
            let _ = ends.recv();
        };
        // The kernel keeps 15 bytes: the last letter has two.
        let thread = Builder::new().name("verarbeitung-z\u{f6}".to_owned()).spawn(run).unwrap();
        let number = started.recv().unwrap();
        assert!(others().unwrap().iter().any(|(id, _)| *id == number));
        drop(end);
        thread.join().unwrap();
    }

    #[test]
    fn a_thread_of_this_crate_is_no_other_thread_while_it_starts_and_ends() {
        for _ in 0..500 {
            let thread = spawn("diagnose-short", || {}).unwrap();
            while !thread.is_finished() {
                let began = Instant::now();
                let others = others().unwrap();
                // On a busy machine, the thread may take longer to start than a snapshot waits.
                if began.elapsed() >= PATIENCE {
                    continue;
                }
                let is_short = |id: u64| {
                    let name = std::fs::read_to_string(format!("/proc/self/task/{id}/comm"));
                    name.is_ok_and(|name| name.trim() == "diagnose-short")
                };
                assert!(!others.iter().any(|(id, _)| is_short(*id)));
            }
        }
    }

    #[test]
    fn a_fork_waits_until_no_thread_works_and_none_begins_meanwhile() {
        let (send, at_work) = channel();
        let (end, ends) = channel::<()>();
        let worker = spawn("diagnose-worker", move || {
            work(|| {
                send.send("works").unwrap();
                let _ = ends.recv();
            });
            work(|| send.send("works again").unwrap());
        });
        assert_eq!(at_work.recv(), Ok("works"));
        assert!(!pause(Duration::from_millis(1)));
        drop(end);
        assert!(pause(Duration::MAX));
        assert!(at_work.try_recv().is_err(), "one fork waits still, and another goes on");
        resume();
        assert!(at_work.try_recv().is_err());
        resume();
        assert_eq!(at_work.recv(), Ok("works again"));
        worker.unwrap().join().unwrap();
    }
}
