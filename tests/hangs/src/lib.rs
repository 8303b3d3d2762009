//! Programs that hang, programs that only wait, and the command `hangs` that runs them all and
//! judges what is said of them.
//!
//! ```text
//! programs/  rows with an expectation each     child  one program, looked at from outside: a line of JSON per look
//! source     the marked lines of a program     judge  looks against the expectation
//! campaign   all rows in parallel children     table  what came out
//! sample     the rows that `cargo test` runs
//! ```
//! A program marks its own lines: where it waits ends with `// waits`, where the other took hold
//! with `// holds`. If several lines are marked, any of them is right.

pub mod campaign;
pub mod child;
mod drop_in;
pub mod judge;
pub mod look;
mod noise;
pub mod options;
mod programs;
pub mod row;
pub mod sample;
pub mod source;
pub mod table;

pub use programs::ALL;
