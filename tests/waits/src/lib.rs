//! Helpers for tests of primitives: looking up resources in a snapshot.

use std::future::Future;
use std::pin::{Pin, pin};
use std::process::Command;
use std::task::{Context, Poll, Waker};

use diagnose::Snapshot;
use diagnose::model::{Resource, Wait};
use diagnose::tokio;

/// Returns the resource created at `line` of `file`, and its waits in queue order. Returns `None`
/// if it has no holder and no waiter.
#[must_use]
pub fn find(file: &str, line: u32) -> Option<(Resource, Vec<Wait>)> {
    find_in(&diagnose::snapshot(), file, line)
}

/// Like [`find`], in the given snapshot.
#[must_use]
pub fn find_in(snapshot: &Snapshot, file: &str, line: u32) -> Option<(Resource, Vec<Wait>)> {
    let is_it = |resource: &Resource| {
        resource.created.as_ref().is_some_and(|place| place.file == file && place.line == line)
    };
    let resource = snapshot.resources.iter().find(|resource| is_it(resource))?;
    let waits = snapshot.waits.iter().filter(|wait| wait.resource == Some(resource.id));
    Some((resource.clone(), waits.cloned().collect()))
}

/// Finds the resource created at the given line of the calling file.
#[macro_export]
macro_rules! made_in {
    ($line:expr) => {
        $crate::find(file!(), $line).expect("it is on record")
    };
}

/// Runs the named test of this binary in its own process, without other threads or switches.
/// Returns `true` in that process.
///
/// # Panics
/// If the test fails there.
#[must_use]
pub fn is_alone(test: &str) -> bool {
    const ALONE: &str = "DIAGNOSE_WAITS_TESTS_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let program = std::env::current_exe().expect("a test is a file");
    let status = Command::new(program).args(["--exact", test]).env(ALONE, "").status();
    assert!(status.expect("it starts").success(), "{test} fails in a process of its own");
    false
}

/// Lets all other tasks of a single-threaded runtime run until they wait.
pub async fn settle() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

/// Polls a future once with a waker that does nothing.
pub fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Returns the output of a future that is ready at its first poll.
///
/// # Panics
/// If the future is pending.
pub fn now<F: Future>(future: F) -> F::Output {
    match poll(pin!(future)) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits"),
    }
}
