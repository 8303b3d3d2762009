//! The layer for spans of `tracing`, without the feature `on`: it records nothing.

use tracing_core::Subscriber;
use tracing_subscriber::Layer;

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

impl<S: Subscriber> Layer<S> for TracingLayer {}
