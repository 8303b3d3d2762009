//! Decides whether a forked child may use the records of its parent.
//!
//! Only the forking thread goes on in the child. Changes that the other threads had begun stay half
//! done, and locks that they held stay locked.
//!
//! ```text
//! no other thread records   the child has its parent's records, and goes on with them
//! other threads record      the child is cut off: it records nothing for good, takes no lock that
//!                           another thread may have held, and its snapshots say why
//! ```
//! A fork waits until this crate's own threads hold no lock, and no other thread takes a snapshot.
//! If that takes too long, the child is cut off too. A child that calls `exec` at once is not
//! affected.
//!
//! Unsafe code is in this file: `pthread_atfork` is a call into C.

#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ffi::c_int;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::snapshot::{self, CaptureTurn};
use crate::{context, own_thread, switch, tree};

/// How long a fork waits for another thread's capture and for this crate's threads.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether other threads record while this process forks.
static IS_SHARED: AtomicBool = AtomicBool::new(false);

/// The locks that the forking thread holds during the fork. No thread-local: a thread may fork in
/// its last moments.
static HELD: HeldByFork = HeldByFork(UnsafeCell::new(None));

struct HeldByFork(UnsafeCell<Option<HeldLocks>>);

// SAFETY: only a thread that holds the switches' lock, which is among these locks, accesses the
// cell.
unsafe impl Sync for HeldByFork {}

struct HeldLocks {
    turn: Option<CaptureTurn>,
    switch: switch::Held,
    process: u32,
}

unsafe extern "C" {
    fn pthread_atfork(
        prepare: Option<unsafe extern "C" fn()>,
        parent: Option<unsafe extern "C" fn()>,
        child: Option<unsafe extern "C" fn()>,
    ) -> c_int;
}

/// Watches forks from now on. A thread calls this before it records for the first time.
#[cold]
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the functions have the required type and never unwind. If the call runs out of
        // memory, forks are not watched.
        unsafe { pthread_atfork(Some(prepare), Some(in_parent), Some(in_child)) };
    });
}

unsafe extern "C" fn prepare() {
    let began = Instant::now();
    let is_quiet = own_thread::pause(PATIENCE);
    let turn = snapshot::turn(PATIENCE.saturating_sub(began.elapsed()));
    let switch = switch::hold();
    let own = usize::from(context::context().tree.is_some());
    // Without the turn, another thread's capture goes on and holds other locks.
    IS_SHARED.store(tree::leased() > own || turn.is_none() || !is_quiet, Relaxed);
    let held = HeldLocks { turn, switch, process: std::process::id() };
    // SAFETY: `held` has the lock.
    unsafe { *HELD.0.get() = Some(held) };
}

unsafe extern "C" fn in_parent() {
    drop(take_held());
    own_thread::resume();
}

unsafe extern "C" fn in_child() {
    crate::serve::close_in_child();
    own_thread::forget_all();
    let Some(HeldLocks { turn, switch, process }) = take_held() else { return };
    turn.iter().for_each(CaptureTurn::forget_waiting);
    switch.forget_waiting();
    if IS_SHARED.load(Relaxed) {
        switch.cut_off(process);
    }
}

/// Takes the locks that [`prepare`] has left for the end of the fork.
fn take_held() -> Option<HeldLocks> {
    // SAFETY: this thread has run `prepare`, and so holds the lock until the result is dropped.
    unsafe { (*HELD.0.get()).take() }
}
