//! `async_lock::Barrier`, with a record of the tasks that have arrived.

use std::panic::Location;
use std::sync::atomic::Ordering::Relaxed;

use ::async_lock::BarrierWaitResult;

use crate::waits::{
    Notifiers, Resource, ResourceKind, ResourceType, UNBOUNDED, WaitFuture, WaitInfo, WaitMode,
};
use crate::wrap::{convert, debug, future, share};

static TYPE: ResourceType = ResourceType::new(ResourceKind::Barrier, "async-lock");

/// async-lock's `Barrier`, recorded from its first use on with the place of its creation.
pub struct Barrier {
    resource: Resource,
    /// The tasks that have arrived, in this round or an earlier one.
    notifiers: Notifiers,
    original: ::async_lock::Barrier,
    /// The number of tasks that open the barrier, which the original does not expose.
    n: u64,
}

impl Barrier {
    /// Creates a barrier that opens when `n` tasks have arrived.
    #[track_caller]
    pub const fn new(n: usize) -> Self {
        Self::around(::async_lock::Barrier::new(n), n as u64)
    }

    #[track_caller]
    const fn around(original: ::async_lock::Barrier, n: u64) -> Self {
        let resource = Resource::new(&TYPE, n, Location::caller());
        Self { resource, notifiers: Notifiers::new(), original, n }
    }

    /// Arrives with the first poll, then waits for the other tasks.
    ///
    /// Not cancel safe: an arrival still counts after its future is dropped.
    #[track_caller]
    pub fn wait(&self) -> BarrierWait<'_> {
        let at = Location::caller();
        let info = WaitInfo::on(self.resource.record(), WaitMode::Arrive, 1, at);
        BarrierWait::new(WaitFuture::new(self.original.wait(), info), self, Some(at))
    }

    /// Arrives, blocking the current thread until the other tasks have arrived.
    #[track_caller]
    #[cfg(not(target_family = "wasm"))]
    pub fn wait_blocking(&self) -> BarrierWaitResult {
        let at = Location::caller();
        self.arrive(at);
        let result = self.resource.block(WaitMode::Arrive, 1, at, || self.original.wait_blocking());
        self.open(&result);
        result
    }

    fn arrive(&self, at: &'static Location<'static>) {
        if let Some(record) = self.resource.record() {
            self.notifiers.note(Some(record), at);
            record.entered.fetch_add(1, Relaxed);
        }
    }

    /// Subtracts one round from the arrivals if this call was the last to arrive.
    fn open(&self, result: &BarrierWaitResult) {
        if let Some(record) = self.resource.record().filter(|_| result.is_leader()) {
            let round = self.n.max(1);
            let less = |arrived: u64| Some(arrived.saturating_sub(round));
            let _ = record.entered.fetch_update(Relaxed, Relaxed, less);
        }
    }
}

share!([] Barrier, original: ::async_lock::Barrier);
debug!([] Barrier, original: ::async_lock::Barrier);

// The original does not expose its `n`, so the record has no bound.
convert!([] Barrier: ::async_lock::Barrier, |original| Self::around(original, UNBOUNDED), |it| it.original);

future! {
    /// The future returned by [`Barrier::wait`].
    pub struct BarrierWait<'a> {
        #[pin]
        waited: WaitFuture<::async_lock::futures::BarrierWait<'a>>,
        barrier: &'a Barrier,
        // The place of the call, until the arrival is recorded.
        arrives: Option<&'static Location<'static>>,
    }
    -> BarrierWaitResult;
    before |this| if let Some(at) = this.arrives.take() { this.barrier.arrive(at) };
    after |this, result| {
        this.barrier.open(&result);
        result
    };
}
