//! The on/off switches of sites.
//!
//! Every site carries its own switch, so checking whether it is recorded is one load on the hot
//! path. This module lists all sites that were ever reached, and turns their switches.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

use crate::clock;
use crate::env;
use crate::pattern::Pattern;
use crate::site::Site;
use crate::sync::{ForkMutex, ForkMutexGuard};

/// The sites that were reached, and the settings for new ones.
struct Switchboard {
    sites: Vec<&'static Site>,
    enabled: bool,
    only: Option<Pattern>,
    /// Whether the environment was read, which happens first, at the first use of the crate.
    is_initialized: bool,
}

static SWITCHBOARD: ForkMutex<Switchboard> =
    ForkMutex::new(Switchboard { sites: Vec::new(), enabled: true, only: None, is_initialized: false });

/// Whether recording is on, for code that has no site.
static RECORDS: AtomicBool = AtomicBool::new(true);

/// The tick at which recording was last turned off, for all sites or some; zero if it never was.
static LAST_OFF: AtomicU64 = AtomicU64::new(0);

/// The parent of this process, if it is a forked child that must not use its parent's records; 0
/// otherwise.
static CUT_OFF_FROM: AtomicU32 = AtomicU32::new(0);

/// Whether only roots are recorded. Read at the first poll of a span, and wherever its node is
/// looked up again.
static TASKS_ONLY: AtomicBool = AtomicBool::new(false);

/// Whether futures are listed from their creation on. Read at each creation.
static LISTS_UNPOLLED: AtomicBool = AtomicBool::new(false);

/// Whether first polls take the slow path: only roots are recorded, or futures were listed before
/// their first poll.
static IS_SPECIAL: AtomicBool = AtomicBool::new(false);
/// Whether futures were ever listed before their first poll.
static HAS_LISTED: AtomicBool = AtomicBool::new(false);

/// Turns recording on or off for the whole process, at run time.
///
/// While it is off, a poll of an annotated future costs one relaxed load. Recorded data stays. A
/// wait that is open when recording is turned off ends in the records with its span's next poll or
/// its drop. If the beginning of a call was counted, its end is too, even while recording is off.
/// In a forked child that cannot use its parent's records, recording stays off: see
/// [`try_install`](crate::Builder::try_install).
///
/// # Examples
/// ```
/// #[diagnose::diagnose]
/// fn work() -> u32 { 7 }
///
/// diagnose::set_enabled(false);
/// work();
/// diagnose::set_enabled(true);
/// work();
/// # #[cfg(feature = "on")]
/// assert_eq!(diagnose::snapshot().nodes[0].calls, 1);
/// ```
pub fn set_enabled(enabled: bool) {
    let mut board = lock();
    let enabled = enabled && !is_cut_off();
    board.enabled = enabled;
    RECORDS.store(enabled, Relaxed);
    board.turn_all();
    if !enabled {
        note_off();
    }
}

/// Records that sites were turned off: a task that is polled from now on may be recorded no longer.
fn note_off() {
    LAST_OFF.store(clock::now(), Relaxed);
}

/// The tick from which each living task is known to be recorded, if its site is; zero if recording
/// was never turned off.
pub(crate) fn last_off() -> u64 {
    LAST_OFF.load(Relaxed)
}

/// The lock on the switches of all sites.
#[cfg(unix)]
pub(crate) struct Held(ForkMutexGuard<'static, Switchboard>);

/// Locks the switches until the guard is dropped.
#[cfg(unix)]
pub(crate) fn hold() -> Held {
    Held(lock())
}

#[cfg(unix)]
impl Held {
    /// Forgets the threads that wait, in a forked child.
    pub(crate) fn forget_waiting(&self) {
        self.0.forget_waiting();
    }

    /// Turns recording off for good, in a forked child that is cut off from this parent.
    pub(crate) fn cut_off(mut self, parent: u32) {
        CUT_OFF_FROM.store(parent, Relaxed);
        self.0.enabled = false;
        RECORDS.store(false, Relaxed);
        self.0.turn_all();
    }
}

/// Returns whether this process is a forked child whose parent may have held any lock at the fork.
/// Threads of such a child leak what they own rather than take a lock, which may never be released.
pub(crate) fn is_cut_off() -> bool {
    cut_off_from().is_some()
}

/// Returns the parent process whose records this child cannot read, because other threads recorded
/// at the fork.
pub(crate) fn cut_off_from() -> Option<u32> {
    Some(CUT_OFF_FROM.load(Relaxed)).filter(|parent| *parent != 0)
}

/// Returns whether recording is on, in one load. `true` until the environment was read.
#[inline]
pub(crate) fn records() -> bool {
    RECORDS.load(Relaxed)
}

/// Returns whether recording is on, once the environment was read.
pub(crate) fn is_enabled() -> bool {
    lock().enabled
}

/// Records only functions whose path matches. The others run as if they were not annotated.
pub(crate) fn set_only(only: Option<Pattern>) {
    let mut board = lock();
    if board.only != only {
        board.only = only;
        board.turn_all();
        note_off();
    }
}

/// Records only roots: tasks, and futures that are polled below no annotated future.
pub(crate) fn set_tasks_only(tasks_only: bool) {
    drop(lock());
    TASKS_ONLY.store(tasks_only, Relaxed);
    IS_SPECIAL.fetch_or(tasks_only, Relaxed);
}

pub(crate) fn tasks_only() -> bool {
    TASKS_ONLY.load(Relaxed)
}

/// Sets whether futures are listed before their first poll. Listed futures are still found after
/// this is turned off.
pub(crate) fn set_lists_unpolled(lists: bool) {
    IS_SPECIAL.fetch_or(lists, Relaxed);
    HAS_LISTED.fetch_or(lists, Relaxed);
    // Release pairs with the Acquire of `lists_unpolled`: a thread that lists a future also sees
    // that first polls take the slow path.
    LISTS_UNPOLLED.store(lists, Release);
}

#[inline]
pub(crate) fn lists_unpolled() -> bool {
    // Acquire pairs with the Release in `set_lists_unpolled`.
    LISTS_UNPOLLED.load(Acquire)
}

#[inline]
pub(crate) fn is_special() -> bool {
    IS_SPECIAL.load(Relaxed)
}

/// Returns whether futures are or were listed before their first poll.
#[inline]
pub(crate) fn has_listed_unpolled() -> bool {
    HAS_LISTED.load(Relaxed)
}

/// Registers a site at its first use. Returns whether it is recorded.
#[cold]
pub(crate) fn register(site: &'static Site) -> bool {
    let mut board = lock();
    let on = board.decides(site);
    if !site.is_registered() {
        board.sites.push(site);
    }
    site.turn(on);
    on
}

impl Switchboard {
    fn decides(&self, site: &Site) -> bool {
        let is_wanted = self.only.as_ref().is_none_or(|only| only.matches(site.module(), site.name));
        self.enabled && (is_wanted || site.is_in_place())
    }

    fn turn_all(&self) {
        for site in &self.sites {
            site.turn(self.decides(site));
        }
    }
}

/// Locks the switchboard. No user code runs under this lock.
fn lock() -> ForkMutexGuard<'static, Switchboard> {
    let mut board = SWITCHBOARD.lock();
    if !board.is_initialized {
        board.is_initialized = true;
        // The clock starts here and not in the first poll, because its start reads files.
        let _ = clock::now();
        board.enabled = env::enabled().unwrap_or(true);
        RECORDS.store(board.enabled, Relaxed);
        board.only = env::only();
        TASKS_ONLY.store(env::tasks_only(), Relaxed);
        IS_SPECIAL.fetch_or(env::tasks_only(), Relaxed);
    }
    board
}
