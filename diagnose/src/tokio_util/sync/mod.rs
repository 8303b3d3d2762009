//! `tokio_util::sync`, with cancellation tokens recorded. [`PollSender`] and [`PollSemaphore`] wrap
//! the types of [`diagnose::tokio`](crate::tokio).

// tokio-util marks none of these functions `must_use`, so they must not warn here.
#![allow(clippy::must_use_candidate)]

mod cancelled;
mod drop_guard;
mod poll_semaphore;
mod poll_sender;
mod token;

pub use self::cancelled::{WaitForCancellationFuture, WaitForCancellationFutureOwned};
pub use self::drop_guard::{DropGuard, DropGuardRef};
pub use self::poll_semaphore::PollSemaphore;
pub use self::poll_sender::{PollSendError, PollSender};
pub use self::token::CancellationToken;
pub use ::tokio_util::sync::*;
