//! The profiler and hang doctor for async Rust.
//!
//! It records busy and idle time per logical call path, and shows what each task waits for now.
//! ```text
//! CALL TREE, busy and idle with everything below
//!      busy    idle  of caller  calls  polls  pending  max poll  call path
//!   1.33 ms  213 ms          -    100    200        0   39.7 µs  handle
//!   1.06 ms  213 ms     99.9 %    100    200        0   30.1 µs  ├─ lookup
//!    741 µs  213 ms     99.9 %    100    200        0   28.0 µs  │  └─ tokio::time::sleep(…).await (src/main.rs:10)
//!   20.5 µs    0 ns   < 0.01 %    100    100        0    621 ns  └─ checksum
//!
//! nothing dropped
//! clock tsc; cost of recording ≈ 67.7 µs (5.08 % of busy): 300 calls 34.9 µs, 100 awaits 4.92 µs, 200 polls 15.2 µs, …
//! diagnose 0.1.0, recording on
//! ```
//! This program prints that tree, below a table of functions:
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
//! `flame.svg` shows the same tree, with busy and idle time in different colors. diagnose works on
//! any executor, on stable Rust, in debug and release builds. It does not sample: counts are exact.
//!
//! While a program runs or hangs, [`tree`] returns the verdicts and the state of every task:
//! ```text
//! verdict: proven futurelock (granted): task 3 `tries_twice` is waiting for `Mutex#1` at examples/stuck.rs:16, called from
//! examples/stuck.rs:38 (944 ms); it was granted to future `work` of the same task at examples/stuck.rs:16, called from
//! examples/stuck.rs:37 (793 ms ago), but its task stopped polling it: …
//!   task 3 tries_twice waits at examples/stuck.rs:16 for 944 ms
//!   resource 1 Mutex created at examples/stuck.rs:51, on record for 994 ms
//!   future 7 work granted at examples/stuck.rs:16, 793 ms ago
//!   3 tasks wait behind it: 4, 5, 6
//!   fix: drop or finish that future before this await (docs/verdicts.md, futurelock)
//!
//! …
//!
//! task 3 tries_twice [waiting 793 ms for Mutex#1] 3 polls, busy 52.4 µs, spawned at examples/stuck.rs:54:5 by task 1, …
//!   ├─ work at &mut first (examples/stuck.rs:37:14) [its task stopped polling it]
//!   │  └─ lock.lock().await (examples/stuck.rs:16:6) [waiting 994 ms] [its task stopped polling it]
//!   └─ work at work(&lock).await (examples/stuck.rs:38:50)
//!      └─ lock.lock().await (examples/stuck.rs:16:6) [waiting 793 ms]
//! ```
//!
//! # What is measured
//!
//! A *span* is one live future, or one call of a plain function; its *site* is the annotated place.
//! A *node* is a path of sites, such as `handle → lookup`, with the totals of its spans:
//!
//! - **busy**: time inside `poll`. Additive: a node's own busy time excludes its children's.
//! - **idle**: from the end of a `Pending` poll to the start of the next. It belongs to the await
//!   that was waiting: a timer, a socket or a third-party client appears under the expression that
//!   awaits it. Not additive: under `join!`, two futures wait at the same time.
//! - **wall**: a task's busy and idle time, with idle time charged to the await that ended each
//!   wait. It adds up to elapsed time. Time from a wake to the poll is separate: **queued**.
//! - **unpolled**: from construction to the first poll.
//! - calls, polls, completed, cancelled (dropped while pending), panicked, never polled; the
//!   longest poll; a log2 histogram of poll durations.
//! - **latency**: from the start of a call's first poll to its end, for completed and for cancelled
//!   calls. `Snapshot::latencies` has quantiles by function and label, within 4 %.
//!
//! A span's parent is the span that polls it, decided at every poll: a future that is moved out of
//! a `select!` and awaited elsewhere moves in the tree. Spawned futures are roots. So are futures
//! that a plain function runs, as `fn main` does with `block_on`. A future that an executor polls
//! inside another future's poll is a child of that future, unless it was spawned through this crate
//! or is marked `#[diagnose(root)]`. Then it is a root, and its time does not count as self time of
//! the outer span.
//!
//! Open polls and waits count up to now: a poll that never returns and a future that is never woken
//! are the biggest boxes of the flame graph.
//!
//! # Waits and hangs
//!
//! diagnose tracks the locks, channels, join handles and timers that you import through it, from
//! `diagnose::tokio`, `diagnose::async_lock` and so on, or [`diagnose::std`](mod@std). [`Resource`]
//! and [`wait`] add your own. [`waiters`] lists each contended resource: its holders with time and
//! place, its waiters in order, and its usage.
//!
//! `Snapshot::verdicts` computes from these records which tasks can still make progress. A
//! `model::Verdict` covers the others: *proven* if it follows from the records alone, *likely* if
//! it relies on the task that last used a resource.
//!
//! # Where to put it
//!
//! - [`#[diagnose]`](macro@diagnose) on a function, method, impl block, trait or inline module, on
//!   `impl Future`, and on an async block inside an annotated function;
//! - [`diagnose::block!`](block) around an async block, anywhere;
//! - [`.diagnose("name")`](FutureExt::diagnose) on any future;
//! - [`spawn_with`] around a spawn, on any executor. Spawns through a runtime's module, such as
//!   `diagnose::tokio`, need nothing.
//!
//! # Cost
//!
//! A program whose tasks do nothing but wait and wake uses up to 4 times the CPU time it uses
//! without diagnose. A server under load uses 5 to 20 % more. Recording a poll takes 25 to 80 ns on
//! the machines in the README's table, under *Cost*, and took 100 ns on an older one. It takes two
//! clock readings and a few stores, without a lock or an allocation. Spans that stop and resume
//! together share the two readings. Every report estimates the cost of its recording.
//! `docs/cost.md` has whole programs and compile time.
//!
//! - **Nesting** is bounded by the compiler's recursion limit: about 25 annotated functions instead
//!   of 32 bare ones, if the outermost comes first in the source. Boxing one of the futures or
//!   `#![recursion_limit = "256"]` allows more.
//! - **Memory** is bounded: 16,384 nodes per thread of about 1,100 bytes, each with the durations
//!   of its calls (usually 1 kB, at most 17 kB); 128 levels; 1,024 labels; 16
//!   [attributes](task_attr) per living task; 16 million pending spans of 64 bytes; 1,048,576
//!   guards, permits and channel ends; 4,096 names of tasks with their places. Names, labels and
//!   attributes are cut at 256 bytes. Calls past a limit of nodes, levels or labels count in a node
//!   `[other]`; a span past the limit is timed, but not listed. Every report's footer counts these
//!   losses, except attributes past the 16, which are left out, and names of tasks past the 4,096,
//!   which become `task`.
//!   The first 768 labels have nodes at once, later ones once they are frequent. Past 1,024, such a
//!   label replaces the rarest, whose sums then count in `[other]`. Nodes stay in memory until the
//!   program ends.
//!
//! # Platforms
//!
//! Recording, reports and wrappers are the same everywhere. These depend on the system:
//!
//! | | Linux | macOS, FreeBSD, other Unix | Windows |
//! |---|---|---|---|
//! | dump on a signal | yes | yes | no; use [`Builder::trigger`], a file whose creation requests a dump |
//! | processor counter as clock | x86-64 if the kernel trusts the TSC, aarch64; else `Instant` | aarch64 on macOS, else `Instant` | no, `Instant` |
//! | threads outside of runtimes are counted | yes | no; dependent verdicts are *likely* at most | no |
//! | blocked and spinning threads are distinguished | yes | no | no |
//! | `native-stacks` | x86-64, aarch64 | no | no |
//! | dumps are readable by their user alone | yes | yes | as the folder is |
//! | reports are served on a Unix socket | yes | yes | no |
//! | snapshots in a forked child are refused, not hung | yes | yes | there is no fork |
//!
//! The tests run on x86-64 Linux with glibc, those of the recorder also on i686 with musl, where
//! the clock is `Instant`. For the other systems, CI checks that everything compiles. With musl, a
//! native stack ends at a frame of the C library, which has no unwind tables there: a blocked
//! thread shows only the call that it is in.
//!
//! # Reports
//!
//! [`dump`] by file extension, [`dump_to`] for any writer, or SIGUSR1 after [`install`]:
//!
//! | format | file | content |
//! |---|---|---|
//! | [`Svg`](Format::Svg) | `x.svg`, `x.busy.svg`, `x.idle.svg`, `x.time.svg` | flame graph: wall time, or a [`View`] |
//! | [`Html`](Format::Html) | `x.html` | one page for a browser: findings, flame graphs, tables, tasks and the wait graph |
//! | [`Folded`](Format::Folded) | `x.folded`, `x.busy.folded`, … | folded stacks in ns, for any flame graph tool |
//! | [`Text`](Format::Text) | `x.txt` | findings, verdicts, alarms, tables, resources and tasks by origin, call tree; `x.full.txt` folds nothing |
//! | [`Pprof`](Format::Pprof) | `x.pb.gz`, `x.busy.pb.gz`, … | profile for `go tool pprof`, Pyroscope and Parca |
//! | [`Speedscope`](Format::Speedscope) | `x.speedscope.json` | profiles for speedscope |
//! | [`Firefox`](Format::Firefox) | `x.firefox.json` | profile for the Firefox Profiler, with tasks and waits as markers |
//! | [`OpenMetrics`](Format::OpenMetrics), [`Prometheus`](Format::Prometheus) | `x.om`, `x.prom` | metrics |
//! | [`Dot`](Format::Dot), [`Mermaid`](Format::Mermaid) | `x.dot`, `x.mmd` | graph of waiters, resources and holders |
//! | [`Csv`](Format::Csv) | `x.csv` | table by function for spreadsheets, in ns |
//! | [`Json`](Format::Json) | `x.json` | the whole [`Snapshot`]; with the feature `read`, `Snapshot::read_json` reads it back |
//!
//! # Features
//!
//! - `on` (default, through `html`, `pprof`, `signal` and `svg`): records and reports. Without it,
//!   the attribute leaves every item untouched, every function exists and does nothing, and neither
//!   syn nor any other dependency is compiled. A library that annotates itself depends on
//!   `diagnose` with `default-features = false`; the application turns it on.
//! - `svg` (default): flame graphs, drawn by inferno, whose license is CDDL-1.0. `html` (default):
//!   the page for a browser. `pprof` (default): profiles for `go tool pprof`.
//! - `signal` (default): a dump on SIGUSR1, on Unix.
//! - `read`: `Snapshot::read_json` reads a dump back, and serde reads and writes a [`Snapshot`].
//!   The command `diagnose` does not need it.
//! - `native-stacks`: adds the thread's native stack to the [watchdog](Builder::watchdog)'s alarm
//!   about a poll that does not return, on Linux on x86-64 and aarch64. It uses a real-time signal.
//! - `tokio`, `smol`, `async-std`: a module that re-exports all of that crate and lists its spawned
//!   futures as tasks. `use diagnose::tokio;` is the only change in a module of the program.
//! - `async-lock`, `parking-lot`, `async-channel`, `flume`, `futures`, `tokio-util`: modules such
//!   as `diagnose::async_lock`, which record lock holders, owners of channel ends, and their
//!   waiters. `diagnose::std` needs no feature of its own.
//! - `tokio-hooks`: with `--cfg tokio_unstable`, also lists tasks spawned by code without that
//!   `use`, on runtimes that are built through `diagnose::tokio`.
//! - `log`, `tracing`: alarms and messages as records of `log`, or as events of `tracing` with
//!   fields. With a logger or a subscriber in the program, nothing is printed on stderr, so its
//!   filter must let the target `diagnose` pass: `RUST_LOG=app=debug,diagnose=info`.
//! - `tracing-layer`: `TracingLayer` records spans of `tracing` as paths of the tree, for code that
//!   is instrumented already.
//! - `manual-clock`: for tests, a clock that stands still until it is moved.
//!
//! Without `on`, these are missing: the fields of a [`Snapshot`], its methods `site`, `node`,
//! `span`, `task` and `resource`, and all types of `model` but those of verdicts, findings,
//! latencies, lock inversions and alarms; `into_inner` and `into_tokio` of wrappers, in place of
//! which `.into()` works in both modes; and all methods of [`Timed`] and [`Spawned`], which are the
//! future itself. [`Format::all`] is empty, and any name is that of a text report.
//!
//! The types of the mirrored modules differ between both modes: `diagnose::tokio::sync::Mutex` is a
//! wrapper with `on`, and tokio's own type without. An application turns the feature on for all of
//! its libraries, so a library should not name these types in public signatures.
#![deny(unsafe_code)]

#[cfg(feature = "on")]
mod alarms;
#[cfg(all(feature = "on", feature = "async-channel"))]
pub mod async_channel;
#[cfg(all(feature = "on", feature = "async-lock"))]
pub mod async_lock;
#[cfg(all(feature = "on", feature = "async-std"))]
pub mod async_std;
mod attribute;
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
mod env_names;
#[cfg(feature = "on")]
mod env_values;
#[cfg(feature = "on")]
mod events;
#[cfg(feature = "on")]
mod exit;
#[cfg(all(feature = "on", feature = "flume"))]
pub mod flume;
#[cfg(all(unix, feature = "on"))]
mod fork;
#[cfg(all(feature = "on", feature = "futures"))]
pub mod futures;
#[cfg(feature = "on")]
mod identity;
#[cfg(feature = "on")]
mod install;
mod install_error;
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
mod own_thread;
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
mod serve;
mod serve_address;
#[cfg(feature = "on")]
mod signal;
#[cfg(feature = "on")]
mod signal_mask;
#[cfg(feature = "on")]
mod site;
#[cfg(all(feature = "on", feature = "smol"))]
pub mod smol;
#[cfg(feature = "on")]
mod snapshot;
#[cfg(all(feature = "on", feature = "tracing-layer"))]
mod span_layer;
#[cfg(feature = "on")]
mod spawned;
#[cfg(feature = "on")]
pub mod std;
#[cfg(feature = "on")]
mod switch;
#[cfg(feature = "on")]
mod sync;
#[cfg(feature = "on")]
mod system_call;
#[cfg(feature = "on")]
mod task_attr;
#[cfg(feature = "on")]
mod task_name;
#[cfg(feature = "on")]
mod text_limit;
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

pub use attribute::diagnose;
#[cfg(feature = "manual-clock")]
pub use clock::manual as manual_clock;
pub use config::{Builder, Signal, Wakers};
#[cfg(feature = "on")]
pub use custom::{Hold, Resource, wait};
#[cfg(feature = "on")]
pub use diagnose_reports::model::{Alarm, AlarmKind};
#[cfg(feature = "on")]
pub use diagnose_reports::{Error, Format, Report, Snapshot, View};
#[cfg(feature = "on")]
pub use dump::{dump, dump_to};
#[cfg(feature = "on")]
pub use install::install;
pub use install_error::InstallError;
#[cfg(feature = "on")]
pub use named::FutureExt;
#[cfg(not(feature = "on"))]
pub use off::*;
#[cfg(feature = "on")]
pub use serve::{Response, respond, serve_address};
pub use serve_address::ServeAddress;
#[cfg(feature = "on")]
pub use snapshot::{lock_order, reset, snapshot, tree, waiters};
#[cfg(all(feature = "on", feature = "tracing-layer"))]
pub use span_layer::TracingLayer;
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

/// Items that expanded macros refer to. Do not use them directly: they are exempt from semantic
/// versioning.
#[cfg(feature = "on")]
#[doc(hidden)]
pub mod __private {
    // A crate with `#![no_std]` has no path to these.
    pub use std::boxed::Box;
    pub use std::format;

    pub use crate::awaited::{At, InMacro, Inline, arm, at, call_once, ended, expected, passed, through};
    pub use crate::clock::now;
    pub use crate::label::Label;
    pub use crate::recorder::{Arm, Frame, Span};
    pub use crate::site::{Body, Site, SiteKind};
    pub use crate::timed::{Driven, Timed};
    #[cfg(feature = "native-stacks")]
    pub use crate::watchdog::{addresses_of, interrupt_thread};
}
