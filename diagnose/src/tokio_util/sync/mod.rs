//! `tokio_util::sync`: [`CancellationToken`] with its guards and futures, [`PollSender`] and [`PollSemaphore`] are wrapped; the
//! latter two are around the channels and semaphores of [`diagnose::tokio`](crate::tokio).

// The original's functions have none, and a program that is free of warnings shall stay so.
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
