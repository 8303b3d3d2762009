//! The threads of this crate. A snapshot counts no way out of a hang on them, and a fork waits
//! until they hold no lock of this crate. It does not wait for one that writes to stderr, which may
//! be blocked: a child may find the standard library's lock of stderr taken.
//!
//! They are known by their numbers, not by their names: a program may be called `diagnose-me`, and
//! the kernel gives that name to its threads.

use std::cell::Cell;
use std::sync::atomic::Ordering::{Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::Duration;
#[cfg(unix)]
use std::time::Instant;
use std::{array, io};

use crate::os;

/// How many threads are known at once. A further one counts as the program's.
const MOST: usize = 64;

/// The kernel's numbers of the running threads; 0 where a place is free.
static RUNNING: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];

/// How many of the threads work, and how many forks wait for them or go on.
static WORKING: AtomicU32 = AtomicU32::new(0);
static FORKS: AtomicU32 = AtomicU32::new(0);
/// Time between two looks at the other number.
const PAUSE: Duration = Duration::from_micros(200);

thread_local! {
    static IS_OWN: Cell<bool> = const { Cell::new(false) };
}

/// Starts a thread of this crate. Its name should begin with `diagnose-`.
pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    // Also before anything is recorded, a child must not inherit what this thread does.
    #[cfg(unix)]
    crate::fork::watch();
    Builder::new().name(name.to_owned()).spawn(move || {
        IS_OWN.set(true);
        // Stderr may be a file, too.
        os::block_file_size_signal();
        let _listed = Listed::new(os::thread_id());
        run();
    })
}

/// Returns whether the current thread is one of this crate's.
pub(crate) fn is_current() -> bool {
    IS_OWN.get()
}

/// Returns the kernel's numbers of this crate's threads, and zeros.
pub(crate) fn numbers() -> [u64; MOST] {
    array::from_fn(|place| RUNNING[place].load(Relaxed))
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
    for place in &RUNNING {
        place.store(0, Relaxed);
    }
    WORKING.store(0, Relaxed);
    FORKS.store(0, Relaxed);
    IS_OWN.set(false);
}

/// The place of a running thread, free again once it ends: the kernel uses a number again.
struct Listed {
    place: Option<&'static AtomicU64>,
    number: u64,
}

impl Listed {
    fn new(number: u64) -> Self {
        let take = |place: &&AtomicU64| place.compare_exchange(0, number, Relaxed, Relaxed).is_ok();
        Self { place: RUNNING.iter().find(take), number }
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            // In a forked child, another thread may have the place by now.
            let _ = place.compare_exchange(self.number, 0, Relaxed, Relaxed);
        }
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use std::sync::mpsc::{Receiver, channel};
    use std::thread::Builder;
    use std::time::Duration;

    use super::{is_current, numbers, pause, resume, spawn, work};
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
        let (number_of_ours, is_own) = started.recv().unwrap();
        assert!(is_own);
        let (end_other, ends) = channel();
        let other = Builder::new().name("diagnose-service".to_owned()).spawn(run(ends)).unwrap();
        let (number_of_other, is_own) = started.recv().unwrap();
        assert!(!is_own);

        let others = cpu::other_threads().unwrap();
        let is_other = |number| others.iter().any(|(id, _)| *id == number);
        assert_eq!((is_other(number_of_ours), is_other(number_of_other)), (false, true));

        drop((end_ours, end_other));
        ours.join().unwrap();
        other.join().unwrap();
        assert!(!numbers().contains(&number_of_ours), "the kernel may use it again");
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
