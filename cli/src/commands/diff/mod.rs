//! `diagnose diff`: prints the functions that became slower or faster.
//!
//! `arguments` reads both sides and decides on the exit status; `page` prints the comparison as
//! text or Markdown. The comparison itself is [`diagnose_reports::diff`].

mod arguments;
mod page;

pub(crate) use arguments::{Args, run};
