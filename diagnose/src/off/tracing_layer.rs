//! The layer for spans of `tracing`, without the feature `on`: it records nothing.

use tracing_core::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::registry::LookupSpan;

/// Records nothing.
#[derive(Debug, Default)]
pub struct TracingLayer(());

impl TracingLayer {
    /// Creates the layer.
    #[must_use]
    pub fn new() -> Self {
        Self(())
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for TracingLayer {}
