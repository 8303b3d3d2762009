//! The end of a channel: its holding, and the channel's record, shared by all ends.

use std::ops::Deref;
use std::panic::Location;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::holding::Holding;
use super::holding_slot::Role;
use super::lazy_wait::LazyWaitFuture;
use super::own_code::own_code;
use super::record::Record;
use super::resource::Shared;
use super::resource_type::ResourceType;
use super::wait_cell::WaitMode;
use super::wait_future::WaitInfo;
use crate::live;
use crate::sync::add_relaxed;

/// A sender, a receiver, or a value that can become one.
#[derive(Debug)]
pub(crate) struct ChannelEnd {
    holding: Holding,
    shared: Shared,
}

impl ChannelEnd {
    /// Creates a channel at `at`. Returns its sending and its receiving end.
    #[inline]
    pub(crate) fn pair(
        resource_type: &'static ResourceType,
        capacity: u64,
        at: &'static Location<'static>,
        name: Option<Arc<str>>,
    ) -> (Self, Self) {
        let (sends, receives) = Shared::pair(resource_type, capacity, at, name);
        (Self::new(sends, Role::Sends, at), Self::new(receives, Role::Receives, at))
    }

    /// Creates a channel at `at` that has no receiver yet. Returns its sending end.
    #[inline]
    pub(crate) fn sending(
        resource_type: &'static ResourceType,
        capacity: u64,
        at: &'static Location<'static>,
        name: Option<Arc<str>>,
    ) -> Self {
        Self::new(Shared::new(resource_type, capacity, at, name), Role::Sends, at)
    }

    /// Creates a resource at `at` without a sending and a receiving side: all owners use it alike.
    pub(crate) fn using(resource_type: &'static ResourceType, at: &'static Location<'static>) -> Self {
        Self::new(Shared::new(resource_type, 0, at, None), Role::Uses, at)
    }

    pub(crate) const fn none() -> Self {
        Self { holding: Holding::NONE, shared: Shared::NONE }
    }

    #[inline]
    fn new(shared: Shared, role: Role, at: &'static Location<'static>) -> Self {
        Self { holding: Holding::take_part(shared.record(), role, at), shared }
    }

    /// Creates another end of this channel, and records a use of this one.
    #[inline]
    pub(crate) fn another(&self, role: Role, at: &'static Location<'static>) -> Self {
        self.used(at);
        Self::new(self.shared.clone(), role, at)
    }

    /// Creates a receiver of this sender's channel. The running task need not be the one that has
    /// the sender.
    pub(crate) fn subscribed(&self, at: &'static Location<'static>) -> Self {
        self.holding.reached(at);
        Self::new(self.shared.clone(), Role::Receives, at)
    }

    #[inline]
    pub(crate) fn record(&self) -> Option<&'static Record> {
        self.shared.record()
    }

    /// Returns another owner of the record, which is kept until its last owner is dropped.
    #[cfg(feature = "tokio-util")]
    pub(crate) fn shared(&self) -> Shared {
        self.shared.clone()
    }

    /// Records that the running task has used this end at `at`.
    #[inline]
    pub(crate) fn used(&self, at: &'static Location<'static>) {
        self.holding.used(at);
    }

    /// Uncounts the last use, because it received nothing.
    pub(crate) fn used_in_vain(&self) {
        self.holding.used_in_vain();
    }

    /// Records a use by a poll that was called from `caller`. Returns the place of the use:
    /// `caller` if that is in the program's own code, else `made_at`.
    pub(crate) fn used_from(
        &self,
        caller: &'static Location<'static>,
        made_at: &'static Location<'static>,
    ) -> &'static Location<'static> {
        let at = own_code(caller, made_at);
        self.used(at);
        at
    }

    /// Records a use like [`Self::used_from`]. Returns the wait of the poll.
    pub(crate) fn polled(
        &self,
        mode: WaitMode,
        caller: &'static Location<'static>,
        made_at: &'static Location<'static>,
    ) -> WaitInfo {
        let at = self.used_from(caller, made_at);
        WaitInfo::on(self.record(), mode, 1, at).made_there(ptr::eq(at, made_at))
    }

    /// Records a use, then waits until `future` is ready.
    pub(crate) async fn wait<F: Future>(
        &self,
        future: F,
        mode: WaitMode,
        at: &'static Location<'static>,
    ) -> F::Output {
        self.used(at);
        LazyWaitFuture::new(future, || WaitInfo::on(self.record(), mode, 1, at)).await
    }

    /// Returns how many messages were received, if messages of type `T` may contain a guard or a
    /// channel end. A message that is sent after this call has a higher number.
    #[inline]
    pub(crate) fn received<T>(&self) -> u64 {
        if !carries::<T>() {
            return 0;
        }
        self.record().map_or(0, |record| record.left.load(Relaxed))
    }

    /// Counts a message of type `T` that was put into the channel. Several senders may do this at
    /// once.
    #[inline]
    pub(crate) fn put<T>(&self) {
        self.put_after::<T>(0);
    }

    /// Counts a message of type `T` that was put into the channel after `received` messages had
    /// been received.
    ///
    /// A sender counts its message after sending it. While another sender has sent but not yet
    /// counted, the count is too low to number this message, which would then appear to be received
    /// already.
    #[inline]
    pub(crate) fn put_after<T>(&self, received: u64) {
        if let Some(record) = self.record() {
            let number = record.entered.fetch_add(1, Relaxed).max(received) + 1;
            if carries::<T>() {
                live::current::count_send(record.id(), number);
            }
        }
    }

    /// Counts a message like [`Self::put_after`] if `sent` is `Ok`.
    #[inline]
    pub(crate) fn put_if_ok<T, E>(&self, received: u64, sent: Result<(), E>) -> Result<(), E> {
        if sent.is_ok() {
            self.put_after::<T>(received);
        }
        sent
    }

    /// Counts a message in a channel that drops its oldest message when `capacity` is reached.
    #[inline]
    pub(crate) fn put_over<T>(&self) {
        if let Some(record) = self.record() {
            let number = record.entered.fetch_add(1, Relaxed) + 1;
            let capacity = record.capacity.load(Relaxed);
            if let Some(gone) = number.checked_sub(capacity) {
                record.left.store(gone, Relaxed);
            }
            if carries::<T>() {
                live::current::count_send(record.id(), number);
            }
        }
    }

    /// Counts a value of type `T` that replaced the previous one. Several senders take turns.
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

    /// Records that message `number` may have moved a guard or a channel end to another task.
    #[inline]
    pub(crate) fn note_send(&self, number: u64) {
        if let Some(record) = self.record() {
            live::current::count_send(record.id(), number);
        }
    }

    /// Counts `count` messages or bytes that the only sender put into the channel.
    #[inline]
    pub(crate) fn put_alone(&self, count: u64) {
        if let Some(record) = self.record() {
            add_relaxed(&record.entered, count);
        }
    }

    /// Counts `count` messages or bytes that the only receiver took out.
    #[inline]
    pub(crate) fn took(&self, count: u64) {
        if let Some(record) = self.record() {
            add_relaxed(&record.left, count);
        }
    }

    /// Counts a message that was taken out. Several receivers may do this at once.
    #[inline]
    pub(crate) fn took_one_of_several(&self) {
        if let Some(record) = self.record() {
            record.left.fetch_add(1, Relaxed);
        }
    }

    /// Records that the channel was closed, or that one side is gone.
    #[inline]
    pub(crate) fn close(&self) {
        if let Some(record) = self.record() {
            record.is_closed.store(true, Relaxed);
        }
    }

    /// Records that code has accessed the library's own type inside. From now on, any task may have
    /// another end of this side.
    pub(crate) fn share(&self, at: &'static Location<'static>) {
        self.holding.share(at);
    }

    /// Records that this end is no longer recorded, so any task may have it.
    pub(crate) fn lose(self) {
        self.holding.lose();
    }
}

/// The only end of its side. Dropping it closes the channel.
#[derive(Debug)]
pub(crate) struct SoleEnd(ChannelEnd);

impl SoleEnd {
    #[inline]
    pub(crate) fn new(end: ChannelEnd) -> Self {
        Self(end)
    }

    pub(crate) const fn none() -> Self {
        Self(ChannelEnd::none())
    }

    /// Records that this end is no longer recorded. The channel stays open.
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

/// Returns whether a message of this type may contain a guard or a channel end.
pub(crate) const fn carries<T>() -> bool {
    std::mem::needs_drop::<T>()
}
