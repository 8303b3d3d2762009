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

static WHAT: ResourceType = ResourceType::fair(ResourceKind::Notify, "tokio");

/// tokio's `Notify`; who waits, who tells, and when the waiting were told last is on record.
///
/// It is known from its first use on, under the place where it was made. Order, cancellation and panics are tokio's.
pub struct Notify {
    resource: Resource,
    /// Who has waited or told.
    users: Notifiers,
    /// In an `Arc`, which tokio asks for where a future owns it; made when it is used.
    inner: OnceCell<Arc<real::Notify>>,
}

impl Notify {
    /// Creates a `Notify` without a stored permit.
    #[track_caller]
    pub fn new() -> Self {
        let mut notify = Self::const_new();
        notify.resource = notify.resource.born();
        notify
    }

    /// The same in a constant.
    #[track_caller]
    pub const fn const_new() -> Self {
        Self::around(OnceCell::new())
    }

    #[track_caller]
    const fn around(notify: OnceCell<Arc<real::Notify>>) -> Self {
        Self { resource: Resource::new(&WHAT, 0, Location::caller()), users: Notifiers::new(), inner: notify }
    }

    /// tokio's own, for other crates that ask for it.
    pub fn into_tokio(self) -> real::Notify {
        // Another owner of this `Arc` also owns one of `self`.
        self.inner.into_inner().and_then(Arc::into_inner).unwrap_or_default()
    }

    /// A future that waits until it is told. It hears [`notify_waiters`](Self::notify_waiters) from now on, and
    /// [`notify_one`](Self::notify_one) from its first poll, or from when it is [enabled](Notified::enable).
    ///
    /// Cancel safe; one that is dropped after it was told alone passes that on.
    #[track_caller]
    pub fn notified(&self) -> Notified<'_> {
        let at = Location::caller();
        Notified::new(self.notify().notified(), (self.users.used(&self.resource, at), at))
    }

    /// The same as a future that owns this.
    #[track_caller]
    pub fn notified_owned(self: Arc<Self>) -> OwnedNotified {
        let at = Location::caller();
        let on = (self.users.used(&self.resource, at), at);
        OwnedNotified::new(Arc::clone(self.notify()).notified_owned(), on, self)
    }

    /// Notifies the waiter that has waited longest. Without waiters, stores a permit for the next
    /// one.
    #[track_caller]
    pub fn notify_one(&self) {
        self.users.tell(&self.resource, Location::caller(), false);
        self.notify().notify_one();
    }

    /// Notifies the waiter that has waited shortest. Without waiters, stores a permit for the next
    /// one.
    #[track_caller]
    pub fn notify_last(&self) {
        self.users.tell(&self.resource, Location::caller(), false);
        self.notify().notify_last();
    }

    /// Notifies all current waiters, and no later ones.
    #[track_caller]
    pub fn notify_waiters(&self) {
        self.users.tell(&self.resource, Location::caller(), true);
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
