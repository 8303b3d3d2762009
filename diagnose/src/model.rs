//! The data of a [`Snapshot`], and the verdicts and findings that are computed from it.
//!
//! ```text
//! Snapshot ─┬ sites                     annotated places and awaits
//!           ├ nodes                     what was spent, per call path
//!           ├ runtimes workers tasks spans     what is alive
//!           ├ resources ─ holdings      locks, channels, …, and the tasks that have a part in them
//!           ├ waits                     futures and threads that wait for a resource, a task or a moment
//!           ├ verdicts()                what cannot make progress, and why
//!           └ findings()                what to look at first
//! ```

pub use diagnose_reports::model::*;
pub use diagnose_reports::{
    Confidence, Evidence, Finding, FunctionLatency, LatencyQuantiles, Link, LinkNode, LinkRole,
    LockInversion, Rule, Severity, Verdict, VerdictDetail, VerdictKind,
};
