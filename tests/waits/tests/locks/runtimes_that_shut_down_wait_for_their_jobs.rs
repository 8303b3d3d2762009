//! Dropping a runtime is recorded as a wait for its blocking code.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use diagnose::model::{Wait, WaitMode};
use diagnose::tokio::runtime::Builder;

/// Returns the wait of the thread that drops the runtime built at `line`.
fn shutdown(line: u32) -> Option<Wait> {
    let is_it = |wait: &Wait| {
        let place = wait.place.as_ref();
        wait.mode == WaitMode::Shutdown
            && place.is_some_and(|place| (place.file.as_str(), place.line) == (file!(), line))
    };
    diagnose::snapshot().waits.into_iter().find(is_it)
}

#[test]
fn dropping_a_runtime_is_a_wait_for_its_jobs() {
    let (runtime, built) = (Builder::new_current_thread().build().unwrap(), line!());
    let (ends, has_ended) = mpsc::channel::<()>();
    let job = runtime.spawn_blocking(move || has_ended.recv().is_err());
    drop(job);
    let drops = thread::spawn(move || drop(runtime));
    let wait = loop {
        match shutdown(built) {
            Some(wait) => break wait,
            None => thread::sleep(Duration::from_millis(1)),
        }
    };
    assert_eq!((wait.tasks.len(), wait.task), (1, None));
    assert!(wait.thread_id.is_some());
    drop(ends);
    drops.join().unwrap();
    assert!(shutdown(built).is_none());
}

#[test]
fn shutdown_background_waits_for_no_job() {
    let (runtime, built) = (Builder::new_current_thread().build().unwrap(), line!());
    let (ends, has_ended) = mpsc::channel::<()>();
    drop(runtime.spawn_blocking(move || has_ended.recv().is_err()));
    runtime.shutdown_background();
    assert!(shutdown(built).is_none());
    drop(ends);
}
