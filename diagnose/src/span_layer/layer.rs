//! The layer that a subscriber calls.

use std::sync::{Arc, OnceLock};

use tracing_core::dispatcher::WeakDispatch;
use tracing_core::span::{Attributes, Id};
use tracing_core::{Dispatch, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::ids;
use super::sites::site_of;
use crate::recorder::TracedSpan;

/// Records spans of `tracing` as paths of the tree, for code that is instrumented already.
///
/// Each entry of a span is a poll, and the time between two is idle, until the span is closed. So
/// an `async fn` with `#[tracing::instrument]` has its calls, polls, busy and idle time exactly,
/// below the function that polls it, annotated or traced. A filter on this layer selects spans, and
/// so does [`Builder::only`](crate::Builder::only).
///
/// `tracing` does not report how a future ends. This has consequences:
/// - A closed span counts as completed, also if its future was cancelled, or as panicked.
/// - The last of several entries counts as the drop of the future, and not as a poll. So a span
///   that is entered several times by hand has one poll too few.
/// - Spans are no tasks, and not in the list of live spans. Outside of tasks, spans have no wakes,
///   and an annotated future inside a span is a task of its own.
/// - A span whose guard is held over an `.await` has a poll without a length, once the thread runs
///   something else. `tracing` advises against that too.
/// - A function with both attributes is two paths: its span, and below that the annotated function.
///
/// The layer writes the ids of the running task and annotated span into the fields `diagnose.task`
/// and `diagnose.span` of spans that declare them as `tracing::field::Empty`. So log lines can be
/// compared with reports.
///
/// # Examples
/// ```
/// use tracing::instrument::WithSubscriber as _;
/// use tracing_subscriber::layer::SubscriberExt as _;
///
/// #[tracing::instrument(fields(diagnose.task = tracing::field::Empty))]
/// async fn handle() {}
///
/// let subscriber = tracing_subscriber::registry().with(diagnose::TracingLayer::new());
/// futures::executor::block_on(handle().with_subscriber(subscriber));
/// let snapshot = diagnose::snapshot();
/// let node = &snapshot.nodes[0];
/// assert_eq!(snapshot.sites[node.site].name, "handle");
/// assert_eq!((node.calls, node.polls, node.completed), (1, 1, 1));
/// ```
///
/// # Cost
/// Besides that of `tracing` itself: two clock readings and a lock of the span's own for each
/// entry, and two allocations for each span.
#[derive(Debug, Default)]
pub struct TracingLayer {
    /// The subscriber that it is part of, to record ids.
    dispatch: OnceLock<WeakDispatch>,
}

/// The recorder's part of a span, in the span's extensions.
struct Traced(Arc<TracedSpan>);

impl TracingLayer {
    /// Creates the layer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl<S> Layer<S> for TracingLayer
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_register_dispatch(&self, dispatch: &Dispatch) {
        let _ = self.dispatch.set(dispatch.downgrade());
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(site) = site_of(attributes.metadata()) else { return };
        if let Some(span) = context.span(id) {
            // Another layer of this type may have put its own there, so it is no `insert`.
            span.extensions_mut().replace(Traced(Arc::new(TracedSpan::new(site))));
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let Some(traced) = traced(id, &context) else { return };
        // The ids of what runs around the span.
        if let Some(metadata) = context.metadata(id).filter(|metadata| ids::has_fields(metadata)) {
            if let Some(dispatch) = self.dispatch.get().and_then(WeakDispatch::upgrade) {
                ids::record(&traced, &dispatch, id, metadata);
            }
        }
        traced.enter();
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        if let Some(traced) = traced(id, &context) {
            traced.exit();
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        if let Some(traced) = traced(&id, &context) {
            traced.close();
        }
    }
}

/// Returns the recorder's part of a span, without keeping a lock of its extensions.
fn traced<S>(id: &Id, context: &Context<'_, S>) -> Option<Arc<TracedSpan>>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let span = context.span(id)?;
    let extensions = span.extensions();
    extensions.get::<Traced>().map(|traced| Arc::clone(&traced.0))
}
