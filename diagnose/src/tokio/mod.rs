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
//! What spawns derefs to what it wraps, and `From` and `into_inner` convert both ways, for other crates that ask for
//! tokio's own type. Those of [`sync`] do not deref, because who uses the original is not on record; `From` and, for locks,
//! `into_tokio` make them what other crates ask for. An end of a channel that becomes tokio's own may be anywhere, for the
//! records. Scheduling, cancellation, panics and bounds are tokio's. `task::Builder`, which is there only with
//! `--cfg tokio_unstable`, spawns without a record.
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
