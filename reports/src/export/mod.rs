//! Writers: one format per file, each a function from a snapshot and a view to the whole text of a report.
//!
//! ```text
//! svg      flame graph, a page for a browser   folded   stacks, for other tools
//! text     tables and tree, for a terminal     json     the snapshot, for reading back
//! dot      who waits for what, for Graphviz
//! verdicts   what hangs          waiters    what is waited for, and who has it: both in the text report
//! lock_order   locks that were taken in both orders, there too
//! footer   what every report says about itself: cost, losses, clock
//! empty    the page when there is nothing to draw, and why
//! units    times, counts and shares as people read them
//! table    aligned columns
//! callpaths, long_polls  the call tree and the long polls of the text report
//! tasks, head, wakes     its dump of tasks: each of them, what they add up to, who woke whom. shapes: which look the same
//! ```
//! Equal snapshots give equal bytes.

pub(crate) mod callpaths;
pub(crate) mod dot;
#[cfg(feature = "svg")]
pub(crate) mod dress;
pub(crate) mod empty;
pub(crate) mod folded;
pub(crate) mod footer;
pub(crate) mod head;
pub(crate) mod json;
pub(crate) mod lock_order;
pub(crate) mod long_polls;
mod shapes;
#[cfg(feature = "svg")]
pub(crate) mod svg;
pub(crate) mod table;
pub(crate) mod tasks;
pub(crate) mod text;
pub(crate) mod verdicts;
pub(crate) mod waiters;
pub(crate) mod wakes;
