//! Dropping a runtime is recorded as a wait for its blocking code.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use diagnose::model::{Task, Wait, WaitMode};
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

/// Waits until the job spawned at `line` sleeps in the kernel as expected. Systems may not say what
/// a thread sleeps in.
#[cfg(target_os = "linux")]
fn is_seen(line: u32, waits_for_thread: bool) -> bool {
    let end = Instant::now() + Duration::from_secs(60);
    let is_it = |task: &Task| {
        let place = task.spawned_at.as_ref();
        place.is_some_and(|place| (place.file.as_str(), place.line) == (file!(), line))
    };
    while Instant::now() < end {
        let task = diagnose::snapshot().tasks.into_iter().find(is_it);
        let sleeps = task.filter(|task| task.is_asleep == Some(true));
        if sleeps.is_some_and(|task| task.waits_for_thread.is_none_or(|it| it == waits_for_thread)) {
            return true;
        }
        thread::sleep(Duration::from_millis(1));
    }
    false
}

#[cfg(target_os = "linux")]
#[test]
fn a_job_with_a_time_limit_waits_for_no_thread() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let (ends, has_ended) = mpsc::channel::<()>();
    let (waits, line) = (runtime.spawn_blocking(move || has_ended.recv().is_err()), line!());
    assert!(is_seen(line, true));
    let (limited_ends, has_ended) = mpsc::channel::<()>();
    let limit = Duration::from_secs(600);
    let (limited, line) = (runtime.spawn_blocking(move || has_ended.recv_timeout(limit).is_err()), line!());
    assert!(is_seen(line, false));
    drop((ends, limited_ends));
    assert!(runtime.block_on(waits).unwrap() && runtime.block_on(limited).unwrap());
}
