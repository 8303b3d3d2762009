//! A drop-in for tokio that records tasks, worker threads, locks, channels and timers.
//!
//! One `use` per module is enough. The rest of the program stays as it is:
//! ```
//! use diagnose::tokio;
//!
//! async fn answer() -> u32 {
//!     tokio::time::sleep(std::time::Duration::from_millis(1)).await;
//!     42
//! }
//!
//! #[tokio::main]
//! async fn main() {
//!     let task = tokio::spawn(answer());
//! #   #[cfg(feature = "on")]
//!     println!("{}", diagnose::tree());
//!     assert_eq!(task.await.unwrap(), 42);
//! }
//! ```
//! The dump lists the tasks `main` and `answer`, although neither is annotated. It shows each
//! task's name, place of spawn, spawner and state. In the flame graph each task is a root. A future
//! that is annotated, or named by `.diagnose("…")`, is itself the root.
//!
//! Each module that names tokio needs the `use`. With `mod tests { use super::*; … }`, the compiler
//! rejects `#[tokio::test]` as ambiguous until that module has the `use`, too.
//!
//! # Wrapped types
//!
//! Everything is re-exported, macros and attributes included: `#[tokio::main]`, `#[tokio::test]`
//! and `tokio::select!` are tokio's. These are wrapped:
//!
//! - [`spawn`] and the functions of [`task`] that spawn, [`task::JoinSet`], [`task::LocalSet`];
//!   [`task::yield_now`], after which tokio wakes the task;
//! - [`runtime::Runtime`], [`runtime::LocalRuntime`], [`runtime::Handle`]: the tasks they spawn,
//!   and the future of `block_on`, which is the task `main`;
//! - [`runtime::Builder`]: records when its worker threads start, park, unpark and stop, before or
//!   after the program's own hook;
//! - [`task::JoinHandle`] and [`task::AbortHandle`], and the types defined in [`sync`], [`time`]
//!   and [`io`]: waiters, holders and possible senders are recorded.
//!
//! Scheduling, cancellation, panics and bounds are tokio's. `task::Builder`, which exists only with
//! `--cfg tokio_unstable`, spawns tasks that are not recorded.
//!
//! Locks, channel ends, runtimes and sets of tasks deref to tokio's own types. For crates that
//! expect tokio's types, `.into()` converts to them, and `From` converts back. Both also compile
//! without the feature `on`, where this module is tokio itself. `into_inner`, or `into_tokio` of a
//! lock, exists with the feature `on` only. Use of tokio's own type is not recorded. Once a lock or
//! a channel end was dereferenced or converted, any task may use it. From then on, no verdict is
//! proven that an unrecorded use could refute.
//!
//! # Types of other crates
//!
//! The wrappers of `tokio_stream` take tokio's own types. Convert to them with `.into()`:
//!
//! ```
//! use diagnose::tokio::{sync::{broadcast, mpsc, watch}, time};
//! use tokio_stream::wrappers::{
//!     BroadcastStream, IntervalStream, ReceiverStream, UnboundedReceiverStream, WatchStream,
//! };
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let (_sender, receiver) = mpsc::channel::<u32>(1);
//! let _: ReceiverStream<u32> = ReceiverStream::new(receiver.into());
//! let (_sender, receiver) = mpsc::unbounded_channel::<u32>();
//! let _: UnboundedReceiverStream<u32> = UnboundedReceiverStream::new(receiver.into());
//! let (_sender, receiver) = broadcast::channel::<u32>(1);
//! let _: BroadcastStream<u32> = BroadcastStream::new(receiver.into());
//! let (_sender, receiver) = watch::channel(1_u32);
//! let _: WatchStream<u32> = WatchStream::new(receiver.into());
//! let interval = time::interval(std::time::Duration::from_secs(1));
//! let _: IntervalStream = IntervalStream::new(interval.into());
//! # }
//! ```
//! The types of `tokio_util` also take tokio's own types. With the feature `tokio-util`,
//! `PollSender`, `PollSemaphore` and `AbortOnDropHandle` of `diagnose::tokio_util` take the
//! wrappers and keep recording. Its `TaskTracker` lists the tasks that it spawns. Tasks that
//! tokio-util's own `TaskTracker` spawns are not recorded: call its `track_future`, and [`spawn`]
//! the result.
//!
//! ```
//! use std::sync::Arc;
//!
//! use diagnose::tokio::{self, sync::{Semaphore, mpsc}};
//! use tokio_util::sync::{PollSemaphore, PollSender};
//! use tokio_util::task::{AbortOnDropHandle, TaskTracker};
//!
//! # #[::tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let (sender, _receiver) = mpsc::channel::<u32>(1);
//! let _: PollSender<u32> = PollSender::new(sender.into());
//! let semaphore = Semaphore::new(1);
//! let _: PollSemaphore = PollSemaphore::new(Arc::new(semaphore.into()));
//! let task = AbortOnDropHandle::new(tokio::spawn(async { 42 }).into());
//! assert_eq!(task.await.unwrap(), 42);
//! let tracker = TaskTracker::new();
//! tokio::spawn(tracker.track_future(async { 42 }));
//! tracker.close();
//! tracker.wait().await;
//! # }
//! ```
//!
//! # Tasks of other code
//!
//! Code that does not use this module, such as a server library, spawns tasks too. They are listed
//! with the feature `tokio-hooks` and `RUSTFLAGS="--cfg tokio_unstable"`, on runtimes that are
//! built through this module. A dump shows their place of spawn, state, polls and busy time. Their
//! wakes are not recorded, and they have no node in the trees.
//!
//! Without the feature `on` this module is tokio itself.

#[cfg(all(feature = "tokio-hooks", tokio_unstable))]
pub(crate) mod hooks;
pub mod io;
pub mod runtime;
pub mod sync;
pub mod task;
pub mod time;

pub(crate) use self::runtime::counted_tasks;

pub use self::task::spawn;
pub use ::tokio::*;
