//! Receivers of bounded and unbounded channels.

/// Defines a receiver around tokio's type of the same name.
macro_rules! receiver {
    ($(#[$documentation:meta])* $name:ident of $sender:ident) => {
        $(#[$documentation])*
        // In this order, the receiver is dropped before its wait ends, and both before its record.
        pub struct $name<T> {
            inner: ::tokio::sync::mpsc::$name<T>,
            /// The wait of `poll_recv`.
            wait: $crate::waits::LazyWait,
            end: $crate::waits::SoleEnd,
        }

        const _: () = {
            use std::future::{Future, poll_fn};
            use std::panic::Location;
            use std::task::{Context, Poll};

            use ::tokio::sync::mpsc::{self, error::TryRecvError};

            use $crate::waits::{BlockedThread, LazyWait, LazyWaitFuture, SoleEnd, WaitInfo, WaitMode};
            use $crate::wrap::{around_sole, delegate};

            impl<T> $name<T> {
                pub(super) fn new(inner: mpsc::$name<T>, end: SoleEnd) -> Self {
                    Self { inner, end, wait: LazyWait::default() }
                }

                /// Waits for the next message. Returns `None` once the channel is closed and empty.
                ///
                /// Cancel safe: if the future is dropped, no message is lost.
                #[track_caller]
                pub fn recv(&mut self) -> impl Future<Output = Option<T>> + use<'_, T> {
                    let at = Location::caller();
                    async move {
                        let Self { inner, end, wait } = self;
                        wait.end();
                        end.used(at);
                        let info = || WaitInfo::on(end.record(), WaitMode::Receive, 1, at);
                        let message = LazyWaitFuture::new(poll_fn(|context| inner.poll_recv(context)), info).await;
                        end.took(u64::from(message.is_some()));
                        message
                    }
                }

                /// Waits for messages, and appends up to `limit` of them to `buffer`. Returns their
                /// number: zero if `limit` is zero, or once the channel is closed and empty.
                ///
                /// Cancel safe: if the future is dropped, no message is lost.
                #[track_caller]
                pub fn recv_many<'a>(
                    &'a mut self,
                    buffer: &'a mut Vec<T>,
                    limit: usize,
                ) -> impl Future<Output = usize> + use<'a, T> {
                    let at = Location::caller();
                    async move {
                        let Self { inner, end, wait } = self;
                        wait.end();
                        end.used(at);
                        let info = || WaitInfo::on(end.record(), WaitMode::Receive, 1, at);
                        let poll = |context: &mut Context<'_>| inner.poll_recv_many(context, buffer, limit);
                        let count = LazyWaitFuture::new(poll_fn(poll), info).await;
                        end.took(count as u64);
                        count
                    }
                }

                /// Takes the next message if there is one.
                ///
                /// # Errors
                /// If the channel is empty, or closed and empty.
                #[track_caller]
                pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
                    self.wait.end();
                    self.end.used(Location::caller());
                    let message = self.inner.try_recv();
                    self.end.took(u64::from(message.is_ok()));
                    message
                }

                /// Blocks the current thread until a message arrives. Returns `None` as `recv`
                /// does.
                #[track_caller]
                pub fn blocking_recv(&mut self) -> Option<T> {
                    let blocked = self.block(Location::caller());
                    let message = self.inner.blocking_recv();
                    drop(blocked);
                    self.end.took(u64::from(message.is_some()));
                    message
                }

                /// Blocks the current thread until there are messages, and appends up to `limit` of
                /// them to `buffer`. Returns their number, as `recv_many` does.
                #[track_caller]
                pub fn blocking_recv_many(&mut self, buffer: &mut Vec<T>, limit: usize) -> usize {
                    let blocked = self.block(Location::caller());
                    let count = self.inner.blocking_recv_many(buffer, limit);
                    drop(blocked);
                    self.end.took(count as u64);
                    count
                }

                /// Records a blocked thread if there is no message. Only this receiver can take
                /// one.
                fn block(&mut self, at: &'static Location<'static>) -> Option<BlockedThread> {
                    self.wait.end();
                    self.end.used(at);
                    let record = self.end.record().filter(|_| self.inner.is_empty());
                    BlockedThread::begin(record, WaitMode::Receive, 1, at)
                }

                /// Closes the channel. Messages that were sent or reserved can still be received.
                #[track_caller]
                pub fn close(&mut self) {
                    self.end.used(Location::caller());
                    self.inner.close();
                    self.end.close();
                }

                /// Polls for the next message. Only the waker of the most recent call is woken.
                #[track_caller]
                pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
                    let at = Location::caller();
                    let Self { inner, end, wait } = self;
                    end.used(at);
                    let info = || WaitInfo::on(end.record(), WaitMode::Receive, 1, at);
                    let poll = wait.poll(cx, info, |context| inner.poll_recv(context));
                    end.took(u64::from(matches!(poll, Poll::Ready(Some(_)))));
                    poll
                }

                /// Polls for messages, and appends up to `limit` of them to `buffer`.
                #[track_caller]
                pub fn poll_recv_many(
                    &mut self,
                    cx: &mut Context<'_>,
                    buffer: &mut Vec<T>,
                    limit: usize,
                ) -> Poll<usize> {
                    let at = Location::caller();
                    let Self { inner, end, wait } = self;
                    end.used(at);
                    let info = || WaitInfo::on(end.record(), WaitMode::Receive, 1, at);
                    let poll = wait.poll(cx, info, |context| inner.poll_recv_many(context, buffer, limit));
                    if let Poll::Ready(count) = poll {
                        end.took(count as u64);
                    }
                    poll
                }

                delegate! { inner:
                    /// Returns whether this end is closed, or all senders are dropped.
                    pub fn is_closed(&self) -> bool;
                    /// Returns whether there is no message.
                    pub fn is_empty(&self) -> bool;
                    /// Returns the number of messages in the channel.
                    pub fn len(&self) -> usize;
                    /// Returns the number of senders.
                    pub fn sender_strong_count(&self) -> usize;
                    /// Returns the number of weak senders.
                    pub fn sender_weak_count(&self) -> usize;
                }
            }

            around_sole!(
                [T] $name<T>: mpsc::$name<T>,
                |inner| Self::new(inner, SoleEnd::none())
            );
        };
    };
}

pub(super) use receiver;
