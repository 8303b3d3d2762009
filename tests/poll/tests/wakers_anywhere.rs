//! Random polls, clones and wakes: each wake reaches the executor that last polled its future. A
//! kept waker keeps exactly one clone of that executor's waker.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use diagnose::diagnose;
use diagnose_isolation::isolated;
use proptest::prelude::*;

/// The number of futures alive at a time, and of executors that may poll them.
const FUTURES: usize = 4;
const EXECUTORS: usize = 3;

#[derive(Debug, Clone, Copy)]
enum Step {
    /// Polls a future, or a new one. It clones its waker `clones` times, and may be ready.
    Poll {
        future: usize,
        executor: usize,
        clones: usize,
        is_ready: bool,
    },
    Drop {
        future: usize,
    },
    /// Wakes one of the existing clones.
    Wake {
        clone: usize,
        by_ref: bool,
    },
    Release {
        clone: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let poll = (0..FUTURES, 0..EXECUTORS, 0..3_usize, any::<bool>())
        .prop_map(|(future, executor, clones, is_ready)| Step::Poll { future, executor, clones, is_ready });
    prop_oneof![
        4 => poll,
        1 => (0..FUTURES).prop_map(|future| Step::Drop { future }),
        2 => (any::<usize>(), any::<bool>()).prop_map(|(clone, by_ref)| Step::Wake { clone, by_ref }),
        2 => any::<usize>().prop_map(|clone| Step::Release { clone }),
    ]
}

#[derive(Debug, Default)]
struct Executor(AtomicUsize);

impl Wake for Executor {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// The behavior of the next poll, and the wakers that polls have cloned.
#[derive(Debug, Default)]
struct Told {
    clones: usize,
    is_ready: bool,
    cloned: Vec<Waker>,
}

#[diagnose]
async fn call(told: Arc<Mutex<Told>>) {
    poll_fn(|context| {
        let mut told = told.lock().unwrap();
        let cloned: Vec<Waker> = (0..told.clones).map(|_| context.waker().clone()).collect();
        told.cloned.extend(cloned);
        if told.is_ready { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// The expected state of a slot, whose future may have ended.
#[derive(Debug, Clone, Copy, Default)]
struct Expected {
    /// The executor that polled last.
    executor: usize,
    clones: usize,
}

/// A running future with its number.
type Running = (usize, Pin<Box<dyn Future<Output = ()>>>);

#[derive(Default)]
struct World {
    executors: [Arc<Executor>; EXECUTORS],
    woken: [usize; EXECUTORS],
    futures: [Option<Running>; FUTURES],
    told: Arc<Mutex<Told>>,
    expected: Vec<Expected>,
    /// Each clone with the number of its future.
    clones: Vec<(usize, Waker)>,
}

impl World {
    fn go(&mut self, step: Step) {
        match step {
            Step::Poll { future, executor, clones, is_ready } => {
                let (number, mut running) = self.futures[future].take().unwrap_or_else(|| {
                    self.expected.push(Expected::default());
                    (self.expected.len() - 1, Box::pin(call(Arc::clone(&self.told))))
                });
                {
                    let mut told = self.told.lock().unwrap();
                    (told.clones, told.is_ready) = (clones, is_ready);
                }
                let waker = Waker::from(Arc::clone(&self.executors[executor]));
                let poll = running.as_mut().poll(&mut Context::from_waker(&waker));
                assert_eq!(poll.is_ready(), is_ready);
                self.expected[number].executor = executor;
                self.expected[number].clones += clones;
                let cloned = std::mem::take(&mut self.told.lock().unwrap().cloned);
                self.clones.extend(cloned.into_iter().map(|clone| (number, clone)));
                self.futures[future] = (!is_ready).then_some((number, running));
            }
            Step::Drop { future } => self.futures[future] = None,
            Step::Wake { clone, by_ref } => {
                let Some((number, clone)) = self.take(clone) else { return };
                self.woken[self.expected[number].executor] += 1;
                if by_ref {
                    clone.wake_by_ref();
                    self.expected[number].clones += 1;
                    self.clones.push((number, clone));
                } else {
                    clone.wake();
                }
            }
            Step::Release { clone } => drop(self.take(clone)),
        }
    }

    fn take(&mut self, clone: usize) -> Option<(usize, Waker)> {
        let place = clone.checked_rem(self.clones.len())?;
        let (number, clone) = self.clones.swap_remove(place);
        self.expected[number].clones -= 1;
        Some((number, clone))
    }

    fn check(&self) {
        for (number, executor) in self.executors.iter().enumerate() {
            let is_stored = |expected: &&Expected| expected.clones > 0 && expected.executor == number;
            let stored = self.expected.iter().filter(is_stored).count();
            let expected = (self.woken[number], 1 + stored);
            assert_eq!((executor.0.load(Ordering::Relaxed), Arc::strong_count(executor)), expected);
        }
        for (number, clone) in &self.clones {
            let same = |(other, waker): &&(usize, Waker)| clone.will_wake(waker) == (number == other);
            assert!(self.clones.iter().all(|other| same(&other)), "a waker is that of one future");
        }
    }
}

#[test]
fn each_wake_reaches_the_executor_that_polled_last() {
    isolated!();
    random_calls();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    fn random_calls(steps in prop::collection::vec(step(), 1..60)) {
        let mut world = World::default();
        for step in steps {
            world.go(step);
            world.check();
        }
    }
}
