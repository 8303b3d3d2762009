//! Tools for the scenarios: runtimes, nodes by path, and work that is not optimized away.
//!
//! Paths are those of folded stacks, separated by ` > `: `main > my_test > sleep(100).await`.

pub mod runtime;
pub mod stopwatch;
pub mod tree;
pub mod work;
