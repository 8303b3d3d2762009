//! `diagnose run`: runs a program, and prints its report at its end.
//!
//! `arguments` has the flags, the environment they stand for, and the exit status; `child` starts
//! the program, waits for its end and interrupts it; `report` collects its dumps.

mod arguments;
mod child;
mod report;

pub(crate) use arguments::{Args, run};
