//! Helpers for these tests: polls by hand, and a future that counts its polls.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// Polls a future once with a waker that does nothing.
pub fn poll_once<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Returns the output of a future that is ready at its first poll.
///
/// # Panics
/// If the future is pending.
pub fn now<F: Future>(future: F) -> F::Output {
    match poll_once(std::pin::pin!(future)) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits"),
    }
}

/// A future that is never ready and counts its polls.
#[derive(Debug, Default)]
pub struct Counting(pub Cell<u32>);

impl Future for &Counting {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        self.0.set(self.0.get() + 1);
        Poll::Pending
    }
}
