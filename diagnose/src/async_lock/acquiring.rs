//! Futures that acquire a lock. Each polls the original's future and records the wait.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use super::{
    Mutex, MutexGuard, RwLockReadGuard, RwLockUpgradableReadGuard, RwLockWriteGuard, SemaphoreGuard,
};
use crate::waits::{WaitFuture, WaitInfo};

/// Declares a future that borrows the lock. An optional field is passed to the guard.
macro_rules! acquiring {
    (
        $(#[$meta:meta])* $name:ident [$($parameters:tt)*] [$($arguments:tt)*] $guard:ident
        $(, $field:ident: $type:ty)?
    ) => {
        pin_project! {
            $(#[$meta])*
            ///
            /// Dropping it gives up its place in the queue, as the original does.
            pub struct $name<$($parameters)*> {
                #[pin]
                waited: WaitFuture<::async_lock::futures::$name<$($arguments)*>>,
                $($field: $type,)?
            }
        }

        #[allow(single_use_lifetimes)]
        impl<$($parameters)*> $name<$($arguments)*> {
            #[inline]
            pub(super) fn new(
                future: ::async_lock::futures::$name<$($arguments)*>,
                info: WaitInfo $(, $field: $type)?
            ) -> Self {
                // Not `Unpin`: see the test in `tests`.
                Self { waited: WaitFuture::new(future, info).pinned() $(, $field)? }
            }
        }

        #[allow(single_use_lifetimes)] // They are used more than once with other parameters.
        impl<$($parameters)*> Future for $name<$($arguments)*> {
            type Output = $guard<$($arguments)*>;

            #[inline]
            fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
                let mut this = self.project();
                let guard = ready!(this.waited.as_mut().poll(context));
                Poll::Ready($guard::new(this.waited.hold(false), guard $(, this.$field)?))
            }
        }

        #[allow(single_use_lifetimes)] // They are used more than once with other parameters.
        impl<$($parameters)*> fmt::Debug for $name<$($arguments)*> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(self.waited.future(), f)
            }
        }
    };
}

acquiring! {
    /// The future returned by [`RwLock::read`](super::RwLock::read).
    Read ['a, T: ?Sized] ['a, T] RwLockReadGuard
}
acquiring! {
    /// The future returned by [`RwLock::upgradable_read`](super::RwLock::upgradable_read).
    UpgradableRead ['a, T: ?Sized] ['a, T] RwLockUpgradableReadGuard
}
acquiring! {
    /// The future returned by [`RwLock::write`](super::RwLock::write).
    Write ['a, T: ?Sized] ['a, T] RwLockWriteGuard
}
acquiring! {
    /// The future returned by [`Semaphore::acquire`](super::Semaphore::acquire).
    Acquire ['a] ['a] SemaphoreGuard
}

acquiring! {
    /// The future returned by [`Mutex::lock`](super::Mutex::lock).
    // `MutexGuard::source` needs the mutex; other guards have no such method.
    Lock ['a, T: ?Sized] ['a, T] MutexGuard, mutex: &'a Mutex<T>
}
