//! What can abort a task, in the bits above its label.
//!
//! A task that something may abort is not proven to be stuck. Handles of tokio are counted where they are wrapped.

use std::sync::atomic::Ordering::Relaxed;

use super::task::Task;
use crate::label::Label;

/// A handle that can await and abort it is alive.
pub(crate) const HANDLE: u32 = 1 << 29;
/// A handle that can abort it was asked for, and may be anywhere.
pub(crate) const ABORT: u32 = 1 << 30;
/// It was spawned into a set, which has returned such a handle without being asked.
pub(crate) const SET: u32 = 1 << 31;
/// The bits of a label, all of them for the one that stands for others.
const LABEL: u32 = HANDLE - 1;

impl Task {
    /// It has that label, and nothing can abort it yet.
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

    /// Something can abort it from now on.
    pub(crate) fn add_handle(&self, handle: u32) {
        self.label.fetch_or(handle, Relaxed);
    }

    /// That handle is gone.
    pub(crate) fn remove_handle(&self, handle: u32) {
        self.label.fetch_and(!handle, Relaxed);
    }

    /// What can abort it.
    pub(crate) fn handles(&self) -> u32 {
        self.label.load(Relaxed) & !LABEL
    }
}
