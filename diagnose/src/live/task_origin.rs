//! The origin of a task: its kind, its spawn place, its spawner and its runtime.

use std::panic::Location;
use std::sync::atomic::Ordering::Relaxed;

pub(crate) use diagnose_reports::model::TaskKind;

use super::live_slot::RunState;
use super::task::Task;
use crate::label::Label;
use crate::site::Site;

/// The runtime on which a task was spawned, as far as this crate knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SpawnRuntime {
    /// Not spawned through this crate: an annotated function called from code that is not
    /// annotated.
    Unknown = 0,
    Tokio = 1,
    Smol = 2,
    AsyncStd = 3,
    /// Another executor, through `spawn_with`.
    Other = 4,
    /// Reported by tokio's own hooks; not spawned through this crate.
    TokioHooks = 5,
}

/// The runtime that a task is spawned on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SpawnTarget {
    pub(crate) runtime: SpawnRuntime,
    /// The number of that runtime in this process; zero if it is unknown, or if its workers do not
    /// poll the task.
    pub(crate) number: u16,
    /// Whether the task stays on the thread that polls it first.
    pub(crate) is_local: bool,
}

impl From<SpawnRuntime> for SpawnTarget {
    fn from(runtime: SpawnRuntime) -> Self {
        Self { runtime, number: 0, is_local: false }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct TaskOrigin {
    pub(crate) work: TaskKind,
    /// The task's name, and the place of its annotation or spawn.
    pub(crate) site: &'static Site,
    /// Whether the program named the task. If not, the task takes the name of its future, once that
    /// has one.
    pub(crate) is_named: bool,
    /// Whether its output may contain a guard: it has something to drop, or is unknown.
    pub(crate) has_output: bool,
    pub(crate) label: Label,
    pub(crate) target: SpawnTarget,
    pub(crate) spawned_at: Option<&'static Location<'static>>,
    /// The id of the task that spawned it; zero if none did.
    pub(crate) spawned_by: u64,
    pub(crate) made: u64,
}

/// The part of an origin that fits into one word. From the top: the runtime's number, the spawner's
/// id, the output bit, the named bit, the local bit, the runtime, the kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct PackedOrigin(pub(super) u64);

impl PackedOrigin {
    /// That of a root that was not spawned through this crate: its output may contain a guard.
    pub(super) const UNSPAWNED: Self = Self(1 << 6);

    pub(super) fn new(origin: &TaskOrigin) -> Self {
        let TaskOrigin { work, is_named, has_output, target, spawned_by, .. } = *origin;
        Self(
            u64::from(target.number) << 48
                | (spawned_by & BY) << 7
                | u64::from(has_output) << 6
                | u64::from(is_named) << 5
                | u64::from(target.is_local) << 4
                | u64::from(target.runtime as u8) << 1
                | u64::from(work == TaskKind::Blocking),
        )
    }

    #[inline]
    pub(super) fn is_named(self) -> bool {
        self.0 >> 5 & 1 != 0
    }

    #[inline]
    fn has_output(self) -> bool {
        self.0 >> 6 & 1 != 0
    }

    #[inline]
    pub(super) fn runtime(self) -> SpawnRuntime {
        match self.0 >> 1 & 7 {
            1 => SpawnRuntime::Tokio,
            2 => SpawnRuntime::Smol,
            3 => SpawnRuntime::AsyncStd,
            4 => SpawnRuntime::Other,
            5 => SpawnRuntime::TokioHooks,
            _ => SpawnRuntime::Unknown,
        }
    }

    pub(super) fn target(self) -> SpawnTarget {
        let number = u16::try_from(self.0 >> 48).unwrap_or(0);
        SpawnTarget { runtime: self.runtime(), number, is_local: self.0 >> 4 & 1 != 0 }
    }

    pub(super) fn origin(
        self,
        site: &'static Site,
        label: Label,
        spawned_at: Option<&'static Location<'static>>,
        made: u64,
    ) -> TaskOrigin {
        let Self(packed) = self;
        let work = if packed & 1 == 0 { TaskKind::Future } else { TaskKind::Blocking };
        let target = self.target();
        let (is_named, has_output, spawned_by) = (self.is_named(), self.has_output(), packed >> 7 & BY);
        TaskOrigin { work, site, is_named, has_output, label, target, spawned_at, spawned_by, made }
    }
}

impl Task {
    /// Returns whether the task stays on the thread that polls it first.
    #[inline]
    pub(crate) fn is_local(&self) -> bool {
        PackedOrigin(self.origin.load(Relaxed)).target().is_local
    }

    /// Returns whether a `LocalSet` that `thread` runs may have the task, if that is local.
    /// `thread` is the number of a tree.
    pub(crate) fn may_be_in_set_on(&self, thread: Option<u32>) -> bool {
        self.is_local() && self.local_thread().is_none_or(|own| thread.is_none_or(|thread| thread == own))
    }

    /// Returns the thread that polls a local task: the number of its tree. `None` before the first
    /// poll.
    pub(crate) fn local_thread(&self) -> Option<u32> {
        let is_polled = self.polls.load(Relaxed) != 0 || self.doing().0 != RunState::Unpolled;
        is_polled.then(|| self.thread.load(Relaxed))
    }

    /// Returns whether the task's output may contain a guard.
    #[inline]
    pub(crate) fn has_output(&self) -> bool {
        PackedOrigin(self.origin.load(Relaxed)).has_output()
    }

    /// Takes over the name of its future, unless the program has named the task itself.
    #[inline]
    pub(crate) fn take_name(&self, site: &'static Site) {
        if !PackedOrigin(self.origin.load(Relaxed)).is_named() {
            self.site.set(site);
        }
    }
}

/// The bits of the spawner's id that are stored.
const BY: u64 = (1 << 41) - 1;
