//! An end of a channel: who has it, and the record of the channel, which all ends keep.

use std::ops::Deref;
use std::panic::Location;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::holding::{Holding, Role};
use super::lazy_wait::LazyWaitFuture;
use super::own_code::own_code;
use super::record::Record;
use super::resource::Shared;
use super::resource_type::ResourceType;
use super::wait_cell::WaitMode;
use super::wait_future::WaitInfo;
use crate::live;
use crate::sync::add_relaxed;

/// A sender, a receiver, or what can become one.
#[derive(Debug)]
pub(crate) struct ChannelEnd {
    holding: Holding,
    shared: Shared,
}

impl ChannelEnd {
    /// The ends of a channel that is made there: the sending one, the receiving one.
    #[inline]
    pub(crate) fn pair(
        what: &'static ResourceType,
        capacity: u64,
        at: &'static Location<'static>,
        name: Option<Arc<str>>,
    ) -> (Self, Self) {
        let (sends, receives) = Shared::pair(what, capacity, at, name);
        (Self::new(sends, Role::Sends, at), Self::new(receives, Role::Receives, at))
    }

    /// The sending end of a channel that is made there and from which nobody receives yet.
    #[inline]
    pub(crate) fn sending(
        what: &'static ResourceType,
        capacity: u64,
        at: &'static Location<'static>,
        name: Option<Arc<str>>,
    ) -> Self {
        Self::new(Shared::new(what, capacity, at, name), Role::Sends, at)
    }

    /// Something that is made there, which everybody who has it can use alike.
    pub(crate) fn using(what: &'static ResourceType, at: &'static Location<'static>) -> Self {
        Self::new(Shared::new(what, 0, at, None), Role::Uses, at)
    }

    /// An end of something that is not on record.
    pub(crate) const fn none() -> Self {
        Self { holding: Holding::NONE, shared: Shared::NONE }
    }

    #[inline]
    fn new(shared: Shared, role: Role, at: &'static Location<'static>) -> Self {
        Self { holding: Holding::take_part(shared.record(), role, at), shared }
    }

    /// Another end of the same channel, made of this one, which is thereby used.
    #[inline]
    pub(crate) fn another(&self, role: Role, at: &'static Location<'static>) -> Self {
        self.used(at);
        Self::new(self.shared.clone(), role, at)
    }

    #[inline]
    pub(crate) fn record(&self) -> Option<&'static Record> {
        self.shared.record()
    }

    /// The running task has used it, there.
    #[inline]
    pub(crate) fn used(&self, at: &'static Location<'static>) {
        self.holding.used(at);
    }

    /// What a poll waits for that was called from `caller`: its own place if that is the program's, or else where it was made.
    #[allow(dead_code)] // By what is a feature.
    pub(crate) fn polled(
        &self,
        mode: WaitMode,
        caller: &'static Location<'static>,
        made_at: &'static Location<'static>,
    ) -> WaitInfo {
        let at = own_code(caller, made_at);
        self.used(at);
        WaitInfo::on(self.record(), mode, 1, at).made_there(ptr::eq(at, made_at))
    }

    /// The running task waits at it: uses it, and waits until that future is ready.
    #[allow(dead_code)] // By what is a feature.
    pub(crate) async fn wait<F: Future>(
        &self,
        future: F,
        mode: WaitMode,
        at: &'static Location<'static>,
    ) -> F::Output {
        self.used(at);
        LazyWaitFuture::new(future, || WaitInfo::on(self.record(), mode, 1, at)).await
    }

    /// A message of that type was put in, by one of several who may.
    #[inline]
    pub(crate) fn put<T>(&self) {
        if let Some(record) = self.record() {
            let number = record.entered.fetch_add(1, Relaxed) + 1;
            if carries::<T>() {
                live::current::count_send(record.id(), number);
            }
        }
    }

    /// A message of that type was put in if `sent` says so.
    #[inline]
    #[allow(dead_code)] // By what is a feature.
    pub(crate) fn put_if_ok<T, E>(&self, sent: Result<(), E>) -> Result<(), E> {
        if sent.is_ok() {
            self.put::<T>();
        }
        sent
    }

    /// The same for a channel that keeps as many messages as it has places: so many are in it at most.
    #[inline]
    pub(crate) fn put_over<T>(&self) {
        if let Some(record) = self.record() {
            let number = record.entered.fetch_add(1, Relaxed) + 1;
            let kept = record.capacity.load(Relaxed);
            if let Some(gone) = number.checked_sub(kept) {
                record.left.store(gone, Relaxed);
            }
            if carries::<T>() {
                live::current::count_send(record.id(), number);
            }
        }
    }

    /// The value that was there was replaced by another of that type, by one of several who take turns.
    #[inline]
    pub(crate) fn replaced<T>(&self) {
        if let Some(record) = self.record() {
            let number = record.entered.load(Relaxed) + 1;
            record.entered.store(number, Relaxed);
            record.left.store(number - 1, Relaxed);
            if carries::<T>() {
                live::current::count_send(record.id(), number);
            }
        }
    }

    /// The message of that number may have carried something away.
    #[inline]
    pub(crate) fn note_send(&self, number: u64) {
        if let Some(record) = self.record() {
            live::current::count_send(record.id(), number);
        }
    }

    /// So many messages or bytes were put in, by the only one who may.
    #[inline]
    pub(crate) fn put_alone(&self, count: u64) {
        if let Some(record) = self.record() {
            add_relaxed(&record.entered, count);
        }
    }

    /// So many messages or bytes were taken out, by the only one who may.
    #[inline]
    pub(crate) fn took(&self, count: u64) {
        if let Some(record) = self.record() {
            add_relaxed(&record.left, count);
        }
    }

    /// A message was taken out, by one of several who may.
    #[inline]
    pub(crate) fn took_one_of_several(&self) {
        if let Some(record) = self.record() {
            record.left.fetch_add(1, Relaxed);
        }
    }

    /// It was closed, or one side is gone.
    #[inline]
    pub(crate) fn close(&self) {
        if let Some(record) = self.record() {
            record.is_closed.store(true, Relaxed);
        }
    }

    /// Somebody has got at the original there: others like this may be anywhere from now on.
    pub(crate) fn share(&self, at: &'static Location<'static>) {
        self.holding.share(at);
    }

    /// It goes where nobody sees it.
    pub(crate) fn lose(self) {
        self.holding.lose();
    }
}

/// The only end of its side: the channel is closed when it is dropped.
#[derive(Debug)]
pub(crate) struct SoleEnd(ChannelEnd);

impl SoleEnd {
    #[inline]
    pub(crate) fn new(end: ChannelEnd) -> Self {
        Self(end)
    }

    /// The only end of something that is not on record.
    pub(crate) const fn none() -> Self {
        Self(ChannelEnd::none())
    }

    /// It goes where nobody sees it, and the channel is not closed.
    pub(crate) fn lose(mut self) {
        std::mem::replace(&mut self.0, ChannelEnd::none()).lose();
    }
}

impl Deref for SoleEnd {
    type Target = ChannelEnd;

    #[inline]
    fn deref(&self) -> &ChannelEnd {
        &self.0
    }
}

impl Drop for SoleEnd {
    #[inline]
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Whether a message of this type can carry a guard, a sender or the like away.
pub(crate) const fn carries<T>() -> bool {
    std::mem::needs_drop::<T>()
}
