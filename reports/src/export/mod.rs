//! Writers, one format per file. Each is a function from a snapshot and a view to a complete
//! report.
//!
//! ```text
//! svg         flame graph, a page for a browser       folded  stacks, for other tools
//! text        tables and trees, for a terminal        json read_json    the snapshot, saved and read back
//! csv         the table by function                   dot mermaid  who waits for what, to be drawn
//! pprof speedscope firefox    profiles                metrics  for OpenMetrics and Prometheus
//! page        findings, graphs and tables, for a browser
//!
//! parts of the text report
//! verdicts    what hangs                              waiters lock_order  resources with waits; inversions
//! tasks       the dump of tasks: head (totals), wakes (who woke them), shapes (which look alike)
//! spawn_sites the same, folded by the place of their spawn
//! callpaths   the call tree                           long_polls  polls over a bound
//! latency     how long calls take                     workers     shares of each worker thread
//!
//! parts of all formats
//! footer      what a report says about itself         dress frames  parts of the flame graph
//! empty       the page when there is nothing to draw  table   aligned columns
//! protobuf    the encoding of pprof                   wait_graph  the graph of dot and mermaid
//! wrap        long lines, and names cut in the middle   lines   where a long part goes
//! branches    the lines in front of a drawn tree
//! ```
//! Equal snapshots give equal bytes.

mod branches;
pub(crate) mod callpaths;
pub(crate) mod csv;
pub(crate) mod dot;
#[cfg(feature = "svg")]
pub(crate) mod dress;
pub(crate) mod empty;
pub(crate) mod firefox;
pub(crate) mod folded;
pub(crate) mod footer;
#[cfg(feature = "svg")]
pub(crate) mod frames;
pub(crate) mod head;
pub(crate) mod json;
pub(crate) mod latency;
mod lines;
pub(crate) mod lock_order;
pub(crate) mod long_polls;
pub(crate) mod mermaid;
pub(crate) mod metrics;
#[cfg(feature = "html")]
pub(crate) mod page;
#[cfg(feature = "pprof")]
pub(crate) mod pprof;
#[cfg(feature = "pprof")]
mod protobuf;
#[cfg(feature = "read")]
mod read_json;
mod resource_head;
mod set_aside;
mod shapes;
mod spawn_sites;
pub(crate) mod speedscope;
#[cfg(feature = "svg")]
pub(crate) mod svg;
pub(crate) mod table;
pub(crate) mod tasks;
pub(crate) mod text;
pub(crate) mod verdicts;
mod wait_graph;
mod waited;
pub(crate) mod waiters;
pub(crate) mod wakes;
pub(crate) mod workers;
pub(crate) mod wrap;
