//! `TracingLayer`: spans of `tracing` as paths of the tree, for code that is instrumented already.
//!
//! ```text
//! layer   what a subscriber calls: new span, enter, exit, close
//! sites   one site per call site of `tracing`
//! ids     ids of this crate in fields of a span
//! ```
//! The recorder's part is `recorder::TracedSpan`.

mod ids;
mod layer;
mod sites;

pub use layer::TracingLayer;
