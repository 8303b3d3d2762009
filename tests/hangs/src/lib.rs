//! Programs that hang, programs that only wait, and the command `hangs`, which runs them all and
//! judges their verdicts.
//!
//! ```text
//! programs/  rows with an expectation each     child  one program, looked at from outside: a line of JSON per look
//! source     the marked lines of a program     judge  looks against the expectation
//! campaign   all rows in parallel children     table  what came out
//! sample     the rows that `cargo test` runs
//! ```
//! A program marks its own lines. A line at which it waits ends with `// waits`, and a line that
//! acquires what is waited for ends with `// holds`. If several lines are marked, any is right.

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
