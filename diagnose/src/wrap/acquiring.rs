//! Futures that acquire a lock for an owned guard.
//!
//! The original's keeps an `Arc` of the original. Here the first poll tries, as the original does.
//! If that gets nothing, a future that borrows is made, on the heap, and kept in an [`Owned`] until
//! it becomes the guard there.

use std::sync::Arc;

use super::{Kind, Owned};
use crate::waits::WaitInfo;

/// How far such a future is. `S` is the kind of the future that borrows.
pub(crate) enum Acquiring<L: ?Sized, S: for<'a> Kind<'a, L>> {
    /// Not polled yet.
    New(Arc<L>, WaitInfo),
    /// It waits.
    Waiting(Owned<L, S>),
    /// It has its guard.
    Ready,
}

/// Polls an [`Acquiring`]: a guard of that kind, with its holding, for the `of` of an owned guard.
///
/// It is a macro since no bound says that the kind of a future is one of futures.
///
/// ```text
/// poll_acquiring!(state, context, Locked<T>, |it| it.mutex.try_lock(), it.mutex.lock(), "polled after completion")
/// ```
macro_rules! poll_acquiring {
    ($state:expr, $context:expr, $kind:ty, |$it:ident| $try:expr, $wait:expr, $panic:literal) => {{
        use ::std::task::Poll;
        use $crate::waits::{Holding, WaitFuture};
        use $crate::wrap::{Acquiring, Owned};

        let (state, context) = ($state, $context);
        let took = match ::std::mem::replace(state, Acquiring::Ready) {
            Acquiring::New(lock, leaf) => {
                let took = Owned::<_, $kind>::try_new(lock, |$it| match $try {
                    Some(guard) => Ok((guard, leaf.hold(true, false))),
                    None => Err(leaf),
                });
                took.map_err(|(lock, leaf)| {
                    Owned::new(lock, |$it| (Box::pin(WaitFuture::new($wait, leaf)), ())).0
                })
            }
            Acquiring::Waiting(waiting) => Err(waiting),
            Acquiring::Ready => panic!($panic),
        };
        match took {
            Ok(guard) => Poll::Ready(guard),
            Err(waiting) => {
                let mut holding = Holding::NONE;
                let turned = waiting.try_turn::<$kind>(|mut waited, _| match waited.as_mut().poll(context) {
                    Poll::Ready(guard) => {
                        holding = waited.hold(true);
                        Ok(guard)
                    }
                    Poll::Pending => Err(waited),
                });
                match turned {
                    Ok(guard) => Poll::Ready((guard, holding)),
                    Err(waiting) => {
                        *state = Acquiring::Waiting(waiting);
                        Poll::Pending
                    }
                }
            }
        }
    }};
}

pub(crate) use poll_acquiring;
