//! The task whose poll is running on this thread, be it registered or not.
//!
//! A root that is only met, an annotated function that is called from code which is not, is no task before it waits, before
//! somebody keeps its waker, or before it gives something away: until then all that there is of it lies on the stack of its
//! poll, as a [`RootWaker`].
//!
//! Unsafe is kept in this file: the thread knows the stack of the poll that is running by a pointer.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{RawWakerVTable, Waker};

use super::origin::{Origin, Runtime, Work};
use super::task::Task;
use super::tasks::remove_task;
use super::waker::{self, Lender, Lent, PollWaker, Promoted as _};
use crate::context::{self, Context};
use crate::label::Label;
use crate::pool;
use crate::site::Site;

thread_local! {
    static TASK: Cell<Option<&'static Task>> = const { Cell::new(None) };
    /// Of a root that is not registered; null otherwise.
    static ROOT: Cell<*const RootWaker> = const { Cell::new(ptr::null()) };
}

/// What runs on a thread, to be restored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around {
    task: Option<&'static Task>,
    root: *const RootWaker,
    number: u64,
}

impl Around {
    /// Nothing.
    pub(crate) const NONE: Self = Self { task: None, root: ptr::null(), number: 0 };
}

/// What runs on a thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Here {
    /// The number of the task; zero outside of tasks.
    pub(crate) task: u64,
    /// The task, if it is registered.
    pub(crate) registered: Option<&'static Task>,
    /// The number of the span; zero between polls.
    pub(crate) span: u64,
    /// The last reading of the clock in the running poll; zero between polls.
    pub(crate) stamp: u64,
    /// The number of the thread's tree.
    pub(crate) thread: Option<u32>,
}

/// What runs on this thread.
#[inline]
pub(crate) fn here() -> Here {
    let Context { span, stamp, tree } = context::context();
    Here { task: context::task(), registered: task(), span, stamp, thread: tree }
}

/// The task whose poll is running on this thread, if it is registered.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn task() -> Option<&'static Task> {
    TASK.with(Cell::get).or_else(|| root()?.lent.promoted())
}

/// Whether that is the waker of the task whose poll is running on this thread.
pub(crate) fn is_waker(waker: &Waker) -> bool {
    let is_root = |root: &RootWaker| ptr::eq(waker.data(), ptr::from_ref(root).cast());
    task().is_some_and(|task| task.is_waker(waker)) || root().is_some_and(is_root)
}

/// The task whose poll is running on this thread, which is registered if it was not.
#[inline]
pub(crate) fn registered() -> Option<&'static Task> {
    task().or_else(|| root()?.register())
}

/// The running task spawns something, and may give away what it has.
pub(crate) fn note_spawn() {
    if let Some(task) = registered() {
        task.note_spawn();
    }
}

/// The running task sends something that can carry away what it has, as the message of that number of a resource.
#[allow(dead_code)] // By channels, which are a feature.
#[inline]
pub(crate) fn note_send(resource: u64, message: u64) {
    if let Some(task) = registered() {
        task.note_send(resource, message, context::stamp());
    }
}

fn root() -> Option<&'static RootWaker> {
    // SAFETY: it is null, or that of the poll that is running: `enter` says so, and `restore` takes it back.
    unsafe { ROOT.with(Cell::get).as_ref() }
}

/// The poll of a task begins.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn enter(task: Option<&'static Task>) -> Around {
    let number = context::replace_task(task.map_or(0, Task::id));
    let root = ROOT.with(|root| root.replace(ptr::null()));
    Around { task: TASK.with(|cell| cell.replace(task)), root, number }
}

/// That poll is over.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn restore(around: Around) {
    TASK.with(|task| task.set(around.task));
    ROOT.with(|root| root.set(around.root));
    context::replace_task(around.number);
}

/// The waker of a poll of a root that is not registered, on the stack of that poll.
#[derive(Debug)]
pub(crate) struct RootWaker {
    lent: Lent<Task>,
    met: Met,
    /// The number that it has if it becomes a task.
    number: u64,
    /// The task in whose poll this one runs.
    around: Option<&'static Task>,
    is_woken: AtomicBool,
}

/// What there is to say of a root that is met.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Met {
    pub(crate) site: &'static Site,
    pub(crate) label: Label,
    /// The number of its span.
    pub(crate) span: u64,
    /// When its poll began.
    pub(crate) entered: u64,
    /// The number of the thread's tree.
    pub(crate) tree: u32,
}

static TABLE: RawWakerVTable = waker::lent_table::<RootWaker>();

impl RootWaker {
    /// One that is about to be polled, on this thread.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(met: Met) -> Self {
        let number = context::new_task();
        let around = TASK.with(Cell::get);
        Self { lent: Lent::new(), met, number, around, is_woken: AtomicBool::new(false) }
    }

    /// The poll begins. Returns what runs around it.
    ///
    /// # Safety
    /// This does not move before that is restored.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn enter(&self) -> Around {
        let number = context::replace_task(self.number);
        let root = ROOT.with(|root| root.replace(ptr::from_ref(self)));
        Around { task: TASK.with(|task| task.replace(None)), root, number }
    }

    /// The waker for it.
    ///
    /// # Safety
    /// This does not move before the poll is over, nor does `outer`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn lend(&self, outer: &Waker) -> PollWaker {
        // SAFETY: as the caller says.
        unsafe { PollWaker::lend(self, outer, &TABLE) }
    }

    /// The task, if it has become one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn task(&self) -> Option<&'static Task> {
        self.lent.promoted()
    }

    /// The task, which it becomes if it is none yet.
    pub(crate) fn register(&self) -> Option<&'static Task> {
        if let Some(task) = self.lent.promoted() {
            return Some(task);
        }
        let Met { site, label, span, entered, tree } = self.met;
        // A task of a runtime that tells of it only from outside: what is known of that is known of this.
        let (around, runtime_id) = self.around.and_then(Task::hooked).unzip();
        let home =
            super::Home { number: around.map_or(0, |around| around.home.number), ..Runtime::Unknown.into() };
        let (spawned_at, spawned_by) =
            around.map_or((None, 0), |around| (around.spawned_at, around.spawned_by));
        let origin = Origin { work: Work::Future, site, label, home, spawned_at, spawned_by, made: entered };
        let task: &'static Task = pool::take()?;
        task.occupy(self.number, &origin);
        task.runtime_id.store(runtime_id.unwrap_or(0), Relaxed);
        task.begin_met(entered, span, tree);
        if self.is_woken.load(Relaxed) {
            task.note_wake();
        }
        if !self.lent.set(task) {
            remove_task(task);
        }
        self.lent.promoted()
    }
}

impl Lender for RootWaker {
    type Promoted = Task;

    fn promote(&self) -> Option<&'static Task> {
        self.register()
    }

    fn note_wake(&self) {
        self.is_woken.store(true, Relaxed);
    }

    fn lent(&self) -> &Lent<Task> {
        &self.lent
    }
}
