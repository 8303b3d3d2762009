//! The examples in the documentation of tokio, async-lock and `parking_lot`, taken from the sources
//! that the workspace is built with, and run with `use diagnose::tokio;` and the like in front.
//! What is left out, and why, stands in `build.rs`.
