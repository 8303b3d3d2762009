//! Every wake through a root's waker reaches its executor.
//!
//! The executor keeps exactly the wakers that it would keep without the recorder.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use diagnose::diagnose;
use diagnose_isolation::isolated;

#[derive(Debug, Default)]
struct Executor(AtomicUsize);

impl Wake for Executor {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Executor {
    fn wakes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Polls the future once with a waker of `executor`.
fn poll(future: &mut Pin<Box<impl Future<Output = ()>>>, executor: &Arc<Executor>) -> Poll<()> {
    future.as_mut().poll(&mut Context::from_waker(&Waker::from(Arc::clone(executor))))
}

/// Sends `clones` clones of its waker in each poll.
#[diagnose]
async fn lends(clones: usize, to: Sender<Waker>) {
    poll_fn(|context| {
        (0..clones).for_each(|_| to.send(context.waker().clone()).unwrap());
        Poll::<()>::Pending
    })
    .await;
}

fn lent(clones: usize) -> (Pin<Box<impl Future<Output = ()>>>, Receiver<Waker>) {
    let (to, from) = channel();
    (Box::pin(lends(clones, to)), from)
}

/// Is ready at its first poll, and leaves a clone of its waker behind.
#[diagnose]
async fn leaves(to: Sender<Waker>) {
    poll_fn(|context| {
        to.send(context.waker().clone()).unwrap();
        Poll::Ready(())
    })
    .await;
}

// call     ├ clone, ready ┤ drop
// first                          ├ clone ┤ drop              ├ clone ┤
// second                                        ├ clone ┤               woken
#[test]
fn a_waker_that_outlives_its_call_is_that_of_no_other_call() {
    isolated!();
    let executors = [(); 2].map(|()| Arc::new(Executor::default()));
    let (to, left) = channel();
    assert!(poll(&mut Box::pin(leaves(to)), &executors[0]).is_ready());
    drop(left.recv().unwrap());

    let (mut first, firsts) = lent(1);
    assert!(poll(&mut first, &executors[0]).is_pending());
    drop(firsts.recv().unwrap());
    let (mut second, seconds) = lent(1);
    assert!(poll(&mut second, &executors[1]).is_pending());
    let waker = seconds.recv().unwrap();

    assert!(poll(&mut first, &executors[0]).is_pending());
    assert!(!waker.will_wake(&firsts.recv().unwrap()), "two that wait have a waker each");
    waker.wake();
    assert_eq!(executors.each_ref().map(|executor| executor.wakes()), [0, 1]);
}

// poll ├ clone, clone ┤ drop  drop   ended
// executor's   +1           +1     0     0
#[test]
fn all_clones_share_one_clone_of_the_executors_waker() {
    isolated!();
    let executor = Arc::new(Executor::default());
    let (mut none, _nothing) = lent(0);
    assert!(poll(&mut none, &executor).is_pending());
    assert_eq!(Arc::strong_count(&executor), 1, "nobody keeps it");

    let (mut future, clones) = lent(2);
    assert!(poll(&mut future, &executor).is_pending());
    assert_eq!(Arc::strong_count(&executor), 2);
    let (first, second) = (clones.recv().unwrap(), clones.recv().unwrap());
    assert!(first.will_wake(&second));
    drop(first);
    assert_eq!(Arc::strong_count(&executor), 2);
    drop(future);
    second.wake_by_ref();
    assert_eq!(
        (Arc::strong_count(&executor), executor.wakes()),
        (2, 1),
        "the task is over, its waker is not"
    );
    second.wake();
    assert_eq!((Arc::strong_count(&executor), executor.wakes()), (1, 2));
}

// poll by A ├ clone ┤   poll by B ├ clone ┤   wake, wake
#[test]
fn wakes_go_to_the_executor_that_polled_last() {
    isolated!();
    let (a, b) = (Arc::new(Executor::default()), Arc::new(Executor::default()));
    let (mut future, clones) = lent(1);
    assert!(poll(&mut future, &a).is_pending());
    let first = clones.recv().unwrap();
    assert!(poll(&mut future, &b).is_pending());
    let second = clones.recv().unwrap();
    assert!(first.will_wake(&second), "it is the same task");
    assert_eq!((Arc::strong_count(&a), Arc::strong_count(&b)), (1, 2));
    first.wake();
    second.wake();
    assert_eq!((a.wakes(), b.wakes()), (0, 2));

    assert!(poll(&mut future, &a).is_pending());
    clones.recv().unwrap().wake();
    assert_eq!((a.wakes(), b.wakes()), (1, 2));
    assert_eq!((Arc::strong_count(&a), Arc::strong_count(&b)), (1, 1));
}

#[diagnose]
async fn shares(to: Sender<Waker>) {
    poll_fn(|context| {
        let waker = context.waker();
        waker.wake_by_ref();
        thread::scope(|scope| {
            scope.spawn(|| waker.wake_by_ref());
            scope.spawn(|| Vec::from([waker.clone(), waker.clone()]).into_iter().for_each(Waker::wake));
            scope.spawn(|| to.send(waker.clone()).unwrap());
        });
        Poll::<()>::Pending
    })
    .await;
}

#[test]
fn other_threads_may_use_a_waker_during_the_poll() {
    isolated!();
    let executor = Arc::new(Executor::default());
    let (to, from) = channel();
    let mut future = Box::pin(shares(to));
    for wakes in (5..=500).step_by(5) {
        assert!(poll(&mut future, &executor).is_pending());
        from.recv().unwrap().wake();
        assert_eq!((executor.wakes(), Arc::strong_count(&executor)), (wakes, 1));
    }
}

#[test]
fn no_wake_is_lost_or_added_among_threads() {
    const POLLS: usize = 500;
    const CLONES: usize = 12;
    isolated!();
    let executors = [(); 2].map(|()| Arc::new(Executor::default()));
    let (mut future, clones) = lent(CLONES);
    let (to, mut others) = (0..2).map(|_| channel::<Waker>()).unzip::<_, _, Vec<_>, Vec<_>>();
    let wake = |from: Receiver<Waker>| {
        for (number, waker) in from.into_iter().enumerate() {
            match number % 3 {
                0 => waker.wake(),
                1 => waker.clone().wake_by_ref(),
                _ => drop(waker.clone()),
            }
        }
    };
    thread::scope(|scope| {
        others.drain(..).for_each(|from| drop(scope.spawn(move || wake(from))));
        for number in 0..POLLS {
            assert!(poll(&mut future, &executors[number / 7 % 2]).is_pending());
            clones.try_iter().enumerate().for_each(|(number, waker)| to[number % 2].send(waker).unwrap());
        }
        drop(future);
        drop(to);
    });
    let wakes: usize = executors.iter().map(|executor| executor.wakes()).sum();
    assert_eq!(wakes, POLLS * CLONES / 3 * 2);
    assert_eq!(executors.map(|executor| Arc::strong_count(&executor)), [1, 1]);
}
