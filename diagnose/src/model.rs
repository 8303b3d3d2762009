//! The data of a [`Snapshot`], and the verdicts that are computed from it.
//!
//! ```text
//! Snapshot ─┬ sites                     annotated places and awaits
//!           ├ nodes                     what was spent, per call path
//!           ├ runtimes workers tasks spans     what is alive
//!           ├ resources ─ holdings      locks, channels, …, and the tasks that have a part in them
//!           ├ waits                     futures and threads that wait for a resource, a task or a moment
//!           └ verdicts()                what cannot make progress, and why
//! ```

pub use diagnose_reports::model::*;
pub use diagnose_reports::{
    Confidence, Link, LinkNode, LinkRole, LockInversion, Verdict, VerdictDetail, VerdictKind,
};
