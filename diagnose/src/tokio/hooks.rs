//! Lists tasks that are spawned without this crate, through the hooks of tokio's unstable builder.
//!
//! ```text
//! on_task_spawn ─▶ listed ── on_before_task_poll ─▶ running
//!        ── on_after_task_poll ─▶ waiting ─ … ── on_task_terminate
//! ```
//! Such a task is named after the place of its spawn. Its state, polls and busy time are recorded.
//! Its wakes are not, so it is never shown in the queue.
//!
//! Tasks that are spawned through this crate are left out, as they are listed already. An annotated
//! root future records tokio's id of its task. In a capture, it replaces the entry that the hooks
//! have for that task. Each poll of any task costs a look-up. Each spawn costs about as much as
//! listing a task.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::panic::Location;
use std::sync::atomic::Ordering::Relaxed;

use ::tokio::runtime::TaskMeta;
use ::tokio::task::Id;

use super::runtime::{Builder, number};
use crate::clock;
use crate::context;
use crate::label::Label;
use crate::live::{self, SpawnRuntime, SpawnTarget, Task, TaskKind, TaskOrigin};
use crate::named::task_site_at;
use crate::number::shown;
use crate::recorder;
use crate::switch;
use crate::sync::Mutex;

/// Tasks listed by these hooks, by tokio's task id; in shards, to avoid contention of workers.
static TASKS: [Mutex<Option<HashMap<Id, &'static Task>>>; PARTS] = [const { Mutex::new(None) }; PARTS];
const PARTS: usize = 16;

thread_local! {
    /// Whether a wrapper lists the task that is spawned next.
    static IS_OWN: Cell<bool> = const { Cell::new(false) };
    /// Polls that run on this thread, innermost last, each with the task it interrupts.
    static POLLS: RefCell<Vec<(Id, Option<&'static Task>)>> = const { RefCell::new(Vec::new()) };
}

/// While it exists, the next task that is spawned on this thread is listed by its wrapper.
#[derive(Debug)]
pub(crate) struct OwnSpawn(());

impl OwnSpawn {
    /// `is_spawn` is `false` for a future that is run on this thread, not spawned.
    pub(crate) fn begin(is_spawn: bool) -> Self {
        let _ = IS_OWN.try_with(|is_own| is_own.set(is_spawn));
        Self(())
    }
}

impl Drop for OwnSpawn {
    fn drop(&mut self) {
        let _ = IS_OWN.try_with(|is_own| is_own.set(false));
    }
}

/// Sets all hooks of a builder.
pub(super) fn install(builder: &mut ::tokio::runtime::Builder) {
    builder.on_task_spawn(spawned);
    builder.on_before_task_poll(begin_poll);
    builder.on_after_task_poll(end_poll);
    builder.on_task_terminate(terminated);
}

impl Builder {
    /// Calls `f` when a task is spawned.
    pub fn on_task_spawn<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        (**self).on_task_spawn(move |meta| {
            spawned(meta);
            f(meta);
        });
        self
    }

    /// Calls `f` before each poll of a task.
    pub fn on_before_task_poll<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        (**self).on_before_task_poll(move |meta| {
            f(meta);
            begin_poll(meta);
        });
        self
    }

    /// Calls `f` after each poll of a task.
    pub fn on_after_task_poll<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        (**self).on_after_task_poll(move |meta| {
            end_poll(meta);
            f(meta);
        });
        self
    }

    /// Calls `f` when a task ends.
    pub fn on_task_terminate<F>(&mut self, f: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        (**self).on_task_terminate(move |meta| {
            terminated(meta);
            f(meta);
        });
        self
    }
}

fn part(id: Id) -> &'static Mutex<Option<HashMap<Id, &'static Task>>> {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    let part = usize::try_from(hasher.finish() % PARTS as u64).unwrap_or(0);
    &TASKS[part]
}

fn find(id: Id) -> Option<&'static Task> {
    part(id).lock().as_ref()?.get(&id).copied()
}

fn spawned(meta: &TaskMeta<'_>) {
    let is_own = IS_OWN.try_with(|is_own| is_own.replace(false)).unwrap_or(true);
    if is_own || !switch::records() {
        return;
    }
    let location = meta.spawned_at();
    let site = task_site_at(&name(location), location, false);
    if !site.is_on() {
        return;
    }
    let task = live::add_task(&TaskOrigin {
        work: TaskKind::Future,
        site,
        is_named: false,
        has_output: true,
        label: Label::NONE,
        target: SpawnTarget { number: number::current(), ..SpawnRuntime::TokioHooks.into() },
        spawned_at: Some(location),
        spawned_by: context::task(),
        made: clock::now(),
    });
    task.runtime_id.store(shown(meta.id()).unwrap_or(0), Relaxed);
    part(meta.id()).lock().get_or_insert_default().insert(meta.id(), task);
}

fn begin_poll(meta: &TaskMeta<'_>) {
    let Some(task) = find(meta.id()) else { return };
    task.run(clock::now(), recorder::own_tree_number());
    let around = live::current::replace(Some(task));
    let _ = POLLS.try_with(|polls| polls.borrow_mut().push((meta.id(), around)));
}

fn end_poll(meta: &TaskMeta<'_>) {
    let ended = POLLS.try_with(|polls| {
        let mut polls = polls.borrow_mut();
        let is_it = polls.last().is_some_and(|(id, _)| *id == meta.id());
        if is_it { polls.pop() } else { None }
    });
    let Some((_, around)) = ended.ok().flatten() else { return };
    live::current::replace(around);
    if let Some(task) = find(meta.id()) {
        task.leave(clock::now());
    }
}

fn terminated(meta: &TaskMeta<'_>) {
    let task = part(meta.id()).lock().as_mut().and_then(|tasks| tasks.remove(&meta.id()));
    if let Some(task) = task {
        live::remove_task(task);
    }
}

/// Returns the place as a name. Cuts off the path to the registry's sources.
fn name(location: &Location<'_>) -> String {
    let place = location.to_string();
    let package = place.split_once("/registry/src/").and_then(|(_, rest)| rest.split_once('/'));
    package.map_or(place.clone(), |(_, package)| package.to_owned())
}
