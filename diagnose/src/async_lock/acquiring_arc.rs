//! Futures that acquire a lock for a guard that keeps it.
//!
//! The original's has an `Arc` of the original. Here the first poll tries, as the original does; if that gets nothing, a
//! future of the kind that borrows is made, on the heap, and kept beside the `Arc`, until it becomes the guard there.

use std::sync::Arc;

use crate::waits::WaitInfo;
use crate::wrap::{Kind, Owned};

/// How far it is. `S` is the future.
pub(super) enum State<L: ?Sized, S: for<'a> Kind<'a, L>> {
    /// Not polled yet.
    New(Arc<L>, WaitInfo),
    /// It waits.
    Waiting(Owned<L, S>),
    /// It has its guard.
    Ready,
}

/// The future of that name. `$kinds` are the lock, its guard and its future.
macro_rules! acquiring_arc {
    (
        $(#[$meta:meta])* $name:ident [$($parameters:tt)*] [$($arguments:tt)*]
        ($lock:ty, $locked:ty, $locking:ty) $guard:ty, |$it:ident| $try:expr, |$other:ident| $wait:expr
    ) => {
        ::pin_project_lite::pin_project! {
            $(#[$meta])*
            ///
            /// Dropping it gives up its place in the queue, as the original does.
            pub struct $name<$($parameters)*> {
                state: $crate::async_lock::acquiring_arc::State<$lock, $locking>,
                // The parameters of the original, which is not `Unpin`.
                #[pin]
                like: ::std::marker::PhantomData<::async_lock::futures::$name<$($arguments)*>>,
                #[pin]
                pinned: ::std::marker::PhantomPinned,
            }
        }

        #[allow(single_use_lifetimes)]
        impl<$($parameters)*> $name<$($arguments)*> {
            #[inline]
            pub(super) fn new(lock: ::std::sync::Arc<$lock>, leaf: $crate::waits::WaitInfo) -> Self {
                Self {
                    state: $crate::async_lock::acquiring_arc::State::New(lock, leaf),
                    like: ::std::marker::PhantomData,
                    pinned: ::std::marker::PhantomPinned,
                }
            }
        }

        #[allow(single_use_lifetimes)] // With other parameters it is not.
        impl<$($parameters)*> ::std::future::Future for $name<$($arguments)*> {
            type Output = $guard;

            #[inline]
            fn poll(
                self: ::std::pin::Pin<&mut Self>,
                context: &mut ::std::task::Context<'_>,
            ) -> ::std::task::Poll<$guard> {
                use $crate::async_lock::acquiring_arc::State;
                use $crate::waits::WaitFuture;
                use $crate::wrap::Owned;

                let state = self.project().state;
                let waiting: Owned<$lock, $locking> = match ::std::mem::replace(state, State::Ready) {
                    State::New(lock, leaf) => {
                        let took = Owned::<$lock, $locked>::try_new(lock, |$it| match $try {
                            Some(guard) => Ok((guard, leaf.hold(true, false))),
                            None => Err(leaf),
                        });
                        match took {
                            Ok(guard) => return ::std::task::Poll::Ready(<$guard>::of(guard)),
                            Err((lock, leaf)) => {
                                Owned::new(lock, |$other| (Box::pin(WaitFuture::new($wait, leaf)), ())).0
                            }
                        }
                    }
                    State::Waiting(waiting) => waiting,
                    State::Ready => panic!("future polled after completion"),
                };
                let mut holding = Holding::NONE;
                let turned = waiting.try_turn::<$locked>(|mut waited, _| match waited.as_mut().poll(context) {
                    ::std::task::Poll::Ready(guard) => {
                        holding = waited.hold(true);
                        Ok(guard)
                    }
                    ::std::task::Poll::Pending => Err(waited),
                });
                match turned {
                    Ok(guard) => ::std::task::Poll::Ready(<$guard>::new(holding, guard)),
                    Err(waiting) => {
                        *state = State::Waiting(waiting);
                        ::std::task::Poll::Pending
                    }
                }
            }
        }

        #[allow(single_use_lifetimes)] // With other parameters it is not.
        impl<$($parameters)*> ::std::fmt::Debug for $name<$($arguments)*> {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(concat!(stringify!($name), " { .. }"))
            }
        }
    };
}

pub(super) use acquiring_arc;
