//! `tokio::sync::Barrier`.

use std::future::Future;
use std::panic::Location;
use std::sync::atomic::Ordering::Relaxed;

use ::tokio::sync as real;
use ::tokio::sync::BarrierWaitResult;

use crate::waits::{
    Notifiers, Record, Resource, ResourceKind, ResourceType, UNBOUNDED, WaitFuture, WaitInfo, WaitMode,
};
use crate::wrap::{convert, debug, share};

static TYPE: ResourceType = ResourceType::fair(ResourceKind::Barrier, "tokio");

/// tokio's `Barrier`, which also records the tasks that have arrived, and their number.
///
/// Recorded from its first use, under its place of creation. It behaves exactly like tokio's: a
/// cancelled wait still counts as an arrival.
pub struct Barrier {
    resource: Resource,
    /// Tasks that have arrived, in this generation or an earlier one.
    notifiers: Notifiers,
    parties: u64,
    meets: real::Barrier,
}

impl Barrier {
    /// Creates a barrier for `n` tasks; `0` counts as `1`.
    #[track_caller]
    pub fn new(n: usize) -> Self {
        Self::around(real::Barrier::new(n), n.max(1) as u64)
    }

    #[track_caller]
    fn around(barrier: real::Barrier, parties: u64) -> Self {
        let resource = Resource::new(&TYPE, parties, Location::caller()).with_creation();
        Self { resource, notifiers: Notifiers::new(), parties, meets: barrier }
    }

    /// Waits until `n` tasks have called `wait`, one of which becomes the leader. Not cancel safe.
    #[track_caller]
    pub fn wait(&self) -> impl Future<Output = BarrierWaitResult> {
        let at = Location::caller();
        async move {
            let record = self.resource.record();
            self.notifiers.note(record, at);
            if let Some(record) = record {
                record.entered.fetch_add(1, Relaxed);
            }
            let info = WaitInfo::on(record, WaitMode::Arrive, 1, at);
            let result = WaitFuture::new(self.meets.wait(), info).await;
            if let (Some(record), true) = (record, result.is_leader()) {
                self.pass(record);
            }
            result
        }
    }

    /// Records that one generation has left. Tasks that have arrived since then belong to the next.
    fn pass(&self, record: &Record) {
        if self.parties == UNBOUNDED {
            record.left.store(record.entered.load(Relaxed), Relaxed);
            return;
        }
        let left = record.left.fetch_add(self.parties, Relaxed) + self.parties;
        // Tasks may have arrived while recording was off.
        record.entered.fetch_max(left, Relaxed);
    }

    /// Returns tokio's own barrier, for crates that expect it.
    ///
    /// With the feature `on` only; `.into()` works without it, too.
    pub fn into_tokio(self) -> real::Barrier {
        self.meets
    }
}

// tokio's barrier does not expose its number of tasks. The record of a converted one has no bound.
share!([] Barrier, meets: real::Barrier);
convert!([] Barrier: real::Barrier, |barrier| Self::around(barrier, UNBOUNDED), |it| it.into_tokio());
debug!([] Barrier, meets: real::Barrier);
