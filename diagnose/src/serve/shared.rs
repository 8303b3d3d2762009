//! The last snapshot and the pages made of it, shared by all requests of about a second.
//!
//! A snapshot is used for a second, or for three times as long as it and its pages took. So making
//! pages takes at most a quarter of one processor, however many clients ask. Then it is freed: by
//! the server's thread, or by one that [`free_later`] starts.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use diagnose_reports::Snapshot;

use super::page::{Made, Page};
use crate::own_thread;
use crate::snapshot::snapshot;
use crate::sync::Mutex;

/// Minimum time for which a snapshot answers requests.
const LIFETIME: Duration = Duration::from_secs(1);
/// Minimum time for which a snapshot can begin a profile. It is short, because the seconds of that
/// profile count from the snapshot, not from the request.
const START_LIFETIME: Duration = Duration::from_millis(50);
/// Maximum time that a request waits for pages that another request makes.
const PATIENCE: Duration = Duration::from_secs(60);
/// A snapshot answers for at least this many times the time that it and its pages took.
const SHARE: u32 = 3;

static SHARED: Mutex<Option<Shared>> = Mutex::new(None);

/// Id of the process whose thread frees the shared snapshot; 0 if there is no such thread. The
/// thread sets it to 0 under the lock of [`SHARED`], once nothing is left.
static FREEING: AtomicU32 = AtomicU32::new(0);

/// A page, or else the status of the answer and the reason.
pub(super) type MadePage = Result<Arc<Made>, (u16, String)>;

struct Shared {
    /// Id of the process: a forked child has its own records.
    process: u32,
    taken: Instant,
    /// Time that the snapshot and its pages took so far.
    took: Duration,
    snapshot: Arc<Snapshot>,
    pages: Vec<(Page, MadePage)>,
}

impl Shared {
    fn take() -> Self {
        let taken = Instant::now();
        let snapshot = Arc::new(snapshot());
        Self { process: std::process::id(), taken, took: taken.elapsed(), snapshot, pages: Vec::new() }
    }

    fn is_fresh(&self, lifetime: Duration) -> bool {
        let lifetime = lifetime.max(self.took.saturating_mul(SHARE));
        self.taken.elapsed() < lifetime && self.process == std::process::id()
    }
}

/// Returns a snapshot for the start of a profile; `None` if it takes too long.
pub(super) fn start() -> Option<Arc<Snapshot>> {
    with_fresh(START_LIFETIME, |shared| Arc::clone(&shared.snapshot))
}

/// Returns the page of a recent snapshot.
pub(super) fn page(page: Page) -> MadePage {
    let made = with_fresh(LIFETIME, |shared| {
        if let Some((_, made)) = shared.pages.iter().find(|(known, _)| *known == page) {
            return made.clone();
        }
        let began = Instant::now();
        let made = make(page, &shared.snapshot);
        shared.took += began.elapsed();
        shared.pages.push((page, made.clone()));
        made
    });
    made.unwrap_or_else(|| Err((503, "another report is still being made".to_owned())))
}

/// Returns the page of what was recorded after `earlier`.
pub(super) fn page_since(page: Page, earlier: &Snapshot) -> MadePage {
    // Not the shared snapshot: it may be older than the end of the recorded time.
    make(page, &snapshot().since(earlier))
}

/// Frees the snapshot and its pages if they are out of date. Returns whether there is nothing left.
pub(super) fn free_old() -> bool {
    free_old_and(|| {})
}

/// Like [`free_old`]. Calls `then` under the lock if there is nothing left.
fn free_old_and(then: impl FnOnce()) -> bool {
    let Some(mut shared) = SHARED.try_lock() else { return false };
    if shared.as_ref().is_some_and(|shared| !shared.is_fresh(LIFETIME)) {
        *shared = None;
    }
    if shared.is_none() {
        then();
    }
    shared.is_none()
}

/// Frees the snapshot and its pages once they are out of date, on a thread of its own that ends
/// then. Requests that do not go through the built-in server need this, even while that server
/// waits for a client.
pub(super) fn free_later() {
    if SHARED.try_lock().is_some_and(|shared| shared.is_none()) {
        return;
    }
    let process = std::process::id();
    if FREEING.swap(process, Relaxed) == process {
        return;
    }
    let free = || {
        while !own_thread::work(|| free_old_and(|| FREEING.store(0, Relaxed))) {
            thread::sleep(LIFETIME);
        }
    };
    if own_thread::spawn("diagnose-free", free).is_err() {
        FREEING.store(0, Relaxed);
        if let Some(mut shared) = SHARED.try_lock() {
            *shared = None;
        }
    }
}

/// Reads the shared snapshot. Returns `None` if another thread makes pages for too long. In a
/// forked child, that thread may not exist.
fn with_fresh<R>(lifetime: Duration, read: impl FnOnce(&mut Shared) -> R) -> Option<R> {
    let mut shared = SHARED.try_lock_for(PATIENCE)?;
    if shared.as_ref().is_some_and(|shared| !shared.is_fresh(lifetime)) {
        *shared = None;
    }
    Some(read(shared.get_or_insert_with(Shared::take)))
}

fn make(page: Page, snapshot: &Snapshot) -> MadePage {
    let made = catch_unwind(AssertUnwindSafe(|| page.make(snapshot)));
    match made {
        Ok(made) => made.map(Arc::new).map_err(|missing_feature| (501, missing_feature)),
        Err(_) => Err((500, "this report cannot be made of what is recorded".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread::sleep;
    use std::time::Duration;

    use super::SHARED;
    use crate::serve::respond;

    #[test]
    fn a_snapshot_without_a_server_is_freed() {
        assert_eq!(respond("/nothing").status, 404);
        assert!(SHARED.lock().is_none(), "it needs no snapshot");
        for page in ["/tasks", "/report.txt"] {
            assert_eq!(respond(page).status, 200);
            let shared = SHARED.lock().as_ref().map(|shared| Arc::downgrade(&shared.snapshot));
            while shared.as_ref().is_some_and(|snapshot| snapshot.upgrade().is_some()) {
                sleep(Duration::from_millis(1));
            }
        }
    }
}
