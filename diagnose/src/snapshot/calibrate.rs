//! What recording takes on this machine.
//!
//! It is measured once in a process, with futures of its own on a tree that no report shows, in some 200 µs: each is timed
//! against the same future without a span. So it is what things take while they are in the caches.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::hint::black_box;
use std::panic::Location;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use crate::awaited::{at, ended};
use crate::clock;
use crate::custom::Resource;
use crate::label::Label;
use crate::live::SpawnRuntime;
use crate::recorder::{self, Span};
use crate::site::{Body, Site, SiteKind};
use crate::spawned::Spawned;
use crate::sync::{Mutex, OnceCell};
use crate::timed::Timed;
use crate::tree::Tree;
use crate::waits::{WaitFuture, WaitInfo, WaitMode};

/// How many calls are timed at once.
pub(super) const BATCH: u64 = 32;
/// How often; the least counts.
const TIMES: u32 = 6;
/// Polls of a call that waits often.
const OFTEN: u64 = 9;

/// Ticks that [`BATCH`] of each take.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ticks {
    /// From code that is not annotated, and ready at once.
    pub(super) root_call: u64,
    /// From an annotated function.
    pub(super) call: u64,
    /// Of something that is not annotated, and ready at once.
    pub(super) awaits: u64,
    /// Of a root.
    pub(super) poll: u64,
    /// Of a call below a root: it resumes with the reading of the call around it, and reads the clock when it ends.
    pub(super) poll_below: u64,
    pub(super) passed: u64,
    /// Of a root whose waker is kept in between.
    pub(super) wake: u64,
    pub(super) listed_root: u64,
    pub(super) listed: u64,
    /// Of a task, which is ready in its first poll: what that takes more than a root that is met.
    pub(super) spawn: u64,
    /// Of a lock that is free.
    pub(super) used: u64,
    /// For a lock or the like, from its begin to the wake that ends it.
    pub(super) wait: u64,
}

/// `None` on a clock that stands still.
pub(super) fn ticks() -> Option<Ticks> {
    static TICKS: OnceCell<Ticks> = OnceCell::new();
    // One writer per tree.
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

fn timed<F: Future>(body: &'static Body<(Site,)>, future: F) -> Timed<F> {
    Timed::new(Span::new(&body.site, Label::NONE), future)
}

/// An annotated function that calls that, awaits it, and does nothing else.
fn awaits<F: Future>(body: &'static Body<(Site,)>, call: impl FnOnce() -> F) -> Timed<impl Future> {
    timed(body, async move { ended(at(&body.awaits.0, call()).await, &body.site) })
}

/// The same without the attribute.
async fn bare<F: Future>(call: impl FnOnce() -> F) -> F::Output {
    call().await
}

/// Is pending so often, and then ready. In each of these polls it keeps its waker there, if it is told to.
async fn pending(mut times: u64, keep: Option<&Cell<Option<Waker>>>) {
    poll_fn(|context| {
        if times == 0 {
            return Poll::Ready(());
        }
        times -= 1;
        if let Some(kept) = keep {
            kept.set(Some(context.waker().clone()));
        }
        Poll::Pending
    })
    .await;
}

/// Ticks of [`BATCH`] such futures, which are polled until they are ready and woken in between if they have kept their waker.
fn time<F: Future>(keep: &Cell<Option<Waker>>, make: impl Fn() -> F) -> u64 {
    let mut context = Context::from_waker(Waker::noop());
    let batch = |_| {
        let start = clock::now();
        for _ in 0..BATCH {
            let mut future = pin!(make());
            while black_box(&mut future).as_mut().poll(&mut context).is_pending() {
                keep.take().into_iter().for_each(Waker::wake);
            }
        }
        clock::now().saturating_sub(start)
    };
    (0..TIMES).map(batch).min().unwrap_or(0)
}

fn measure() -> Ticks {
    let kept = &Cell::new(None);
    let one = |times, keep: bool| {
        let leaf = || pending(times, keep.then_some(kept));
        time(kept, || awaits(&INNER, leaf)).saturating_sub(time(kept, || bare(leaf)))
    };
    let two = |times| {
        let leaf = || pending(times, None);
        let annotated = time(kept, || awaits(&OUTER, || awaits(&INNER, leaf)));
        annotated.saturating_sub(time(kept, || bare(|| bare(leaf))))
    };
    let three = |times| {
        let leaf = || pending(times, None);
        let annotated = time(kept, || awaits(&OUTERMOST, || awaits(&OUTER, || awaits(&INNER, leaf))));
        annotated.saturating_sub(time(kept, || bare(|| bare(|| bare(leaf)))))
    };
    let each = |[often, once]: [u64; 2]| often.saturating_sub(once) / (OFTEN - 1);

    let root_call = time(kept, || timed(&EMPTY, async {})).saturating_sub(time(kept, || async {}));
    let (ready, once, kept_once) = (one(0, false), one(1, false), one(1, true));
    let poll = each([one(OFTEN, false), once]);
    let (two_ready, two_once) = (two(0), two(1));
    let call = two_ready.saturating_sub(ready);
    let passed = each([three(OFTEN), three(1)]).saturating_sub(each([two(OFTEN), two_once]));
    let (used, wait) = wrapped(kept);
    let reading = time(kept, || async { black_box(clock::now()) }).saturating_sub(time(kept, || async {}));
    let empty = || timed(&EMPTY, async {});
    let spawned = time(kept, || Spawned::new(SpawnRuntime::Other, None, Location::caller(), empty()).0);
    Ticks {
        root_call,
        call,
        awaits: ready.saturating_sub(root_call),
        poll,
        poll_below: passed + reading,
        passed,
        wake: each([one(OFTEN, true), kept_once]).saturating_sub(poll),
        listed_root: once.saturating_sub(ready + poll),
        listed: two_once.saturating_sub(once + call + passed),
        spawn: spawned.saturating_sub(time(kept, empty)),
        used,
        wait: wait.saturating_sub(kept_once),
    }
}

/// What it takes to have something wrapped, and to wait for it: the latter with a root around it.
fn wrapped(kept: &Cell<Option<Waker>>) -> (u64, u64) {
    let resource = Resource::new("cost", 1);
    let used = time(kept, || timed(&EMPTY, async { drop(black_box(resource.hold())) }));
    let used = used.saturating_sub(time(kept, || timed(&EMPTY, async {})));
    let leaf = || WaitInfo::on(resource.record(), WaitMode::Custom, 1, Location::caller());
    let wait = time(kept, || awaits(&INNER, || WaitFuture::new(pending(1, Some(kept)), leaf())));
    (used, wait.saturating_sub(time(kept, || bare(|| pending(1, Some(kept))))))
}
