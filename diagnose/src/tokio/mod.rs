//! tokio, with its tasks and worker threads on record: a drop-in for the crate of that name.
//!
//! One line makes a module use it, and the program stays what it is:
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
//! The dump lists the tasks `main` and `answer`, neither of which is annotated: by name, where they were spawned, by whom,
//! and what they are doing. In the flame graph each is a root. A future that is annotated, or named by `.diagnose("…")`,
//! is the root itself.
//!
//! The line stands in each module that names tokio. One that has both it and tokio's name from elsewhere says so, as in
//! `mod tests { use super::*; … }`: the compiler calls `#[tokio::test]` ambiguous there until the line stands in it too.
//!
//! # What is tokio's own, and what is not
//!
//! Everything is re-exported, macros and attributes included, so `#[tokio::main]`, `#[tokio::test]` and
//! `tokio::select!` mean what they mean elsewhere. These are wrapped:
//!
//! - [`spawn`] and the functions of [`task`] that spawn, [`task::JoinSet`], [`task::LocalSet`];
//! - [`runtime::Runtime`], [`runtime::LocalRuntime`], [`runtime::Handle`]: what they spawn, and the future of `block_on`,
//!   which is the task `main`;
//! - [`runtime::Builder`]: its worker threads are noted when they start, park, go on and stop, each time before or after
//!   the program's own hook;
//! - [`task::JoinHandle`], what in [`sync`], in [`time`] and in [`io`] is defined here: who waits there, who holds it and
//!   who could send is on record.
//!
//! What spawns and the ends of channels deref to what they wrap. `From` and `into_inner` convert both ways, for other
//! crates that ask for tokio's own type; for locks it is `into_tokio`. An end of a channel that becomes tokio's own may be
//! anywhere, for the records, and so may others once it was dereferenced. Locks do not deref, because who holds the
//! original is not on record. Scheduling, cancellation, panics and bounds are tokio's. `task::Builder`, which is there
//! only with `--cfg tokio_unstable`, spawns without a record.
//!
//! # Types of other crates
//!
//! The wrappers of `tokio_stream` take tokio's own types, which an `.into()` makes of those here:
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
//! So do those of `tokio_util`. With the feature `tokio-util`, `PollSender` and `PollSemaphore` of
//! `diagnose::tokio_util` take the types here as they are, and stay on record. A `TaskTracker` spawns without a record: it
//! tracks a future, and [`spawn`] spawns it.
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
//! What is spawned by code that does not use this module, a server's library for one, is listed too with the feature
//! `tokio-hooks`, in a build with `RUSTFLAGS="--cfg tokio_unstable"`, on runtimes that are built through this module: by the
//! place where it was spawned, with its state, polls and busy time. Its wakes are not known, and it has no node in the
//! trees.
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
