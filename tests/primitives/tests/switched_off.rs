//! A lock can be acquired and released with recording switched in between.

use std::pin::pin;
use std::sync::Arc;

use diagnose::async_lock::{Mutex, OnceCell, Semaphore};
use diagnose_primitives_tests::{now, poll_once};

#[test]
fn locks_work_while_recording_is_switched_on_and_off() {
    diagnose_isolation::isolated!();
    for (first, second) in [(false, true), (true, false), (false, false)] {
        diagnose::set_enabled(first);
        let mutex = Arc::new(Mutex::new(0));
        let semaphore = Arc::new(Semaphore::new(1));
        let cell = OnceCell::new();
        let guard = now(mutex.lock_arc());
        let permit = now(semaphore.acquire_arc());
        let mut lock = pin!(mutex.lock());
        let mut acquire = pin!(semaphore.acquire());
        let mut value = pin!(cell.wait());
        assert!(poll_once(lock.as_mut()).is_pending());
        assert!(poll_once(acquire.as_mut()).is_pending());
        assert!(poll_once(value.as_mut()).is_pending());
        diagnose::set_enabled(second);
        assert!(poll_once(lock.as_mut()).is_pending());
        let mut late = pin!(mutex.lock_arc());
        assert!(poll_once(late.as_mut()).is_pending());
        drop((guard, permit));
        assert!(poll_once(acquire.as_mut()).is_ready());
        assert_eq!(now(cell.get_or_init(|| async { 1 })), &1);
        assert!(poll_once(value.as_mut()).is_ready());
        assert!(poll_once(lock.as_mut()).is_ready());
        assert!(poll_once(late.as_mut()).is_ready());
    }
    diagnose::set_enabled(true);
}
