//! Spawned work as tasks: the basis of the wrappers of runtimes.

// Only tokio's wrappers use all of it.
#![cfg_attr(not(feature = "tokio"), allow(dead_code, unused_imports, unused_macros))]

use std::any::{self, Any};
use std::future::Future;
use std::marker::PhantomData;
use std::mem;
use std::panic::Location;
use std::pin::Pin;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::awaited::is_span;
use crate::clock;
use crate::context;
use crate::label::Label;
use crate::live::{self, ABORT, Memory, SpawnRuntime, SpawnTarget, Task, TaskKind, TaskOrigin};
use crate::named::{spawn_site, task_site_at};
use crate::recorder::{Span, own_tree_number, set_spawned};
use crate::task_name::{name_of_closure, name_of_future};
use crate::timed;

pin_project! {
    /// A future that is spawned as a task.
    ///
    /// It is listed with its spawn place and its spawner, from its spawn to its end. A future that
    /// is a span itself is the task's root; any other gets a span around it.
    // The span is boxed, because most tasks of an annotated program need none and then keep no room
    // for it. The ticket is the last field, so the task ends after the future's drop.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Spawned<F> {
        #[pin]
        future: F,
        span: Option<Box<Span>>,
        ticket: Ticket,
    }

    impl<F> PinnedDrop for Spawned<F> {
        fn drop(this: Pin<&mut Self>) {
            let this = this.project();
            if let Some(span) = this.span {
                span.begin_drop();
            }
        }
    }
}

/// Passes `$future`, of type `$type`, as a task to `$spawn`. A large one is boxed first, as in
/// tokio: wrapping and passing it would put several copies on the stack.
macro_rules! launch {
    // A future without a name is spawned, and so `'static`, as `memory_in_box` asks.
    ($target:expr, None, $future:ident: $type:ty, |$task:ident, $number:pat_param| $spawn:expr) => {{
        let memory = $crate::spawned::memory_in_box(&$future);
        $crate::spawned::launch!($target, None::<&str>, memory, $future: $type, |$task, $number| $spawn)
    }};
    ($target:expr, $name:expr, $future:ident: $type:ty, |$task:ident, $number:pat_param| $spawn:expr) => {
        $crate::spawned::launch!(
            $target, $name, $crate::live::Memory::UNKNOWN, $future: $type, |$task, $number| $spawn
        )
    };
    ($target:expr, $name:expr, $memory:expr, $future:ident: $type:ty,
     |$task:ident, $number:pat_param| $spawn:expr) => {{
        let (target, name, location) = ($target, $name, ::std::panic::Location::caller());
        // A named future here is run, not spawned.
        let _own = $crate::spawned::OwnSpawn::begin(name.is_none());
        if $crate::spawned::IsBoxed::<$type>::YES {
            let future = ::std::boxed::Box::pin($future);
            let ($task, $number) = $crate::spawned::Spawned::boxed(target, name, location, future);
            $spawn
        } else {
            let (task, number) = $crate::spawned::Spawned::new(target, name, location, $future);
            let ($task, $number) = (task.in_memory($memory), number);
            $spawn
        }
    }};
}

pub(crate) use launch;

#[cfg(all(feature = "tokio-hooks", tokio_unstable))]
pub(crate) use crate::tokio::hooks::OwnSpawn;

/// A stand-in without effect: there is no runtime hook that would list the task a second time.
#[cfg(not(all(feature = "tokio-hooks", tokio_unstable)))]
#[derive(Debug)]
pub(crate) struct OwnSpawn;

#[cfg(not(all(feature = "tokio-hooks", tokio_unstable)))]
impl OwnSpawn {
    pub(crate) fn begin(_: bool) -> Self {
        Self
    }
}

/// Whether a future is boxed before it is spawned, as a constant, so that only one of two branches
/// is compiled.
pub(crate) struct IsBoxed<T>(PhantomData<T>);

impl<T> IsBoxed<T> {
    /// tokio's limits, in bytes.
    pub(crate) const YES: bool = size_of::<T>() > if cfg!(debug_assertions) { 2 << 10 } else { 16 << 10 };
}

/// Spawns `future` as a task, on the executor that `spawn` passes it to.
///
/// The task is listed under the first 256 bytes of `name`, with the place of this call and the task
/// that makes it, until the future is done or dropped. A process keeps up to 4,096 pairs of name
/// and place, those of named futures included; past that, a new one is listed as `task`. The
/// modules `tokio`, `smol` and `async_std` do this for every spawn.
///
/// # Examples
/// ```
/// use futures::executor::LocalPool;
/// use futures::task::LocalSpawnExt as _;
///
/// let mut pool = LocalPool::new();
/// let spawner = pool.spawner();
/// let task = diagnose::spawn_with(|future| spawner.spawn_local_with_handle(future), "answer", async { 42 });
/// assert_eq!(pool.run_until(task.unwrap()), 42);
/// ```
#[track_caller]
pub fn spawn_with<F, T>(spawn: impl FnOnce(Spawned<F>) -> T, name: &str, future: F) -> T
where
    F: Future,
{
    spawn(Spawned::new(SpawnRuntime::Other, Some(name), Location::caller(), future).0)
}

/// The task before its first poll, when its root span takes it over.
#[derive(Debug)]
struct Ticket(Option<&'static Task>);

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(task) = self.0 {
            live::remove_task(task);
        }
    }
}

/// A task with its id, which shows whether the record still stands for it: the task may end at any
/// time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordedTask {
    task: Option<(&'static Task, u64)>,
}

impl RecordedTask {
    /// A task that is not recorded.
    pub(crate) const NONE: Self = Self { task: None };

    /// The task's id; `None` if it is not recorded.
    #[inline]
    pub(crate) fn id(self) -> Option<u64> {
        self.task.map(|(_, id)| id)
    }

    /// Records that the running task gets the task's output, maybe with a guard inside.
    pub(crate) fn note_output<T>(self) {
        if let Some(id) = self.id().filter(|_| mem::needs_drop::<T>()) {
            live::note_output(id);
        }
    }

    /// Returns whether the task is not over.
    pub(crate) fn is_alive(self) -> bool {
        self.task.is_some_and(|(task, id)| task.id() == id)
    }

    /// Records a handle that can abort the task.
    pub(crate) fn add_handle(self, handle: u32) {
        if let Some((task, _)) = self.task.filter(|_| self.is_alive()) {
            task.add_handle(handle);
        }
    }

    /// Records a handle of the runtime's own type, which is not counted.
    pub(crate) fn add_original_handle(self) {
        self.add_handle(ABORT);
    }

    /// Records an abort handle.
    pub(crate) fn add_abort_handle(self) {
        if let Some((task, _)) = self.task.filter(|_| self.is_alive()) {
            task.add_abort_handle();
        }
    }

    /// Records that an abort handle is gone. If a later task has taken over the record in the
    /// meantime, restores that task's count.
    pub(crate) fn remove_abort_handle(self) {
        if let Some((task, _)) = self.task.filter(|_| self.is_alive()) {
            task.remove_abort_handle();
            if !self.is_alive() {
                task.add_abort_handle();
            }
        }
    }

    /// Records that the task is about to be aborted: its runtime queues it, as for a wake.
    pub(crate) fn note_abort(self) {
        if let Some((task, _)) = self.task.filter(|_| self.is_alive()) {
            task.note_abort();
        }
    }

    /// Records that a handle is gone. If a later task has taken over the record in the meantime,
    /// the bit is set again: that task is assumed to have a handle that joins or aborts it.
    pub(crate) fn remove_handle(self, handle: u32) {
        if let Some((task, _)) = self.task.filter(|_| self.is_alive()) {
            task.remove_handle(handle);
            if !self.is_alive() {
                task.add_handle(handle);
            }
        }
    }

    /// Records the id that the runtime gives the task.
    pub(crate) fn set_runtime_id(self, number: u64) {
        if let Some((task, id)) = self.task.filter(|(task, id)| task.id() == *id) {
            task.runtime_id.store(number, Relaxed);
            // The task ended in between, and another task has its record.
            if task.id() != id {
                task.runtime_id.store(0, Relaxed);
            }
        }
    }
}

/// The memory of the future in a box without a type; unknown for any other future.
pub(crate) fn memory_in_box<F: Future + 'static>(future: &F) -> Memory {
    type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;
    type LocalBoxed<T> = Pin<Box<dyn Future<Output = T>>>;
    let future: &dyn Any = future;
    if let Some(boxed) = future.downcast_ref::<Boxed<F::Output>>() {
        return Memory::of(&**boxed);
    }
    future.downcast_ref::<LocalBoxed<F::Output>>().map_or(Memory::UNKNOWN, |boxed| Memory::of(&**boxed))
}

impl<F: Future> Spawned<Pin<Box<F>>> {
    /// Creates a task of a boxed future, which was too large for the stack.
    pub(crate) fn boxed(
        target: impl Into<SpawnTarget>,
        name: Option<&str>,
        location: &'static Location<'static>,
        future: Pin<Box<F>>,
    ) -> (Self, RecordedTask) {
        let memory = Memory::of(&*future);
        let (spawned, number) = Self::new(target, name, location, future);
        (spawned.in_memory(memory), number)
    }
}

impl<F: Future> Spawned<F> {
    /// Sets the memory of a future that is not in the task itself.
    #[inline]
    pub(crate) fn in_memory(self, memory: Memory) -> Self {
        if let Some(task) = self.ticket.0.filter(|_| memory != Memory::UNKNOWN) {
            task.memory.store(memory.0, Relaxed);
        }
        self
    }

    /// The future as a task spawned at `location`, under `name` or a name from the future's type.
    pub(crate) fn new(
        target: impl Into<SpawnTarget>,
        name: Option<&str>,
        location: &'static Location<'static>,
        future: F,
    ) -> (Self, RecordedTask) {
        let site = match name {
            Some(name) => task_site_at(name, location, false),
            None => spawn_site(any::type_name::<F>(), location, false, name_of_future::<F>),
        };
        if !site.is_on() {
            return (Self { future, span: None, ticket: Ticket(None) }, RecordedTask::NONE);
        }
        live::current::count_spawn();
        let task = live::add_task(&TaskOrigin {
            work: TaskKind::Future,
            site,
            is_named: name.is_some(),
            has_output: mem::needs_drop::<F::Output>(),
            label: Label::NONE,
            target: target.into(),
            spawned_at: Some(location),
            spawned_by: context::task(),
            made: clock::now(),
        });
        let span = if is_span::<F>() { None } else { Some(Box::new(Span::new(site, Label::NONE))) };
        (Self { future, span, ticket: Ticket(Some(task)) }, RecordedTask { task: Some((task, task.id())) })
    }
}

impl<F: Future> Future for Spawned<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let memory = Memory::of(&*self);
        let this = self.project();
        let _offer = this.ticket.0.take().map(|task| {
            // A boxed root is not in here: its memory is already known.
            if task.memory.load(Relaxed) == 0 {
                task.memory.store(memory.0, Relaxed);
            }
            Offer { before: set_spawned(Some(task)) }
        });
        match this.span {
            Some(span) => timed::poll(this.future, span, 0, context),
            None => this.future.poll(context),
        }
    }
}

/// The first poll of a spawned task: the first root that is polled in it takes over the task.
struct Offer {
    /// The spawned task of the poll around this one, as in a nested executor.
    before: Option<&'static Task>,
}

impl Drop for Offer {
    fn drop(&mut self) {
        // No root took it over: recording was turned off.
        if let Some(task) = set_spawned(self.before) {
            live::remove_task(task);
        }
    }
}

/// A closure that runs on a thread for blocking code, as a task.
pub(crate) fn blocking<F, T>(
    target: SpawnTarget,
    location: &'static Location<'static>,
    work: F,
) -> (impl FnOnce() -> T + use<F, T>, RecordedTask)
where
    F: FnOnce() -> T,
{
    let site = spawn_site(any::type_name::<F>(), location, true, name_of_closure::<F>);
    let task = site.is_on().then(|| {
        live::current::count_spawn();
        live::add_task(&TaskOrigin {
            work: TaskKind::Blocking,
            site,
            is_named: false,
            has_output: mem::needs_drop::<T>(),
            label: Label::NONE,
            target,
            spawned_at: Some(location),
            spawned_by: context::task(),
            made: clock::now(),
        })
    });
    let ticket = Ticket(task);
    let number = RecordedTask { task: task.map(|task| (task, task.id())) };
    let work = move || {
        // Dropped when the closure returns or panics, or is dropped without a run.
        let ticket = ticket;
        let _frame = crate::recorder::Frame::enter(site, Label::NONE);
        let _running = ticket.0.map(|task| {
            task.run(clock::now(), own_tree_number());
            task.polls.store(1, Relaxed);
            Running(live::current::replace(Some(task)))
        });
        work()
    };
    (work, number)
}

/// Makes the closure's task the running one until it is dropped. Holds the previous one.
struct Running(Option<&'static Task>);

impl Drop for Running {
    fn drop(&mut self) {
        live::current::replace(self.0);
    }
}
