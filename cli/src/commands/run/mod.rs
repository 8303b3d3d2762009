//! `diagnose run`: runs a program, and prints its report at its end.
//!
//! `execute` has the order of it; `arguments` has the flags, and the environment they stand for;
//! `child` starts the program, waits for its end and interrupts it; `report` collects its dumps.

mod arguments;
mod child;
mod execute;
mod report;

pub(crate) use arguments::Args;
pub(crate) use execute::run;
