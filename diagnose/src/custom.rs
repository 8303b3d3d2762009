//! Resources that the program itself implements, such as a pool, a lock or a limit.
//!
//! To diagnose, a primitive that it does not wrap is an opaque future. Two calls make it visible.
//! [`Resource::hold`] records that a task holds some of its units. [`wait`] wraps the future that
//! waits for a unit.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::named::FutureExt as _;
use crate::text_limit;
use crate::waits::{Holding, Record, ResourceKind, ResourceType, Shared, WaitFuture, WaitInfo, WaitMode};

static TYPE: ResourceType = ResourceType::new(ResourceKind::Custom, "");

/// A resource with a limited number of units: connections, permits, a file with one writer.
///
/// It enforces no limit and blocks no task: the program's own pool or lock does that. It only
/// records holders and waiters, so that a hang can be explained. A clone stands for the same
/// resource. Reports show its name and the place where it was created, until the last clone, the
/// last [`Hold`] and the last [`wait`] are gone. A resource created while recording is off is never
/// shown.
///
/// # Examples
/// ```
/// use diagnose::{Hold, Resource, wait};
/// use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
/// # use futures::StreamExt as _;
///
/// struct Connection;
///
/// struct Pool {
///     idle: UnboundedReceiver<Connection>,
///     back: UnboundedSender<Connection>,
///     resource: Resource,
/// }
///
/// struct Lease {
///     hold: Hold, // declared first, so dropped before the connection is free again
///     connection: Connection,
/// }
///
/// impl Pool {
///     fn new(size: usize) -> Self {
///         let (back, idle) = unbounded();
///         (0..size).for_each(|_| back.unbounded_send(Connection).expect("the pool has the other end"));
///         Self { idle, back, resource: Resource::new("db-pool", size) }
///     }
///
///     async fn get(&mut self) -> Lease {
///         let connection = wait("get connection", &self.resource, self.idle.next()).await;
///         let connection = connection.expect("the pool has a sender of its own");
///         Lease { hold: self.resource.hold(), connection }
///     }
/// }
///
/// # futures::executor::block_on(async {
/// let mut pool = Pool::new(2);
/// let lease = pool.get().await;
/// # #[cfg(feature = "on")]
/// assert_eq!(diagnose::snapshot().resources[0].holdings.len(), 1);
/// drop(lease);
/// # });
/// ```
#[derive(Clone)]
pub struct Resource {
    shared: Shared,
}

impl Resource {
    /// Creates a resource with `capacity` units; `usize::MAX` means that there is no bound.
    /// Only the first 256 bytes of the name are kept.
    #[must_use]
    #[track_caller]
    pub fn new(name: &str, capacity: usize) -> Self {
        let capacity = if capacity == usize::MAX { u64::MAX } else { capacity as u64 };
        Self { shared: Shared::new(&TYPE, capacity, Location::caller(), Some(text_limit::cut(name).into())) }
    }

    /// Returns its record, or `None` if it was created while recording was off.
    pub(crate) fn record(&self) -> Option<&'static Record> {
        self.shared.record()
    }

    /// Records that the running task holds one unit until the returned [`Hold`] is dropped.
    #[track_caller]
    pub fn hold(&self) -> Hold {
        self.hold_many(1)
    }

    /// Records that the running task holds `units` units until the returned [`Hold`] is dropped.
    #[track_caller]
    pub fn hold_many(&self, units: usize) -> Hold {
        let holding = Holding::hold(self.shared.record(), units as u64, Location::caller(), true);
        Hold { holding, _resource: self.shared.clone() }
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resource").finish_non_exhaustive()
    }
}

/// The units of a [`Resource`] that a task holds while this value is alive.
///
/// Store it in the guard of the actual units, in a field declared before them. It is then dropped
/// before the units are free again. It may move to another task. Reports show the task that last
/// called [`used`](Hold::used) as the holder, or else the task that created it.
///
/// # Examples
/// ```
/// use std::ops::Deref;
///
/// struct Guard<'a> {
///     hold: diagnose::Hold,
///     value: &'a str,
/// }
///
/// impl Deref for Guard<'_> {
///     type Target = str;
///
///     fn deref(&self) -> &str {
///         self.hold.used();
///         self.value
///     }
/// }
///
/// let config = diagnose::Resource::new("config", 1);
/// let guard = Guard { hold: config.hold(), value: "debug" };
/// assert_eq!(guard.len(), 5);
/// ```
#[must_use = "dropping a `Hold` releases its units in the records at once"]
pub struct Hold {
    holding: Holding,
    // Keeps the record of `holding` alive, so it is dropped after `holding`.
    _resource: Shared,
}

impl Hold {
    /// Records that the running task uses, and so holds, these units. It costs a few stores, cheap
    /// enough for the `Deref` of a guard.
    #[inline]
    pub fn used(&self) {
        self.holding.accessed();
    }
}

impl fmt::Debug for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hold").finish_non_exhaustive()
    }
}

pin_project! {
    /// A future that waits for a resource, and keeps it alive.
    struct Waiting<F> {
        #[pin]
        waited: WaitFuture<F>,
        resource: Shared,
    }
}

impl<F: Future> Future for Waiting<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.project().waited.poll(context)
    }
}

/// Records that `future` waits for one unit of `resource`, from its first `Pending` until it is
/// ready or dropped.
///
/// The future is a span named `name`, as with [`.diagnose("name")`](crate::FutureExt::diagnose). It
/// is `Send` if `future` is. It does not record who then holds the unit: call [`Resource::hold`]
/// for that. `future` is polled as often as without this call. Its waker records the wake, then
/// forwards it. Dropping the returned future drops `future` and ends the wait.
///
/// The records do not show what `future` does, so no verdict calls this wait a proven hang. A
/// verdict calls it a likely hang if all units are held and only one clone of its waker is stored,
/// because a time limit inside `future` would store another.
///
/// # Examples
/// ```
/// use futures::channel::oneshot;
///
/// let license = diagnose::Resource::new("license", 1);
/// # futures::executor::block_on(async {
/// let (grant, granted) = oneshot::channel();
/// grant.send("yours").unwrap();
/// let answer = diagnose::wait("get license", &license, granted).await;
/// assert_eq!(answer, Ok("yours"));
/// # });
/// ```
#[must_use = "futures do nothing unless you `.await` or poll them"]
#[track_caller]
pub fn wait<F: Future>(
    name: &'static str,
    resource: &Resource,
    future: F,
) -> impl Future<Output = F::Output> + use<F> {
    let info = WaitInfo::on(resource.shared.record(), WaitMode::Custom, 1, Location::caller());
    Waiting { waited: WaitFuture::new(future, info), resource: resource.shared.clone() }.diagnose(name)
}

#[cfg(test)]
mod tests {
    use std::future::{pending, poll_fn, ready};
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::pin::pin;
    use std::sync::atomic::Ordering::Relaxed;
    use std::task::Waker;

    use super::*;
    use crate::pool;
    use crate::waits::test_view::queue;
    use crate::waits::{HoldingCopy, Record, Role, WaitCell, all_records};

    fn record(name: &str) -> Option<&'static Record> {
        let is_it = |record: &&'static Record| {
            record.identity().is_some_and(|(_, it)| it.name.as_deref() == Some(name))
        };
        all_records().into_iter().find(is_it)
    }

    fn holdings(record: &Record) -> Vec<HoldingCopy> {
        crate::waits::holdings().filter(|holding| holding.resource == record.id()).collect()
    }

    #[test]
    fn a_resource_has_its_name_until_its_last_part_is_dropped() {
        let resource = Resource::new("custom-named", 3);
        let known = record("custom-named").unwrap();
        let (_, identity) = known.identity().unwrap();
        assert_eq!(identity.made_at.file(), file!());
        assert_eq!(known.capacity.load(Relaxed), 3);
        let hold = resource.clone().hold_many(2);
        drop(resource);
        let held = holdings(known);
        assert_eq!(held.len(), 1);
        assert_eq!((held[0].role, held[0].units, held[0].is_movable), (Role::Holds, 2, true));
        drop(hold);
        assert!(record("custom-named").is_none());
    }

    #[test]
    fn a_waiter_is_in_the_queue_until_its_wait_is_dropped() {
        let resource = Resource::new("custom-queue", 1);
        let known = record("custom-queue").unwrap();
        {
            let mut waits = pin!(wait("waits", &resource, pending::<()>()));
            assert!(!known.has_waiting());
            let mut context = Context::from_waker(Waker::noop());
            assert!(waits.as_mut().poll(&mut context).is_pending());
            let queue = queue(known);
            assert_eq!(queue.len(), 1);
            assert_eq!((queue[0].mode, queue[0].units, queue[0].at.file()), (WaitMode::Custom, 1, file!()));
        }
        assert!(!known.has_waiting());
        let mut waits = pin!(wait("waits", &resource, ready(7)));
        assert_eq!(waits.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(7));
        assert!(!known.has_waiting());
    }

    #[test]
    fn a_first_poll_that_panics_leaves_no_wait() {
        let resource = Resource::new("custom-panics", 1);
        let chunks = || pool::chunks::<WaitCell>().len();
        let before = chunks();
        for _ in 0..10_000 {
            let panics = poll_fn(|context| -> Poll<()> {
                let _kept = context.waker().clone();
                resume_unwind(Box::new(()))
            });
            let mut waits = pin!(wait("waits", &resource, panics));
            let mut context = Context::from_waker(Waker::noop());
            let poll = AssertUnwindSafe(|| waits.as_mut().poll(&mut context));
            assert!(catch_unwind(poll).is_err());
        }
        // Other tests wait meanwhile.
        assert!(chunks() < before + 50);
    }
}
