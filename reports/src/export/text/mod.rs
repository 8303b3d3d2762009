//! The report for a terminal. Its first screen has the answer: what is stuck, slow or growing.
//!
//! ```text
//! header         program, process, host, time, build, recorded time, workers
//! FINDINGS       what to look at first, at most ten
//! VERDICTS       what hangs, with its chain          ALARMS  of the watchdog, with times
//! FUNCTIONS      one row per function and await: calls, latency, own times, share of the caller's
//! LATENCY        quantiles of calls, by function and label
//! LABELS         if any span has a label             LONG POLLS   paths with polls over a limit
//! WORKERS        polls, busy and parked time
//! RESOURCES      one row per place of creation       LOCK ORDER   locks acquired in both orders
//! TASKS          by place of spawn
//! CALL TREE      one row per path
//! footer         losses, clock, cost, version
//! ```
//! Every part is bounded, and states how much it leaves out. This is the *folded* report. The full
//! report has the same parts with all rows and columns. Lines have at most 120 columns, except rows
//! of tables in the full report.
//!
//! ```text
//! page                                               the order of the parts
//! header findings alarms functions labels resources  parts that only this report has
//! ```

mod alarms;
mod findings;
mod functions;
mod header;
mod labels;
mod page;
mod resources;

pub(crate) use page::{write, write_full, write_since};
