//! The profiler and hang doctor for async Rust: where the time of your futures goes, by logical call path, busy and idle,
//! and what every task is waiting for at this moment.
//!
//! Annotate, run, ask:
//! ```no_run
//! use diagnose::diagnose;
//!
//! #[diagnose]
//! async fn handle(key: &str) -> u64 {
//!     checksum(&lookup(key).await)
//! }
//!
//! #[diagnose]
//! async fn lookup(key: &str) -> String {
//!     tokio::time::sleep(std::time::Duration::from_millis(1)).await; // a database
//!     key.repeat(100)
//! }
//!
//! #[diagnose]
//! fn checksum(value: &str) -> u64 {
//!     value.bytes().map(u64::from).sum()
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), diagnose::Error> {
//!     diagnose::install(); // SIGUSR1 writes the reports at any time
//!     for _ in 0..100 {
//!         handle("key").await;
//!     }
//!     diagnose::dump_to(diagnose::Format::Text, &mut std::io::stdout())?;
//!     diagnose::dump("flame.svg")?;
//!     Ok(())
//! }
//! ```
//! prints, below a table by function,
//! ```text
//! call tree, busy and idle with everything below
//!      busy    idle  calls  polls  pending  max poll  call path
//!   1.33 ms  213 ms    100    200        0   39.7 µs  handle
//!   1.06 ms  213 ms    100    200        0   30.1 µs  ├─ lookup
//!    741 µs  213 ms    100    200        0   28.0 µs  │  └─ tokio::time::sleep(…).await (src/main.rs:10)
//!   20.5 µs    0 ns    100    100        0    621 ns  └─ checksum
//!
//! nothing dropped
//! clock tsc; cost of recording ≈ 67.7 µs (5.08 % of busy): 300 calls 34.9 µs, 100 awaits 4.92 µs, 200 polls 15.2 µs, …
//! diagnose 0.1.0, recording on
//! ```
//! and `flame.svg` is the same as a flame graph, with busy and idle in different colours. On any executor, on stable
//! Rust, in debug and release builds; nothing is sampled, so the counts are exact.
//!
//! And while a program runs, or hangs, [`tree`] says what hangs, and what every task is doing:
//! ```text
//! verdict: proven futurelock (granted): task 3 `tries_twice` waits for Mutex#1 at examples/stuck.rs:15 for 948 ms, which was
//! handed 804 ms ago to future `work` of the same task at examples/stuck.rs:15, which is alive and not polled: …
//!   task 3 tries_twice waits at examples/stuck.rs:15 for 948 ms
//!   resource 1 Mutex created at examples/stuck.rs:50, 1.00 s ago
//!   future 6 work granted at examples/stuck.rs:15 for 804 ms
//!   3 tasks wait behind it: 4, 5, 6
//!   fix: drop or finish that future before this await (docs/verdicts.md, futurelock)
//!
//! task 3 tries_twice [waiting 795 ms] 3 polls, busy 26.7 µs, spawned at examples/stuck.rs:53:5 by task 1
//!   ├─ work at &mut first (examples/stuck.rs:36:14) [not polled since by its task]
//!   │  └─ lock.lock().await (examples/stuck.rs:15:6) [waiting 949 ms] [not polled since by its task]
//!   └─ work at work(&lock).await (examples/stuck.rs:37:50)
//!      └─ lock.lock().await (examples/stuck.rs:15:6) [waiting 795 ms]
//! ```
//!
//! # What is measured
//!
//! A *span* is one live future (or one call of a plain function), a *site* is where it was annotated, a *node* is a
//! path of sites, `handle → lookup`, with what all its spans have spent:
//!
//! - **busy**: inside `poll`. Additive: a node's own busy time is what its children do not cover.
//! - **idle**: from the end of a `Pending` poll to the start of the next. It belongs to the await that was waiting, so a
//!   timer, a socket or a client of somebody else's shows up under the expression that awaits it. Not additive: under
//!   `join!` two futures wait at the same time.
//! - **wall**: a task's busy and idle time, idle charged to the await that ended each wait: what the clock showed, additive.
//!   What it waited for its poll after a wake is apart, **queued**.
//! - **unpolled**: from construction to the first poll.
//! - calls, polls, completed, cancelled (dropped while pending), panicked, never polled; the longest poll and a log2
//!   histogram of poll durations.
//!
//! A span's parent is whoever polls it now, decided at every poll: a future that is moved out of a `select!` and
//! awaited elsewhere changes its place. A spawned future has no parent, and neither has one that a plain function runs, as
//! `fn main` does with `block_on`. A future polled by an executor inside another future's poll is a child of that
//! future, unless it was spawned through this crate or is marked `#[diagnose(root)]`: then it is a root of its own, and the
//! poll around it only says that so much of its time was spent elsewhere.
//!
//! What is open counts up to now: a poll that does not return and a future that never wakes are the biggest boxes of
//! the picture, not missing ones.
//!
//! # Who waits for whom
//!
//! Locks, channels, join handles and timers that are named through this crate are on record: `diagnose::tokio::sync` and
//! what else is in `diagnose::tokio`, `diagnose::async_lock` and the like, [`diagnose::std`](mod@std), and
//! [`Resource`] with [`wait`] for one of your own. [`waiters`] lists those for which somebody waits: who has it since when
//! and where, who waits in which order, how it is used. `Snapshot::verdicts` computes what can still make progress from
//! that; what cannot is a `model::Verdict`: *proven* if it follows from the records alone, *likely* where it rests on who was
//! seen with something last. Nothing is proven that could still go on.
//!
//! # Where it can stand
//!
//! - [`#[diagnose]`](macro@diagnose) on an `async fn` or a plain function, method or not, on an impl block, a trait or an
//!   inline module for all in it, on `impl Future`, and on an async block inside an annotated function;
//! - [`diagnose::block!`](block) around an async block, anywhere;
//! - [`.diagnose("name")`](FutureExt::diagnose) on any future;
//! - [`spawn_with`] around a spawn, on any executor; with the module of a runtime, at no spawn at all.
//!
//! # What it costs
//!
//! Two readings of the clock per resumed body, shared by everything that stops and goes on with it, and a few stores,
//! without a lock or an allocation. Measured by `cargo bench -p diagnose` against reading the clock twice, on a processor
//! where that takes 20 ns: called by code without the attribute, a poll whose waker is cloned and woken 2.4 times, one that
//! wakes itself 1.6 times, a whole call that is ready at once 1.5 times; below an annotated function, such a call 1.9
//! times, a poll with an await of something else 1.5 times (two places on record), each level of a chain 0.6 times. On an
//! older processor the first of these was 4.0 times, the last 1.5 times. Switched off by [`set_enabled`], a call takes
//! 15 ns and a poll 5. A wrapped lock or channel costs up to 24 ns an operation where nobody waits, and a `oneshot` 41.
//! Programs whose tasks do nothing but wake each other take up to 2.5 times their CPU with the attribute, and 3.4 times
//! with `diagnose::tokio`; a server some 10 %. Every report says what the recording of its own data has cost:
//! a third to twice of that, and less than it has where threads wake each other's tasks.
//!
//! Ten published crates take the compiler +7 % in the median and at most +28 % with every async function annotated, where
//! their dependencies are there already. From nothing there are syn and this crate besides, some 4 s on two cores.
//! Futures nest as deep as the compiler's limit of recursion lets them: about 25 annotated functions around each other where
//! 32 bare ones would do, if the outermost stands first in the source. Boxing one, or `#![recursion_limit = "256"]`, is the
//! way out of both.
//!
//! Memory is bounded: 16,384 nodes of about 700 bytes per thread, 128 levels, 1,024 labels (the last quarter of them for those that come often), 16 [facts](task_attr) for each living task, a million live spans of 64
//! bytes. What goes over a bound is in a node `[other]`, and counted in the footer of every report.
//!
//! # Platforms
//!
//! Recording, reports and wrappers are the same everywhere. What needs the system:
//!
//! | | Linux | macOS, FreeBSD, other Unix | Windows |
//! |---|---|---|---|
//! | dump on a signal | yes | yes | no: [`Builder::trigger`], a file that is watched |
//! | the clock is a counter of the processor | x86-64, aarch64 | aarch64 on macOS, else `Instant` | no, `Instant` |
//! | threads outside of runtimes are counted | yes | no: what rests on them is *likely* at most | no |
//! | a thread that is blocked is told from one that spins | yes | no | no |
//! | `native-stacks` | x86-64, aarch64 | no | no |
//! | dumps are readable by their user alone | yes | yes | as the folder is |
//!
//! The tests run on Linux; for the others it is checked that everything compiles.
//!
//! # Reports
//!
//! [`dump`] by file extension, [`dump_to`] any writer, or SIGUSR1 after [`install`]:
//!
//! | format | file | content |
//! |---|---|---|
//! | [`Svg`](Format::Svg) | `x.svg`, `x.busy.svg`, `x.idle.svg`, `x.time.svg` | flame graph: wall time, or a [`View`] |
//! | [`Folded`](Format::Folded) | `x.folded`, `x.busy.folded`, … | folded stacks in ns, for any flame graph tool |
//! | [`Text`](Format::Text) | `x.txt` | verdicts, alarms, every live task, what is waited for, tables by function and by call path |
//! | [`Dot`](Format::Dot) | `x.dot` | who waits for what that who has, for Graphviz |
//! | [`Json`](Format::Json) | `x.json` | the whole [`Snapshot`]; `Snapshot::read_json` reads it back |
//!
//! # Features
//!
//! - `on` (by default, through `svg` and `signal`): spans are recorded, and reports are made of them. Without it the
//!   attribute leaves every item untouched, and every function of this crate exists and does nothing; neither syn nor any
//!   other dependency is compiled. A library that annotates itself depends on `diagnose` with `default-features = false`;
//!   the application turns it on.
//! - `svg` (default): flame graphs, drawn by inferno, whose licence is CDDL-1.0.
//! - `signal` (default): a dump on SIGUSR1, on Unix.
//! - `native-stacks`: the [watchdog](Builder::watchdog)'s alarm about a poll that does not return has the native stack of
//!   its thread, on Linux on x86-64 and aarch64. It takes a real-time signal.
//! - `tokio`, `smol`, `async-std`: the module of that name, in which everything of that crate is, and what it spawns is
//!   listed as a task. `use diagnose::tokio;` is all that a module of the program has to change.
//! - `async-lock`, `parking-lot`, `async-channel`, `flume`, `futures`, `tokio-util`: the same for these, as
//!   `diagnose::async_lock` and so on: who holds their locks, who has the ends of their channels, and who waits for them. The standard library, `diagnose::std`, is there without a feature of its own.
//! - `tokio-hooks`: with `--cfg tokio_unstable`, tasks that are spawned by code without that line are listed as well.
//! - `manual-clock`: for tests, a clock that stands still until it is moved.
#![deny(unsafe_code)]

#[cfg(all(feature = "on", feature = "async-channel"))]
pub mod async_channel;
#[cfg(all(feature = "on", feature = "async-lock"))]
pub mod async_lock;
#[cfg(all(feature = "on", feature = "async-std"))]
pub mod async_std;
#[cfg(feature = "on")]
mod awaited;
mod block;
#[cfg(feature = "on")]
mod clock;
mod config;
#[cfg(feature = "on")]
mod context;
#[cfg(feature = "on")]
mod cpu;
#[cfg(feature = "on")]
mod custom;
#[cfg(feature = "on")]
mod dump;
#[cfg(feature = "on")]
mod dump_name;
#[cfg(feature = "on")]
mod env;
#[cfg(feature = "on")]
mod exit;
#[cfg(all(feature = "on", feature = "flume"))]
pub mod flume;
#[cfg(all(unix, feature = "on"))]
mod fork;
#[cfg(all(feature = "on", feature = "futures"))]
pub mod futures;
#[cfg(feature = "on")]
mod install;
#[cfg(feature = "on")]
mod keep;
#[cfg(feature = "on")]
mod label;
#[cfg(feature = "on")]
mod live;
#[cfg(feature = "on")]
pub mod model;
#[cfg(feature = "on")]
mod named;
#[cfg(all(feature = "on", any(feature = "tokio", feature = "async-std")))]
mod number;
#[cfg(not(feature = "on"))]
mod off;
#[cfg(feature = "on")]
mod os;
#[cfg(feature = "on")]
mod panics;
#[cfg(all(feature = "on", feature = "parking-lot"))]
pub mod parking_lot;
#[cfg(feature = "on")]
mod pattern;
#[cfg(feature = "on")]
mod pool;
#[cfg(feature = "on")]
mod recorder;
#[cfg(feature = "on")]
mod say;
#[cfg(feature = "on")]
mod signal;
#[cfg(feature = "on")]
mod site;
#[cfg(all(feature = "on", feature = "smol"))]
pub mod smol;
#[cfg(feature = "on")]
mod snapshot;
#[cfg(feature = "on")]
mod spawned;
#[cfg(feature = "on")]
pub mod std;
#[cfg(feature = "on")]
mod switch;
#[cfg(feature = "on")]
mod sync;
#[cfg(feature = "on")]
mod task_attr;
#[cfg(feature = "on")]
mod threads;
#[cfg(feature = "on")]
mod timed;
#[cfg(all(feature = "on", feature = "tokio"))]
pub mod tokio;
#[cfg(all(feature = "on", feature = "tokio-util"))]
pub mod tokio_util;
#[cfg(feature = "on")]
mod tree;
#[cfg(feature = "on")]
mod trigger;
#[cfg(feature = "on")]
mod waits;
#[cfg(feature = "on")]
mod watchdog;
#[cfg(feature = "on")]
mod within;
#[cfg(feature = "on")]
mod wrap;

/// Times a function: a span per call, under whoever polls it.
///
/// - On an `async fn`, free or a method, it times the future: every poll is recorded under the function's name. So it
///   does on a function that returns `impl Future`, `Pin<Box<dyn Future>>` or `BoxFuture` without being `async`, such as
///   async-trait leaves behind, in either order of the two attributes; what that function does before it has the future
///   is not timed.
/// - On a plain function it times the call.
/// - On an impl block, a trait or an inline module it times every async function inside, methods as `Type::method`; an
///   attribute on one of them has the last word.
/// - On `impl Future for T` it times `poll`, on `impl Stream for T` `poll_next`, under the name of the type: polls and
///   busy time, and as calls what became ready. What such a future waits for is seen where it is awaited.
/// - Inside an annotated function it stands on async blocks. Those without it, and async closures, are spans named
///   `{block}`; `#[diagnose(skip)]` leaves one out.
/// - Every `.await` in it is recorded too, and every arm of a `join!` or `select!`. So are those in the arguments of other
///   macros where it is known what they do with them; otherwise the macro as a whole is one await, unless its value may be
///   assigned to or borrowed from, or its arguments `return`, `break` or `continue`.
///
/// # Arguments
/// - `name = "…"`: the name to show instead of the function's.
/// - `label = "user={user_id}"`: a format string over the arguments, formatted once per call and only while recording.
///   Spans of different labels are told apart, up to 1,024 of them; later ones are `[other]`.
/// - `root`: the future is a task, a root wherever it is polled.
/// - `all`: inside an impl block, a trait or a module, plain functions are timed too.
/// - `skip`: leave the item as it is.
/// - `awaits = false`: record no await points, here and in what is inside.
/// - `crate = path`: where this crate is, if it was renamed or is re-exported.
///
/// # Examples
/// ```
/// use diagnose::diagnose;
///
/// #[diagnose(label = "key={key}")]
/// async fn get(key: u64) -> Option<String> {
///     #[diagnose(name = "fetch")]
///     async {
///         Some(key.to_string())
///     }
///     .await
/// }
///
/// #[diagnose(root)]
/// async fn connection() {
///     get(7).await;
/// }
/// ```
///
/// # What it expands to
/// ```text
/// fn get(key: u64) -> impl Future<Output = Option<String>> {
///     static BODY: Body<(Site,)> = Body { site: Site::new(…), awaits: (Site::at(&BODY.site, …),) };
///     Timed::new(Span::new(&BODY.site, Label::of(&BODY.site, || format!("key={key}"))), async move {
///         _ = &key;                              // all arguments live as long as the future, as in an `async fn`
///         if false { return … }                  // so that the compiler knows the type before it sees the body
///         …                                      // the body
///     })
/// }
/// ```
/// The future has the output, the borrows and the `Send`-ness of the original, and 64 bytes more at most for each
/// annotated level, whatever it awaits; arguments are stored once. If another attribute follows that may look for `async fn`, such as
/// `#[tokio::main]`, the function stays one, and its arguments are stored twice.
///
/// # Errors
/// An unknown or repeated argument, a `const fn`, a future in a form that cannot be timed, a module in another file, or
/// anything else that is none of the above, is a compile error at that place; the item itself is emitted all the same.
pub use diagnose_macros::diagnose;

#[cfg(feature = "manual-clock")]
pub use clock::manual as manual_clock;
pub use config::{Builder, InstallError, Signal, Wakers};
#[cfg(feature = "on")]
pub use custom::{Hold, Resource, wait};
#[cfg(feature = "on")]
pub use diagnose_reports::{Error, Format, Report, Snapshot, View};
#[cfg(feature = "on")]
pub use dump::{dump, dump_to};
#[cfg(feature = "on")]
pub use install::install;
#[cfg(feature = "on")]
pub use named::FutureExt;
#[cfg(not(feature = "on"))]
pub use off::*;
#[cfg(feature = "on")]
pub use snapshot::{lock_order, reset, snapshot, tree, waiters};
#[cfg(feature = "on")]
pub use spawned::{Spawned, spawn_with};
#[cfg(feature = "on")]
pub use switch::set_enabled;
#[cfg(feature = "on")]
pub use task_attr::task_attr;
#[cfg(feature = "on")]
pub use timed::Timed;
#[cfg(feature = "on")]
pub use within::within;

/// What the macros' output refers to. Not for use by hand, and not subject to semantic versioning.
#[cfg(feature = "on")]
#[doc(hidden)]
pub mod __private {
    pub use crate::awaited::{At, InMacro, Inline, arm, at, ended, expected, passed, through};
    pub use crate::clock::now;
    pub use crate::label::Label;
    pub use crate::recorder::{Arm, Frame, Span};
    pub use crate::site::{Body, Site, SiteKind};
    pub use crate::timed::Timed;
    #[cfg(feature = "native-stacks")]
    pub use crate::watchdog::{addresses_of, interrupt_thread};
}
