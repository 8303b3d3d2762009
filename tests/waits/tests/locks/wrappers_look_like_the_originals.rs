//! A wrapper's `Debug` output is that of the original.

use std::pin::pin;
use std::sync::Arc;

use ::tokio::sync as real;
use diagnose::tokio::sync as ours;
use diagnose_waits_tests::now;

macro_rules! shown {
    ($sync:ident) => {{
        let (mutex, lock) = ($sync::Mutex::new(1), $sync::RwLock::new(1));
        let semaphore = Arc::new($sync::Semaphore::new(2));
        let notify = Arc::new($sync::Notify::new());
        let free = format!("{mutex:?} {lock:?}");
        let guards = (now(mutex.lock()), now(lock.write()));
        let permit = semaphore.try_acquire().unwrap();
        let owned = Arc::clone(&semaphore).try_acquire_owned().unwrap();
        let cell = $sync::OnceCell::new_with(Some(1));
        let set = $sync::SetOnce::new_with(Some(1));
        [
            free,
            format!("{mutex:?} {lock:?} {guards:?}"),
            format!("{semaphore:?} {permit:?} {owned:?}"),
            format!("{cell:?} {set:?} {:?}", $sync::OnceCell::<u8>::new()),
            format!("{:?} {:?}", $sync::Barrier::new(2), $sync::Notify::new()),
            format!("{:?}", pin!(notify.notified())),
            format!("{:?}", pin!(Arc::clone(&notify).notified_owned())),
        ]
    }};
}

#[test]
fn debug_output_is_that_of_the_original() {
    assert_eq!(shown!(ours), shown!(real));
}
