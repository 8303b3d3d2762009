//! The tests of the reports.
//!
//! They are one program, because linking takes longer than running them.

mod deep;
mod determinism;
mod diff;
mod empty;
mod findings;
mod findings_backlog;
mod findings_blocking_pool;
mod findings_bottleneck;
mod findings_cancelled;
mod findings_full_channel;
mod findings_growth;
mod findings_held;
mod findings_lagged;
mod findings_large_future;
mod findings_locks;
mod findings_panicked;
mod findings_permits;
mod findings_polls;
mod findings_sequential;
mod findings_stopped;
mod first_screen;
mod fold;
mod fold_sums;
mod footer;
mod formats;
mod formats_without_svg;
mod hangs;
mod hostile;
mod json;
mod latency;
mod lock_order;
mod merge;
mod metrics;
mod names;
mod profiles;
mod rows;
mod since;
mod support;
mod svg;
mod tasks;
mod text;
mod wait_graph;
mod workers;
mod write_file;
