//! What a forked child may do with what its parent has recorded.
//!
//! Of all threads only the one that forks goes on in the child. What the other threads were changing stays half changed, and
//! locks that they held stay locked.
//!
//! ```text
//! no other thread records   the child has the records of its parent, and goes on with them
//! other threads record      the child is cut off: nothing is recorded in it, and its snapshots say why they are empty
//! ```
//! The handlers of `fork` take the few locks that this crate's own threads use, so that these are free in the child. A child
//! that calls `exec` at once notices nothing.
//!
//! Unsafe is kept in this file: `pthread_atfork` is a call into C.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use crate::snapshot::{self, CaptureTurn};
use crate::{context, switch, tree};

/// How long a fork waits for a capture that another thread takes.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether other threads record while this process is being forked.
static IS_SHARED: AtomicBool = AtomicBool::new(false);
/// The process that this one was forked from while other threads recorded; zero if it was not.
static PARENT: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// What the forking thread holds meanwhile.
    static HELD: Cell<Option<HeldLocks>> = const { Cell::new(None) };
}

struct HeldLocks {
    _turn: Option<CaptureTurn>,
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

/// Watches forks from now on. A thread calls it before it records for the first time.
#[cold]
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the functions have the required type and never unwind. Without memory for it, forks are not watched.
        unsafe { pthread_atfork(Some(prepare), Some(in_parent), Some(in_child)) };
    });
}

/// The process whose records this one cannot read, because it was forked from it while other threads recorded.
pub(crate) fn cut_off_from() -> Option<u32> {
    Some(PARENT.load(Relaxed)).filter(|process| *process != 0)
}

unsafe extern "C" fn prepare() {
    let turn = snapshot::turn(PATIENCE);
    let switch = switch::hold();
    let own = usize::from(context::context().tree.is_some());
    // Where it is not this thread's turn, a capture goes on in another thread, and holds other locks.
    IS_SHARED.store(tree::leased() > own || turn.is_none(), Relaxed);
    let held = HeldLocks { _turn: turn, switch, process: std::process::id() };
    let _ = HELD.try_with(|place| place.set(Some(held)));
}

unsafe extern "C" fn in_parent() {
    drop(HELD.try_with(Cell::take));
}

unsafe extern "C" fn in_child() {
    let Some(HeldLocks { switch, process, .. }) = HELD.try_with(Cell::take).ok().flatten() else { return };
    if IS_SHARED.load(Relaxed) {
        PARENT.store(process, Relaxed);
        switch.turn_off();
    }
}
