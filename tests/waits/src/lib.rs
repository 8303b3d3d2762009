//! What the tests of primitives look at snapshots with.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use diagnose::tokio;
use diagnose::{ListedResource, Snapshot, Wait};

/// The resource that was made in that line of that file, and its waits in the order of their queue. `None` if nobody has a
/// stake in it or waits for it.
#[must_use]
pub fn find(file: &str, line: u32) -> Option<(ListedResource, Vec<Wait>)> {
    find_in(&diagnose::snapshot(), file, line)
}

/// The same in a snapshot.
#[must_use]
pub fn find_in(snapshot: &Snapshot, file: &str, line: u32) -> Option<(ListedResource, Vec<Wait>)> {
    let is_it = |resource: &ListedResource| {
        resource.created.as_ref().is_some_and(|place| place.file == file && place.line == line)
    };
    let number = snapshot.resources.iter().position(is_it)?;
    let waits = snapshot.waits.iter().filter(|wait| wait.resource == Some(number));
    Some((snapshot.resources[number].clone(), waits.cloned().collect()))
}

/// The resource that was made in that line of this file.
#[macro_export]
macro_rules! made_in {
    ($line:expr) => {
        $crate::find(file!(), $line).expect("it is on record")
    };
}

/// Lets all other tasks of a runtime with one thread run until they wait.
pub async fn settle() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

/// Polls a future once, for nobody.
pub fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Runs a future that does not wait.
///
/// # Panics
/// If it does.
pub fn now<F: Future>(future: F) -> F::Output {
    match poll(pin!(future)) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits"),
    }
}
