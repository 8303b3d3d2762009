//! The future of a primitive, from its first `Pending` to its end: what puts it into a queue, and takes it out.

use std::future::Future;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use pin_project_lite::pin_project;

use super::record::Record;
use super::stake::Stake;
use super::wait::{self, Mode, Wait};
use crate::clock;
use crate::live;
use crate::recorder;
use crate::switch;

/// What a leaf waits for.
#[derive(Debug, Clone)]
#[allow(dead_code)] // Each is made by a feature.
pub(crate) enum Target {
    /// A resource; `None` while recording is off.
    Resource(Option<&'static Record>),
    /// The end of one of these tasks, by number.
    Tasks(Vec<u64>),
    /// A moment, as a tick.
    Moment(u64),
}

/// The recorder's part of a future that may wait. It costs nothing until the first `Pending`.
#[derive(Debug)]
pub(crate) struct Leaf {
    target: Target,
    mode: Mode,
    units: u64,
    at: &'static Location<'static>,
    /// Asked instead of what the resource says.
    is_forced: Option<fn() -> bool>,
    waiting: Option<Waiting>,
    /// It was forced to return `Pending`, in a `block_on` or the like inside its task.
    forced: Option<Arc<Wait>>,
    /// Whether `at` is only where it was made.
    is_made_there: bool,
    has_waited: bool,
}

// What is shared in it are counters and wakers, which no panic leaves half changed.
impl UnwindSafe for Leaf {}
impl RefUnwindSafe for Leaf {}

#[derive(Debug)]
struct Waiting {
    wait: Arc<Wait>,
    waker: Waker,
    /// Where it is in the queue of its record.
    place: Option<(&'static Record, u64)>,
}

impl Leaf {
    #[inline]
    pub(crate) fn new(target: Target, mode: Mode, units: u64, at: &'static Location<'static>) -> Self {
        Self {
            target,
            mode,
            units,
            at,
            is_forced: None,
            waiting: None,
            forced: None,
            is_made_there: false,
            has_waited: false,
        }
    }

    /// One that waits for a resource.
    #[inline]
    pub(crate) fn on(
        record: Option<&'static Record>,
        mode: Mode,
        units: u64,
        at: &'static Location<'static>,
    ) -> Self {
        Self::new(Target::Resource(record), mode, units, at)
    }

    /// Whether a `Pending` was forced, as that says, and not what the resource says.
    #[must_use]
    pub(crate) fn forced_by(mut self, is_forced: fn() -> bool) -> Self {
        self.is_forced = Some(is_forced);
        self
    }

    /// Its place is only where it was made: the await that polls it says more, if that is on record.
    #[must_use]
    pub(crate) fn made_there(mut self, is_made_there: bool) -> Self {
        self.is_made_there = is_made_there;
        self
    }

    /// Whether it has returned `Pending`.
    #[inline]
    pub(crate) fn has_waited(&self) -> bool {
        self.has_waited
    }

    /// What was acquired, now that the future is ready.
    #[inline]
    #[allow(dead_code)] // By what is a feature.
    pub(crate) fn hold(&self, is_movable: bool) -> Stake {
        let Target::Resource(record) = self.target else { return Stake::NONE };
        Stake::hold_after(record, self.units, self.at, is_movable, self.has_waited)
    }

    /// Whether the `Pending` that was just returned was forced.
    fn is_forced(&self) -> bool {
        match (self.is_forced, &self.target) {
            (Some(is_forced), _) => is_forced(),
            (None, Target::Resource(Some(record))) => {
                record.identity().is_none_or(|(_, it)| (it.what.is_forced)())
            }
            _ => false,
        }
    }

    /// A poll of the future. The first that returns `Pending` is followed by another at once, with the waker of the wait.
    #[inline]
    pub(crate) fn poll<T>(
        &mut self,
        context: &mut Context<'_>,
        poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        self.poll_unless(context, poll, || false)
    }

    /// The same, but a `Pending` that is of something else does not begin a wait, and is not followed by another poll.
    #[inline]
    pub(crate) fn poll_unless<T>(
        &mut self,
        context: &mut Context<'_>,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
        is_of_something_else: impl FnOnce() -> bool,
    ) -> Poll<T> {
        if self.waiting.is_none() {
            let ready = poll(context);
            if ready.is_ready() {
                if self.forced.is_some() {
                    self.end_forced();
                }
                return ready;
            }
            if is_of_something_else() || !self.begin(context) {
                return ready;
            }
        }
        self.poll_again(context, &mut poll)
    }

    /// The first `Pending`. Returns whether it is recorded.
    #[cold]
    pub(super) fn begin(&mut self, context: &Context<'_>) -> bool {
        self.has_waited = true;
        if matches!(self.target, Target::Resource(None)) || !switch::records() || !live::has_leaf_wakers() {
            return false;
        }
        // One that was forced to return `Pending` is in no queue.
        if self.is_forced() {
            self.force(context);
            return false;
        }
        self.end_forced();
        let wait = Arc::new(self.wait());
        let place = match self.target {
            Target::Resource(Some(record)) => Some((record, record.enqueue(&wait))),
            _ => {
                wait::add(&wait);
                None
            }
        };
        self.waiting = Some(Waiting { waker: Waker::from(Arc::clone(&wait)), wait, place });
        true
    }

    /// Whether there is anything on record of it.
    pub(super) fn is_kept(&self) -> bool {
        self.waiting.is_some() || self.forced.is_some()
    }

    fn wait(&self) -> Wait {
        let mut wait = Wait::new(self.mode, self.units, self.at);
        wait.awaited = if self.is_made_there { recorder::awaited() } else { None };
        match &self.target {
            Target::Resource(_) => {}
            Target::Tasks(tasks) => wait.tasks.clone_from(tasks),
            Target::Moment(due) => wait.due = *due,
        }
        wait
    }

    /// The task that polls it has used up its budget. It polls it again, unless something in between does that would have to
    /// be told: then it is known where that is.
    fn force(&mut self, context: &Context<'_>) {
        let here = recorder::here();
        if here.task.is_none_or(|task| task.is_waker(context.waker())) {
            return;
        }
        if self.forced.is_none() {
            let wait = Arc::new(self.wait());
            wait::add(&wait);
            self.forced = Some(wait);
        }
        if let Some(wait) = &self.forced {
            wait.force();
        }
    }

    #[cold]
    fn end_forced(&mut self) {
        if let Some(wait) = self.forced.take() {
            wait::remove(wait.id);
        }
    }

    #[cold]
    fn poll_again<T>(
        &mut self,
        context: &mut Context<'_>,
        poll: &mut impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        let Some(waiting) = &self.waiting else { return poll(context) };
        let answered = waiting.wait.enter(context.waker());
        let ready = poll(&mut Context::from_waker(&waiting.waker));
        if ready.is_ready() {
            self.end(false);
        } else {
            waiting.wait.leave(self.is_forced(), answered);
        }
        ready
    }

    /// It waits no longer.
    // One that was given up, as a future of `recv` that is made anew for every poll, may have left its waker with the
    // primitive, and its task may count on that.
    #[cold]
    fn end(&mut self, is_given_up: bool) {
        let Some(Waiting { wait, waker, place }) = self.waiting.take() else { return };
        let waited = (!is_given_up).then(|| clock::now().saturating_sub(wait.began));
        match place {
            Some((record, place)) => record.dequeue(place, waited),
            None => wait::remove(wait.id),
        }
        if is_given_up {
            wait.give_up();
        } else {
            wait.end();
        }
        drop(waker);
    }
}

impl Drop for Leaf {
    #[inline]
    fn drop(&mut self) {
        if self.waiting.is_some() {
            self.end(true);
        }
        if self.forced.is_some() {
            self.end_forced();
        }
    }
}

pin_project! {
    /// A future of a primitive, and its leaf.
    // The future stands first: it leaves its queue before the records say so.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub(crate) struct Waited<F> {
        #[pin]
        future: F,
        leaf: Leaf,
    }
}

impl<F> Waited<F> {
    #[inline]
    pub(crate) fn new(future: F, leaf: Leaf) -> Self {
        Self { future, leaf }
    }

    /// Whether it has returned `Pending`.
    #[inline]
    pub(crate) fn has_waited(&self) -> bool {
        self.leaf.has_waited()
    }

    /// What was acquired, now that it is ready.
    #[inline]
    #[allow(dead_code)] // By what is a feature.
    pub(crate) fn hold(&self, is_movable: bool) -> Stake {
        self.leaf.hold(is_movable)
    }

    /// The future of the primitive.
    #[inline]
    #[allow(dead_code)] // By what is a feature.
    pub(crate) fn future(&self) -> &F {
        &self.future
    }
}

impl<F: Future> Future for Waited<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let future = &mut this.future;
        this.leaf.poll(context, |context| future.as_mut().poll(context))
    }
}
