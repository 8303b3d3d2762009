//! Measures the cost of each recorded operation on this machine.
//!
//! The measurement runs once per process and takes some 200 µs. It times futures on a tree that no
//! report shows, each against the same future without a span. The results are the costs with
//! everything in the caches.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::hint::black_box;
use std::panic::Location;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use crate::awaited::{arm, at, ended};
use crate::clock;
use crate::custom::Resource;
use crate::label::Label;
use crate::live::{HANDLE, SpawnRuntime};
use crate::recorder::{self, Arm, Span};
use crate::site::{Body, Site, SiteKind};
use crate::spawned::Spawned;
use crate::sync::{Mutex, OnceCell};
use crate::timed::Timed;
use crate::tree::Tree;
use crate::waits::{WaitFuture, WaitInfo, WaitMode};

/// Calls per timed batch.
pub(super) const BATCH: u64 = 32;
/// Batches per measurement; the fastest counts.
const TIMES: u32 = 6;
/// Polls of a call in the measurements with many polls.
const OFTEN: u64 = 9;

/// Ticks for [`BATCH`] operations of each kind.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ticks {
    /// A call from un-annotated code that is ready at once.
    pub(super) root_call: u64,
    /// A call from an annotated function.
    pub(super) call: u64,
    /// An await of an un-annotated future that is ready at once.
    pub(super) awaits: u64,
    /// A poll of a root.
    pub(super) poll: u64,
    /// A poll below a root. It starts with the clock reading of its parent, and reads the clock at
    /// its end.
    pub(super) poll_below: u64,
    pub(super) passed: u64,
    /// A wake of a root whose waker is stored between polls.
    pub(super) wake: u64,
    pub(super) listed_root: u64,
    pub(super) listed: u64,
    /// A pending arm, minus an await that is ready at once.
    pub(super) listed_arm: u64,
    /// The drop of a root that is pending.
    pub(super) dropped_root: u64,
    pub(super) dropped: u64,
    /// A spawned task with a handle, ready in its first poll, minus an unspawned root.
    pub(super) spawn: u64,
    /// Holding and releasing a free resource.
    pub(super) used: u64,
    /// A wait for a resource, from its start to the wake that ends it.
    pub(super) wait: u64,
}

/// Returns the measured ticks, or `None` with a manual clock.
pub(super) fn ticks() -> Option<Ticks> {
    static TICKS: OnceCell<Ticks> = OnceCell::new();
    // A tree has one writer.
    static TURN: Mutex<()> = Mutex::new(());
    if clock::name() == "manual" {
        return None;
    }
    let _turn = TURN.lock();
    let ticks = TICKS.get_or_init(|| {
        let mut ticks = Ticks::default();
        recorder::apart(Tree::detached(), || ticks = measure());
        ticks
    });
    Some(*ticks)
}

macro_rules! bodies {
    ($($name:ident),*) => {
        $(static $name: Body<(Site,)> =
            Body { site: Site::always_on(SiteKind::Fn, "cost"), awaits: (Site::at(&$name.site, "", 0, 0),) };)*
    };
}

bodies!(EMPTY, INNER, OUTER, OUTERMOST);

static ARM: Arm = Arm::new(&ARM, &EMPTY.site, "", 0, 0);

fn timed<F: Future>(body: &'static Body<(Site,)>, future: F) -> Timed<F> {
    Timed::new(Span::new(&body.site, Label::NONE), future)
}

/// Returns an annotated function that only awaits `call()`.
fn awaits<F: Future>(body: &'static Body<(Site,)>, call: impl FnOnce() -> F) -> Timed<impl Future> {
    timed(body, async move { ended(at(&body.awaits.0, call()).await, &body.site) })
}

/// Polls a future once, and drops it.
async fn poll_once<F: Future>(future: F) {
    let mut future = pin!(future);
    poll_fn(|context| {
        drop(black_box(future.as_mut()).poll(context));
        Poll::Ready(())
    })
    .await;
}

/// Returns an un-annotated function that only awaits `call()`.
async fn bare<F: Future>(call: impl FnOnce() -> F) -> F::Output {
    call().await
}

/// Returns `Pending` `times` times. Each of these polls clones its waker into `stored`, unless
/// `stored` is `None`.
async fn pending(mut times: u64, stored: Option<&Cell<Option<Waker>>>) {
    poll_fn(|context| {
        if times == 0 {
            return Poll::Ready(());
        }
        times -= 1;
        if let Some(waker) = stored {
            waker.set(Some(context.waker().clone()));
        }
        Poll::Pending
    })
    .await;
}

/// Returns the ticks for [`BATCH`] futures. Each is polled until it is ready, and woken in between
/// through the waker it stored.
fn time<F: Future>(waker: &Cell<Option<Waker>>, make: impl Fn() -> F) -> u64 {
    let mut context = Context::from_waker(Waker::noop());
    fastest(&mut || {
        for _ in 0..BATCH {
            let mut future = pin!(make());
            while black_box(&mut future).as_mut().poll(&mut context).is_pending() {
                if let Some(waker) = waker.take() {
                    waker.wake();
                }
            }
        }
    })
}

/// Returns the ticks of the fastest of several runs.
fn fastest(batch: &mut dyn FnMut()) -> u64 {
    let run = |_| {
        let start = clock::now();
        batch();
        clock::now().saturating_sub(start)
    };
    (0..TIMES).map(run).min().unwrap_or(0)
}

fn measure() -> Ticks {
    let waker = &Cell::new(None);
    let one = |times, has_waker: bool| {
        let innermost = || pending(times, has_waker.then_some(waker));
        time(waker, || awaits(&INNER, innermost)).saturating_sub(time(waker, || bare(innermost)))
    };
    let two = |times| {
        let innermost = || pending(times, None);
        let annotated = time(waker, || awaits(&OUTER, || awaits(&INNER, innermost)));
        annotated.saturating_sub(time(waker, || bare(|| bare(innermost))))
    };
    let three = |times| {
        let innermost = || pending(times, None);
        let annotated = time(waker, || awaits(&OUTERMOST, || awaits(&OUTER, || awaits(&INNER, innermost))));
        annotated.saturating_sub(time(waker, || bare(|| bare(|| bare(innermost)))))
    };
    let each = |[often, once]: [u64; 2]| often.saturating_sub(once) / (OFTEN - 1);

    let root_call = time(waker, || timed(&EMPTY, async {})).saturating_sub(time(waker, || async {}));
    let (ready, waited_once, woken_once) = (one(0, false), one(1, false), one(1, true));
    let poll = each([one(OFTEN, false), waited_once]);
    let (two_ready, two_once) = (two(0), two(1));
    let call = two_ready.saturating_sub(ready);
    let passed = each([three(OFTEN), three(1)]).saturating_sub(each([two(OFTEN), two_once]));
    let (used, wait) = wrapped(waker);
    let reading = time(waker, || async { black_box(clock::now()) }).saturating_sub(time(waker, || async {}));
    let empty = || timed(&EMPTY, async {});
    let awaits_ready = ready.saturating_sub(root_call);
    let armed = time(waker, || timed(&EMPTY, poll_once(arm(&ARM, pending(1, None)))));
    let armed = armed.saturating_sub(time(waker, || timed(&EMPTY, poll_once(pending(1, None)))));
    // A root that is dropped while pending, and such a call from an annotated function.
    let gone_root = time(waker, || poll_once(awaits(&INNER, || pending(1, None))));
    let gone_root = gone_root.saturating_sub(time(waker, || poll_once(bare(|| pending(1, None)))));
    let gone = time(waker, || timed(&EMPTY, poll_once(awaits(&INNER, || pending(1, None)))));
    let gone = gone.saturating_sub(time(waker, || timed(&EMPTY, poll_once(bare(|| pending(1, None))))));
    let listed_root = waited_once.saturating_sub(ready + poll);
    let listed = two_once.saturating_sub(waited_once + call + passed);
    let spawned = time(waker, || {
        let (task, number) = Spawned::new(SpawnRuntime::Other, None, Location::caller(), empty());
        // A wrapper of the task's handle records the same.
        number.add_handle(HANDLE);
        number.set_runtime_id(1);
        number.remove_handle(HANDLE);
        task
    });
    Ticks {
        root_call,
        call,
        awaits: awaits_ready,
        poll,
        poll_below: passed + reading,
        passed,
        wake: each([one(OFTEN, true), woken_once]).saturating_sub(poll),
        listed_root,
        listed,
        listed_arm: armed.saturating_sub(awaits_ready),
        dropped_root: gone_root.saturating_sub(ready + listed_root),
        dropped: gone.saturating_sub(call + listed),
        spawn: spawned.saturating_sub(time(waker, empty)),
        used,
        wait: wait.saturating_sub(woken_once),
    }
}

/// Returns the cost of holding a resource, and of waiting for one. The latter includes a root
/// around the wait.
fn wrapped(waker: &Cell<Option<Waker>>) -> (u64, u64) {
    let resource = Resource::new("cost", 1);
    let used = time(waker, || timed(&EMPTY, async { drop(black_box(resource.hold())) }));
    let used = used.saturating_sub(time(waker, || timed(&EMPTY, async {})));
    let info = || WaitInfo::on(resource.record(), WaitMode::Custom, 1, Location::caller());
    let wait = time(waker, || awaits(&INNER, || WaitFuture::new(pending(1, Some(waker)), info())));
    // No report shows the resource.
    if let Some(record) = resource.record() {
        record.discard_usage();
    }
    (used, wait.saturating_sub(time(waker, || bare(|| pending(1, Some(waker))))))
}
