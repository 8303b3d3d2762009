//! Alarms for the program's own code, and spans of `tracing` in the tree.

mod alarms;
mod layer;
mod misuse;
mod support;
mod waits_for_others;
