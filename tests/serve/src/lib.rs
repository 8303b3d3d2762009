//! A small HTTP client, and a program that a test starts.

pub mod client;
pub mod program;
