//! Findings: what to look at first, most urgent first. One rule per file.
//!
//! ```text
//! finding rule     the types: a sentence with number, place, next step and evidence
//! facts workers waiting stops events connections texts   what rules share: names and times, CPU of workers, waits of tasks
//! long_polls unseen   from the histograms of nodes, for `hog` and `blocking`; who may wait meanwhile
//! locks delayed holder awaited_lock   of a lock: its waits and holds, the function that it delays, its longest holder
//! channels awaited_channel pool   the receiver of a channel, and requests that wait for it or for each other
//! stuck suspicion  the verdicts, and which suspicions are findings
//! contended failing_cell unlisted_lock unlisted_channel inversion held given_up over_capacity nested stopped accepting
//! full_channel bottleneck sequential sequential_inside hog blocking slow_await   what makes calls slow
//! asleep saturated unrecorded blocking_pool runtimes self_wake spinning retries cancelled panicked   what makes all calls slow, or wastes work
//! growing detached closed_channels backlog waiting_jobs lagged missing_await large_future lost_data   risks and notes
//! rank alike       calls all rules, removes repetitions, sorts, keeps ten
//! ```
//! A rule is silent unless it is sure: on a healthy program no rule fires.

mod accepting;
mod alike;
mod asleep;
mod awaited_channel;
mod awaited_lock;
mod backlog;
mod blocking;
mod blocking_pool;
mod bottleneck;
mod cancelled;
mod channels;
mod closed_channels;
mod connections;
mod contended;
mod delayed;
mod detached;
mod endless;
mod events;
mod facts;
mod failing_cell;
mod finding;
mod full_channel;
mod given_up;
mod growing;
mod held;
mod hog;
mod holder;
mod inversion;
mod lagged;
mod large_future;
mod lock_lines;
mod locks;
mod long_polls;
mod lost_data;
mod missing_await;
mod nested;
mod over_capacity;
mod panicked;
mod pool;
mod rank;
mod retries;
mod rule;
mod runtimes;
mod saturated;
mod self_wake;
mod sequential;
mod sequential_inside;
mod site_totals;
mod slow_await;
mod spinning;
mod stopped;
mod stops;
mod stuck;
mod suspicion;
mod texts;
mod unlisted_channel;
mod unlisted_lock;
mod unrecorded;
mod unseen;
mod waiting;
mod waiting_jobs;
mod workers;

pub use finding::{Evidence, Finding, Severity};
pub use rule::Rule;
