//! Tools for the scenarios: four runtimes behind one face, nodes by their path, work that the compiler cannot take away.
//!
//! A path is what the folded stacks have, with ` > ` between names: `main > my_test > sleep(100).await`.

pub mod runtime;
pub mod stopwatch;
pub mod tree;
pub mod work;
