//! Model checking of one writer and one reader, over every interleaving.
//!
//! Runs in a build of its own, as `.ci/run` has it:
//! `cargo test -p diagnose --lib --no-default-features --features on --profile loom loom` with
//! `RUSTFLAGS="--cfg diagnose_loom"`.
//!
//! The main thread is the writer, because the checker runs it first. It then tries every value, old
//! or new, that the memory model allows each load of the reader to see.

use std::collections::BTreeSet;
use std::sync::Mutex;

use loom::cell::UnsafeCell;

use super::durations::LazyDurations;
use super::link::Link;
use super::node::{Node, NodeKey};
use super::node_times::{NodeTimes, WaitAccount};
use super::poll_ends::PollEnds;
use super::poll_totals::PollTotals;
use crate::site::Site;
use crate::sync::AtomicU64;

static ROOT: Site = Site::own("");
static SITES: [Site; 3] = [Site::own("a"), Site::own("b"), Site::own("c")];

fn forever<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// A target whose writes the checker sees. It does not see writes to a plain field.
struct Target(UnsafeCell<u64>);

// SAFETY: the checker verifies this: it fails the test if the write and a read are not ordered.
#[allow(unsafe_code)]
unsafe impl Sync for Target {}

#[test]
fn a_reader_that_sees_a_link_sees_its_target() {
    static OUTCOMES: Mutex<BTreeSet<Option<u64>>> = Mutex::new(BTreeSet::new());
    loom::model(|| {
        let link: &'static Link<Target> = forever(Link::new(None));
        let reader = loom::thread::spawn(move || {
            // SAFETY: as above.
            #[allow(unsafe_code)]
            let outcome = link.get().map(|target| target.0.with(|value| unsafe { *value }));
            OUTCOMES.lock().expect("no panic").insert(outcome);
        });
        let target = forever(Target(UnsafeCell::new(0)));
        // SAFETY: as above.
        #[allow(unsafe_code)]
        target.0.with_mut(|value| unsafe { *value = 7 });
        link.set(target);
        reader.join().expect("no panic");
    });
    assert_eq!(*OUTCOMES.lock().expect("no panic"), BTreeSet::from([None, Some(7)]));
}

#[test]
fn a_walk_sees_only_initialized_nodes() {
    static OUTCOMES: Mutex<BTreeSet<Vec<(u64, usize)>>> = Mutex::new(BTreeSet::new());
    loom::model(|| {
        let root = forever(Node::root(&ROOT, 7, None));
        let reader = loom::thread::spawn(move || {
            let outcome = root.children().map(|child| (child.first_seen, child.children().count())).collect();
            OUTCOMES.lock().expect("no panic").insert(outcome);
        });
        let a = root.append(NodeKey::plain(&SITES[0]), 11);
        a.append(NodeKey::plain(&SITES[1]), 12);
        root.append(NodeKey::plain(&SITES[2]), 13);
        reader.join().expect("no panic");
    });
    // The newest child comes first. `a` may be seen before or after its own child exists. If `c`
    // was seen, `a` has its child, which was appended before `c`.
    let expected = [vec![], vec![(11, 0)], vec![(11, 1)], vec![(13, 0), (11, 1)]];
    assert_eq!(*OUTCOMES.lock().expect("no panic"), BTreeSet::from(expected));
}

// tick   10       20        50       60
//        ├─ poll ─┤── own ──├─ poll ─┤── child ──▶ read at 100
#[test]
fn a_reading_is_never_torn() {
    static OUTCOMES: Mutex<BTreeSet<[u64; 5]>> = Mutex::new(BTreeSet::new());
    loom::model(|| {
        let (times, spent) = (forever(NodeTimes::default()), forever(PollTotals::default()));
        times.enter(10, None);
        times.leave(spent, 20, (None, Some(WaitAccount::Own)), false);
        times.enter(50, Some(WaitAccount::Own));
        let reader = loom::thread::spawn(move || {
            if let Some(reading) = times.read(spent, 100, || 100) {
                let outcome =
                    [reading.polls, reading.busy, reading.own_idle, reading.child_idle, reading.pending];
                OUTCOMES.lock().expect("no panic").insert(outcome);
            }
        });
        times.leave(spent, 60, (times.ended(), Some(WaitAccount::Child)), false);
        reader.join().expect("no panic");
    });
    let running = [1, 10, 30, 0, 0];
    let waiting = [2, 20, 30, 40, 1];
    assert_eq!(*OUTCOMES.lock().expect("no panic"), BTreeSet::from([running, waiting]));
}

#[test]
fn a_poll_has_its_own_end_or_none() {
    static OUTCOMES: Mutex<BTreeSet<Option<u64>>> = Mutex::new(BTreeSet::new());
    loom::model(|| {
        let ends = forever(PollEnds::default());
        ends.note(1, 10);
        let reader = loom::thread::spawn(move || {
            OUTCOMES.lock().expect("no panic").insert(ends.of(1));
        });
        ends.note(2, 20);
        reader.join().expect("no panic");
    });
    assert_eq!(*OUTCOMES.lock().expect("no panic"), BTreeSet::from([None, Some(10)]));
}

#[test]
fn every_ended_call_is_read_once() {
    static OUTCOMES: Mutex<BTreeSet<(u64, Vec<(u16, u64)>)>> = Mutex::new(BTreeSet::new());
    loom::model(|| {
        let calls: &'static AtomicU64 = forever(AtomicU64::new(0));
        let durations: &'static LazyDurations = forever(LazyDurations::default());
        let reader = loom::thread::spawn(move || {
            let Some(copy) = durations.try_read(calls) else { return };
            let counts = copy.counts.iter().map(|counted| (counted.bucket, counted.count)).collect();
            OUTCOMES.lock().expect("no panic").insert((copy.calls, counts));
        });
        // The second fills what is kept, and folds it. The third takes the place of the first.
        durations.allocate();
        assert!([1, 2, 3].into_iter().all(|ticks| durations.count(calls, ticks)));
        reader.join().expect("no panic");
    });
    let expected =
        [(0, vec![]), (1, vec![(1, 1)]), (2, vec![(1, 1), (2, 1)]), (3, vec![(1, 1), (2, 1), (3, 1)])];
    assert_eq!(*OUTCOMES.lock().expect("no panic"), BTreeSet::from(expected));
}
