//! `tokio::sync::Notify`.

use std::fmt;
use std::ops::Deref;
use std::panic::Location;
use std::sync::Arc;

use ::tokio::sync as real;

use super::{Notified, OwnedNotified};
use crate::sync::OnceCell;
use crate::waits::{Notifiers, Resource, ResourceKind, ResourceType};
use crate::wrap::{convert, default};

static TYPE: ResourceType = ResourceType::fair(ResourceKind::Notify, "tokio");

/// tokio's `Notify`, which also records its waiters, its notifiers and its last notification.
///
/// Recorded from its first use, under its place of creation. It behaves exactly like tokio's.
pub struct Notify {
    resource: Resource,
    /// Tasks that have waited or notified.
    notifiers: Notifiers,
    /// In an `Arc`, as [`notified_owned`](Self::notified_owned) needs; created at the first use.
    inner: OnceCell<Arc<real::Notify>>,
}

impl Notify {
    /// Creates a `Notify` without a permit.
    #[track_caller]
    pub fn new() -> Self {
        let mut notify = Self::const_new();
        notify.resource = notify.resource.with_creation();
        notify
    }

    /// Creates a `Notify` without a permit. Can be used in a `const` or `static`.
    #[track_caller]
    pub const fn const_new() -> Self {
        Self::around(OnceCell::new())
    }

    #[track_caller]
    const fn around(notify: OnceCell<Arc<real::Notify>>) -> Self {
        Self {
            resource: Resource::new(&TYPE, 0, Location::caller()),
            notifiers: Notifiers::new(),
            inner: notify,
        }
    }

    /// Returns tokio's own `Notify`, for crates that expect it.
    ///
    /// With the feature `on` only; `.into()` works without it, too.
    pub fn into_tokio(self) -> real::Notify {
        // Every other owner of this `Arc` also holds an `Arc` of `self`, so there is none.
        self.inner.into_inner().and_then(Arc::into_inner).unwrap_or_default()
    }

    /// Waits for a notification. The future receives [`notify_waiters`](Self::notify_waiters) from
    /// its creation. It receives [`notify_one`](Self::notify_one) from its first poll, or from
    /// [`enable`](Notified::enable).
    ///
    /// Cancel safe: a future that is dropped after it got a `notify_one` or `notify_last` passes
    /// that notification on.
    #[track_caller]
    pub fn notified(&self) -> Notified<'_> {
        let at = Location::caller();
        Notified::new(self.notify().notified(), (self.notifiers.used(&self.resource, at), at))
    }

    /// Waits for a notification, as [`notified`](Self::notified) does. The future owns `self`.
    #[track_caller]
    pub fn notified_owned(self: Arc<Self>) -> OwnedNotified {
        let at = Location::caller();
        let on = (self.notifiers.used(&self.resource, at), at);
        OwnedNotified::new(Arc::clone(self.notify()).notified_owned(), on, self)
    }

    /// Notifies the waiter that has waited longest. Without waiters, stores a permit.
    #[track_caller]
    pub fn notify_one(&self) {
        self.notifiers.record_notify(&self.resource, Location::caller(), false);
        self.notify().notify_one();
    }

    /// Notifies the most recent waiter. Without waiters, stores a permit.
    #[track_caller]
    pub fn notify_last(&self) {
        self.notifiers.record_notify(&self.resource, Location::caller(), false);
        self.notify().notify_last();
    }

    /// Notifies all current waiters. Stores no permit.
    #[track_caller]
    pub fn notify_waiters(&self) {
        self.notifiers.record_notify(&self.resource, Location::caller(), true);
        self.notify().notify_waiters();
    }

    #[inline]
    fn notify(&self) -> &Arc<real::Notify> {
        self.inner.get_or_init(Default::default)
    }
}

convert!(
    [] Notify: real::Notify,
    |notify| Self::around(OnceCell::with_value(Arc::new(notify))),
    |it| it.into_tokio()
);
default!([] Notify);

impl Deref for Notify {
    type Target = real::Notify;

    #[track_caller]
    fn deref(&self) -> &real::Notify {
        self.resource.share(Location::caller());
        self.notify()
    }
}

impl fmt::Debug for Notify {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.notify().fmt(formatter)
    }
}
