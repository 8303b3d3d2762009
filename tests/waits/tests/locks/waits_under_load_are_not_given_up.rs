//! A snapshot of a lock that is in use counts no wait as given up that lasts, or was granted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use diagnose::tokio;
use diagnose::tokio::sync::Mutex;

#[test]
fn of_waits_that_are_all_granted_none_is_counted_as_given_up() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let (mutex, made) = (Arc::new(Mutex::new(0_u64)), line!());
    let is_over = Arc::new(AtomicBool::new(false));
    let acquires = |mutex: Arc<Mutex<u64>>, is_over: Arc<AtomicBool>| async move {
        while !is_over.load(Ordering::Relaxed) {
            let mut guard = mutex.lock().await;
            *guard += 1;
            tokio::task::yield_now().await;
        }
    };
    let tasks =
        std::array::from_fn::<_, 4, _>(|_| runtime.spawn(acquires(Arc::clone(&mutex), Arc::clone(&is_over))));
    let mut seen = 0;
    for _ in 0..500 {
        let snapshot = diagnose::snapshot();
        let is_it = |place: &diagnose::model::Place| place.line == made && place.file.ends_with(file!());
        let lock = snapshot.resources.iter().find(|it| it.created.as_ref().is_some_and(is_it));
        let Some(lock) = lock else { continue };
        let open = snapshot.waits.iter().filter(|wait| wait.resource == Some(lock.id)).count();
        let usage = &lock.usage;
        assert!(usage.contended <= usage.waited + open as u64, "{open} open of {usage:#?}");
        seen += u64::from(usage.waited > 0);
    }
    is_over.store(true, Ordering::Relaxed);
    runtime.block_on(async {
        for task in tasks {
            task.await.unwrap();
        }
    });
    // The test is about a lock that tasks wait for.
    assert!(seen > 0);
}
