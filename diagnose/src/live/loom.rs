//! Model checking of a reused slot with one reader, and of wakers, over every interleaving. See
//! `tree/loom.rs`.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::task::{RawWakerVTable, Wake, Waker};

use super::forward::Forward;
use super::live_slot::{LiveSlot, RunState, SlotCopy};
use super::memory::Memory;
use super::waker::{Lendable, Lent, PollWaker, Promoted, lent_table, promoted_table};
use crate::site::Site;
use crate::tree::Node;

static ROOT: Site = Site::own("");

// slot   ├─ span 1 on tree 10 ─┤ free ├─ span 2 on tree 20 ─▶
#[test]
fn a_copy_never_mixes_two_spans() {
    static OUTCOMES: Mutex<BTreeSet<Option<(u64, u64, u32)>>> = Mutex::new(BTreeSet::new());
    loom::model(|| {
        let slot: &'static LiveSlot = Box::leak(Box::default());
        let span = |id, tree, made| {
            let node: &'static Node = Box::leak(Box::new(Node::root(&ROOT, tree, None)));
            let memory = Memory::UNKNOWN;
            SlotCopy {
                id,
                parent: 0,
                task: 0,
                state: RunState::Running,
                since: made,
                node,
                made,
                polls: 0,
                memory,
            }
        };
        slot.occupy(&span(1, 10, 11));
        let reader = loom::thread::spawn(move || {
            let copy = slot.read().map(|listed| (listed.id, listed.made, listed.node.tree));
            OUTCOMES.lock().expect("no panic").insert(copy);
        });
        slot.vacate();
        slot.occupy(&span(2, 20, 22));
        reader.join().expect("no panic");
    });
    let expected = [None, Some((1, 11, 10)), Some((2, 22, 20))];
    assert_eq!(*OUTCOMES.lock().expect("no panic"), BTreeSet::from(expected));
}

/// An executor that counts its wakes.
struct Executor(AtomicUsize);

impl Wake for Executor {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

fn executor() -> Arc<Executor> {
    Arc::new(Executor(AtomicUsize::new(0)))
}

fn wake(forward: &Forward) -> bool {
    let released = forward.release_to_wake();
    released.outer.into_iter().for_each(Waker::wake);
    released.is_free
}

// the poll      clone ────────────────── end        the last of the two frees the task
// a socket             release_to_wake
#[test]
fn the_last_of_task_and_clone_frees_it() {
    loom::model(|| {
        let executor = executor();
        let waker = Waker::from(Arc::clone(&executor));
        let forward: &'static Forward = Box::leak(Box::default());
        forward.add_clone(|| Some(waker.clone()));
        let socket = loom::thread::spawn(move || wake(forward));
        let ended_last = forward.end();
        let woke_last = socket.join().expect("no panic");
        assert!(ended_last != woke_last, "exactly one of them is the last");
        assert_eq!(forward.clones(), 0);
        assert_eq!(
            (executor.0.load(Relaxed), Arc::strong_count(&executor)),
            (1, 2),
            "woken once, and none is stored"
        );
    });
}

// the poll      clone ─── clone (again)     no clone is lost, and each wake reaches the executor
// a socket             release_to_wake
#[test]
fn a_clone_that_comes_while_another_wakes_is_kept() {
    loom::model(|| {
        let executor = executor();
        let waker = Waker::from(Arc::clone(&executor));
        let forward: &'static Forward = Box::leak(Box::default());
        forward.add_clone(|| Some(waker.clone()));
        let socket = loom::thread::spawn(move || wake(forward));
        forward.add_clone(|| Some(waker.clone()));
        socket.join().expect("no panic");
        assert_eq!(forward.clones(), 1);
        assert!(!wake(forward), "the task is not over");
        assert_eq!((executor.0.load(Relaxed), Arc::strong_count(&executor)), (2, 2));
    });
}

// the poll      clone, then replace by another executor's waker
// a socket                 wake by reference, then release
#[test]
fn a_wake_goes_to_the_old_executor_or_the_new_one() {
    loom::model(|| {
        let [old, new] = [executor(), executor()];
        let [old_waker, new_waker] = [&old, &new].map(|executor| Waker::from(Arc::clone(executor)));
        let forward: &'static Forward = Box::leak(Box::default());
        forward.add_clone(|| Some(old_waker.clone()));
        let socket = loom::thread::spawn(move || {
            forward.copy().into_iter().for_each(Waker::wake);
            drop(forward.release());
        });
        forward.replace(&new_waker);
        socket.join().expect("no panic");
        assert_eq!(old.0.load(Relaxed) + new.0.load(Relaxed), 1, "no wake is lost, none is added");
        assert_eq!((forward.clones(), Arc::strong_count(&old), Arc::strong_count(&new)), (0, 2, 2));
    });
}

/// The target that a lent waker is promoted to.
struct Target(Forward);

/// How many targets an execution has taken and freed.
static TAKEN: AtomicUsize = AtomicUsize::new(0);
static FREED: AtomicUsize = AtomicUsize::new(0);

static TABLE: RawWakerVTable = promoted_table::<Target>();
static LENT: RawWakerVTable = lent_table::<Target>();

impl Promoted for Target {
    fn forward(&self) -> &Forward {
        &self.0
    }

    fn table() -> &'static RawWakerVTable {
        &TABLE
    }

    fn note_wake(&self) {}

    fn free(&'static self) {
        FREED.fetch_add(1, Relaxed);
    }
}

impl Lendable for Target {
    fn take() -> Option<&'static Self> {
        TAKEN.fetch_add(1, Relaxed);
        Some(Box::leak(Box::new(Self(Forward::default()))))
    }

    fn discard(&'static self) {
        if self.0.end() {
            self.free();
        }
    }
}

// the poll         clone, wake      both promote the lent waker: one of them in vain
// another thread   clone, wake
#[test]
fn concurrent_first_clones_promote_one_wait() {
    static IN_VAIN: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    loom::model(|| {
        let executor = executor();
        let outer: &'static Waker = Box::leak(Box::new(Waker::from(Arc::clone(&executor))));
        TAKEN.store(0, Relaxed);
        FREED.store(0, Relaxed);
        let loan: &'static Lent<Target> = Box::leak(Box::new(Lent::new()));
        // SAFETY: neither the loan nor the executor's waker ever moves or goes away.
        #[allow(unsafe_code)]
        let lent: &'static PollWaker = Box::leak(Box::new(unsafe { PollWaker::lend(loan, outer, &LENT) }));
        let other = loom::thread::spawn(move || lent.get().clone().wake());
        let first = lent.get().clone();
        other.join().expect("no panic");
        let target = loan.promoted().expect("promoted");
        assert_eq!(target.0.clones(), 1, "this thread has one, the other has used its own");
        first.wake();
        assert_eq!(target.0.clones(), 0);
        let in_vain = TAKEN.load(Relaxed) - 1;
        assert_eq!(FREED.load(Relaxed), in_vain, "what was taken in vain is free again");
        IN_VAIN.lock().expect("no panic").insert(in_vain);
        // `outer` is forgotten with its model.
        assert_eq!((executor.0.load(Relaxed), Arc::strong_count(&executor)), (2, 2), "each wake arrives");
    });
    assert_eq!(*IN_VAIN.lock().expect("no panic"), BTreeSet::from([0, 1]));
}
