//! `diagnose run`: runs a program, and prints its report at its end.
//!
//! `execute` runs the steps in order. `arguments` has the flags, and the environment variables that
//! they set. `child` starts the program, waits for its end and interrupts it. `report` collects its
//! dumps.

mod arguments;
mod child;
mod execute;
mod report;

pub(crate) use arguments::Args;
pub(crate) use execute::run;
