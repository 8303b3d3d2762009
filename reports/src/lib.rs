//! Renders recordings of [`diagnose`](https://docs.rs/diagnose), a profiler for async Rust.
//!
//! It produces flame graphs, tables and call trees for people, profiles for other tools, and JSON.
//! Every report is made from a [`Snapshot`], which is plain data from a running program or from a
//! file:
//! ```
//! use diagnose_reports::{Format, Snapshot, write};
//!
//! let saved = br#"{
//!     "version": 6, "producer": "diagnose 0.1.0", "process": {"name": "server", "pid": 4711},
//!     "elapsed_ns": 2000000000, "enabled": true, "clock": {"name": "tsc"},
//!     "costs": [{"activity": "calls", "count": 3, "ns": 180}, {"activity": "polls", "count": 12, "ns": 420}],
//!     "dropped": {"over_nodes": 0, "over_depth": 0, "over_labels": 0, "unreadable": 0},
//!     "threads": [{"name": "main", "alive": true, "nodes": 2}],
//!     "sites": [
//!         {"place": {"file": "src/main.rs", "line": 12, "column": 1}, "name": "handle", "module": "server", "kind": "fn"},
//!         {"place": {"file": "src/main.rs", "line": 30, "column": 1}, "name": "read", "module": "server", "kind": "fn"}
//!     ],
//!     "nodes": [
//!         {"site": 0, "parent": null, "calls": 3, "polls": 9, "completed": 3, "cancelled": 0, "panicked": 0,
//!          "never_polled": 0, "pending": 0, "running": 0, "busy_ns": 7000000, "nested_ns": 0, "idle_ns": 54000000,
//!          "self_idle_ns": 4000000, "wall_ns": 4000000, "unpolled_ns": 0, "longest_poll_ns": 2500000, "first_seen_ns": 0,
//!          "last_seen_ns": 70000000, "polls_histogram": [{"from_ns": 524288, "to_ns": 1048576, "count": 9}]},
//!         {"site": 1, "parent": 0, "calls": 3, "polls": 6, "completed": 3, "cancelled": 0, "panicked": 0,
//!          "never_polled": 0, "pending": 0, "running": 0, "busy_ns": 3000000, "nested_ns": 0, "idle_ns": 50000000,
//!          "self_idle_ns": 50000000, "wall_ns": 50000000, "unpolled_ns": 0, "longest_poll_ns": 900000, "first_seen_ns": 0,
//!          "last_seen_ns": 70000000, "polls_histogram": [{"from_ns": 262144, "to_ns": 524288, "count": 6}]}
//!     ]
//! }"#;
//! let snapshot = Snapshot::read_json(&saved[..])?;
//!
//! let mut stacks = Vec::new();
//! write(&snapshot, Format::Folded.into(), &mut stacks)?;
//! assert!(stacks.starts_with(
//!     b"handle;[busy] 4000000
//! handle;[idle] 4000000
//! handle;read;[busy] 3000000
//! handle;read;[idle] 50000000
//! "
//! ));
//!
//! let mut page = Vec::new();
//! write(&snapshot, Format::Text.into(), &mut page)?;
//! assert_eq!(String::from_utf8_lossy(&page), "\
//! server (pid 4711), recorded 2.00 s
//! 6 calls, 15 polls, 7.00 ms busy on 1 thread
//!
//! FINDINGS none; no recorded task is alive, and hangs and full channels show only while tasks wait
//!
//! VERDICTS none, ALARMS none
//!
//! FUNCTIONS, most self busy first
//!   calls  self busy  self idle  of caller  max poll  function
//!       3    4.00 ms    4.00 ms          -   2.50 ms  handle (src/main.rs:12)
//!       3    3.00 ms    50.0 ms     86.9 %    900 µs  read (src/main.rs:30)
//!
//! CALL TREE, busy and idle with everything below
//!      busy     idle  of caller  calls  polls  pending  max poll  call path
//!   7.00 ms  54.0 ms          -      3      9        0   2.50 ms  handle
//!   3.00 ms  50.0 ms     86.9 %      3      6        0    900 µs  └─ read
//!
//! nothing dropped
//! clock tsc; cost of recording ≈ 600 ns (0.01 % of busy): 3 calls 180 ns, 12 polls 420 ns
//! diagnose 0.1.0, recording on
//! ");
//! # Ok::<(), diagnose_reports::Error>(())
//! ```
//! [`write_file`] writes to a file instead, completely or not at all. A [`Report`] is a [`Format`]
//! and a [`View`]. It can be parsed from a file name: `flame.svg`, `flame.busy.svg`, `table.txt`.
//!
//! # What the numbers mean
//!
//! *Busy* is time inside `poll`. The self busy times of all functions add up to the total. *Idle*
//! is time between polls. Idle times of concurrent futures, as under `join!`, overlap, so their sum
//! can exceed the elapsed time. *Self* excludes annotated callees. Every report ends with the
//! dropped data, the clock, and the cost of recording.
//!
//! # Layers
//!
//! Each module imports only modules above it:
//! ```text
//! clean json lists sort      safe text; data as JSON; lists of numbers; sorting
//! ordered                    maps in the order of their keys
//! units wall_clock view      times, counts and dates as text; which times are shown
//! model                    the snapshot: data only, and the format of saved files
//! error index names        the error, positions of ids, the name of a site in every report
//! analysis                 pure functions: fold, rows, labels, quantiles, verdicts,
//!                          findings
//! export                   one format per file, each from a snapshot to text
//! format report write      the table of formats, formats with a view, and what writes files
//! ```
//! A new format is one new file and one line in the table of `format.rs`. Equal snapshots give
//! equal bytes.
//!
//! # Stability
//!
//! Items that this documentation does not show are for the crates `diagnose` and `diagnose-cli` of
//! the same version. Such items are exempt from semantic versioning.
//!
//! # Features
//!
//! - `read` (default): [`Snapshot::read_json`], and implementations of serde's traits for the
//!   model. Without the feature, serde is not compiled.
//! - `compare` (default): [`diff`] and [`merge`].
//! - `pprof` (default): profiles for `go tool pprof`, compressed by flate2.
//! - `html` (default): the page for a browser, [`Format::Html`] and [`write_live_page`]. Its data
//!   is compressed by flate2.
//! - `svg` (default): flame graphs, drawn by inferno. Its license is CDDL-1.0, and its script is
//!   part of every page it draws. Without the feature, inferno is not compiled, and a request for
//!   `svg` is an error that names the feature.
#![forbid(unsafe_code)]

// Unit tests share the helpers of the integration tests, which use this crate by name.
#[cfg(test)]
extern crate self as diagnose_reports;

mod analysis;
mod clean;
mod error;
mod export;
mod format;
mod index;
mod json;
mod lists;
pub mod model;
mod names;
// Public only for the crate `diagnose`, like `sort`.
#[doc(hidden)]
pub mod ordered;
mod report;
#[doc(hidden)]
pub mod sort;
mod units;
mod view;
mod wall_clock;
mod write;

#[cfg(feature = "compare")]
pub use analysis::diff::{
    Basis, Change, Diff, DiffOptions, DiffSide, FunctionDiff, Measure, MeasureDiff, Presence, Spread, diff,
};
pub use analysis::findings::{Evidence, Finding, Rule, Severity};
pub use analysis::fold::{Stack, fold};
pub use analysis::hangs::{Confidence, Link, LinkNode, LinkRole, Verdict, VerdictDetail, VerdictKind};
pub use analysis::latency::{FunctionLatency, LatencyQuantiles};
pub use analysis::lock_order::LockInversion;
#[cfg(feature = "compare")]
pub use analysis::merge::merge;
pub use analysis::rows::{Row, rows};
pub use clean::{clean_json, clean_lines, printable as clean_line};
pub use error::Error;
// Public only for the command `diagnose`, which prints its own tables.
#[doc(hidden)]
pub use export::table::Table;
pub use format::Format;
// Public only for the crate `diagnose`, which indexes the same lists before it builds a snapshot.
#[doc(hidden)]
pub use index::Index;
pub use model::Snapshot;
pub use report::Report;
// Public only for the command `diagnose`.
#[doc(hidden)]
pub use units::{count, counted, percent, time};
pub use view::View;
// Public only for the crate `diagnose`, which uses such times in file names.
#[doc(hidden)]
pub use wall_clock::Utc;
// Public only for the crate `diagnose`, for its folder of dumps and for the temporary files of
// killed processes in it.
#[doc(hidden)]
pub use write::{create_folder, name_of_temporary};
pub use write::{write, write_file, write_live_page, write_new_file, write_text_since};
