//! The documentation examples of tokio and the other wrapped crates, run against their wrappers.
//! They come from the sources that the workspace is built with, each with an import such as
//! `use diagnose::tokio;` in front. `build.rs` lists the examples that are left out, and why.
