//! The owned guard of a `Mutex`.

use std::panic::Location;
use std::sync::Arc;

use super::Mutex;
use super::owned::Locked;
use crate::wrap::{Owned, owned_guard};

owned_guard! {
    /// An owned guard that unlocks its [`Mutex`] when dropped. It can move to another task: the
    /// task that accesses the data is recorded as the holder.
    pub struct OwnedMutexGuard<T: ?Sized> for &mut T {
        guard: Owned<Mutex<T>, Locked<T>>,
    }
}

impl<T: ?Sized> OwnedMutexGuard<T> {
    pub(super) fn try_new(mutex: &Arc<Mutex<T>>, at: &'static Location<'static>) -> Option<Self> {
        let guard = Owned::try_new(Arc::clone(mutex), |it| match it.mutex.try_lock() {
            Some(guard) => Ok((guard, it.hold(at, true))),
            None => Err(()),
        });
        guard.ok().map(Self::of)
    }
}
