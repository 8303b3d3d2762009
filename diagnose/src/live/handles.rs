//! Handles that can abort a task, in the bits above its label.
//!
//! A task that a handle may abort is not proven to be stuck. tokio's handles are counted where they
//! are wrapped.

use std::sync::atomic::Ordering::Relaxed;

use super::task::Task;
use crate::label::Label;

/// A handle that can await and abort the task is alive.
pub(crate) const HANDLE: u32 = 1 << 29;
/// A handle that can abort the task was requested, and may be anywhere.
pub(crate) const ABORT: u32 = 1 << 30;
/// The task was spawned into a set, which returned such a handle unasked.
pub(crate) const SET: u32 = 1 << 31;
/// The bits of a label; all of them set for `[other]`.
const LABEL: u32 = HANDLE - 1;

impl Task {
    /// Sets the label, and clears all handles.
    #[inline]
    pub(super) fn set_label(&self, label: Label) {
        self.label.store(label.0 & LABEL, Relaxed);
    }

    pub(super) fn label(&self) -> Label {
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

    /// The kinds of handles that can abort the task.
    pub(crate) fn handles(&self) -> u32 {
        self.label.load(Relaxed) & !LABEL
    }
}
