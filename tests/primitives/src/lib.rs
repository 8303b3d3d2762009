//! Helpers for the tests of this package: polls by hand, and tests for a trait.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// Polls a future once with a waker that does nothing.
pub fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
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

/// Returns whether a type has a trait.
#[macro_export]
macro_rules! is {
    ($bound:path, $type:ty) => {{
        struct Asked<T: ?Sized>(::std::marker::PhantomData<T>);
        #[allow(dead_code)]
        trait Otherwise {
            const IS: bool = false;
        }
        impl<T: ?Sized> Otherwise for Asked<T> {}
        #[allow(dead_code)]
        impl<T: ?Sized + $bound> Asked<T> {
            const IS: bool = true;
        }
        <Asked<$type>>::IS
    }};
}
