//! State machine of futures that acquire an owned guard.
//!
//! The original's future keeps an `Arc` of the original. Here the first poll tries to acquire
//! without waiting, as the original does. On failure it boxes a borrowing future and keeps it in an
//! [`Owned`] until it becomes the guard there.

use std::sync::Arc;

use super::{Kind, Owned};
use crate::waits::WaitInfo;

/// State of a future that acquires an owned guard. `S` is the kind of the borrowing future.
pub(crate) enum Acquiring<L: ?Sized, S: for<'a> Kind<'a, L>> {
    /// Not polled yet.
    New(Arc<L>, WaitInfo),
    /// Waiting for the lock.
    Waiting(Owned<L, S>),
    /// Completed: the guard was returned.
    Ready,
}

/// Polls an [`Acquiring`]. Returns the guard and its holding, for an owned guard's `of`.
///
/// This is a macro because no bound can say that every guard of a [`Kind`] is a future.
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
            Acquiring::New(lock, info) => {
                let took = Owned::<_, $kind>::try_new(lock, |$it| match $try {
                    Some(guard) => Ok((guard, info.hold(true, false))),
                    None => Err(info),
                });
                took.map_err(|(lock, info)| {
                    Owned::new(lock, |$it| (Box::pin(WaitFuture::new($wait, info)), ())).0
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
