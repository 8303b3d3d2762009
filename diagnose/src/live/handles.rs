//! Handles that can abort a task, in the bits above its label.
//!
//! ```text
//!  31       30      29       28          16 15       0
//!  ON_DROP  ABORT   HANDLE   abort handles  label
//! ```
//! While a handle may abort a task, no verdict proves that the task is stuck. tokio's handles are
//! counted where they are wrapped.

use std::sync::atomic::Ordering::Relaxed;

use super::task::Task;
use crate::label::Label;

/// A handle that can await and abort the task is alive, or a set that contains the task.
pub(crate) const HANDLE: u32 = 1 << 29;
/// A handle of tokio's own type, which is not counted, can abort the task from anywhere.
pub(crate) const ABORT: u32 = 1 << 30;
/// A handle or set whose drop aborts the task is alive.
pub(crate) const ON_DROP: u32 = 1 << 31;
/// One counted abort handle.
const ONE: u32 = 1 << 16;
/// The bits of the count. Once all of them are set, the task has abort handles until it ends.
const COUNT: u32 = HANDLE - ONE;
/// The bits of a label; all of them set for `[other]`.
const LABEL: u32 = ONE - 1;

impl Task {
    /// Sets the label, and clears all handles.
    #[inline]
    pub(super) fn set_label(&self, label: Label) {
        self.label.store(label.0 & LABEL, Relaxed);
    }

    pub(crate) fn label(&self) -> Label {
        match self.label.load(Relaxed) & LABEL {
            LABEL => Label(u32::MAX),
            label => Label(label),
        }
    }

    pub(crate) fn add_handle(&self, handle: u32) {
        self.label.fetch_or(handle, Relaxed);
    }

    pub(crate) fn remove_handle(&self, handle: u32) {
        self.label.fetch_and(!handle, Relaxed);
    }

    pub(crate) fn add_abort_handle(&self) {
        let add = |bits: u32| (bits & COUNT != COUNT).then(|| bits + ONE);
        let _ = self.label.fetch_update(Relaxed, Relaxed, add);
    }

    pub(crate) fn remove_abort_handle(&self) {
        let remove = |bits: u32| (bits & COUNT != COUNT && bits & COUNT != 0).then(|| bits - ONE);
        let _ = self.label.fetch_update(Relaxed, Relaxed, remove);
    }

    /// The kinds of handles that can abort the task.
    pub(crate) fn handles(&self) -> u32 {
        self.label.load(Relaxed) & !LABEL
    }
}
