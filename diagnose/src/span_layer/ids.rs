//! Ids of this crate in fields of a span: `diagnose.task` and `diagnose.span`.
//!
//! A layer cannot add fields to a span. So these are recorded in spans that declare them as empty.

use tracing_core::field::Value;
use tracing_core::span::{Id, Record};
use tracing_core::{Dispatch, Metadata};

use crate::context;
use crate::recorder::TracedSpan;

/// The field for the id of the task that enters the span.
const TASK: &str = "diagnose.task";
/// The field for the id of the annotated span around it.
const SPAN: &str = "diagnose.span";

/// Returns whether the span has a field for an id.
pub(super) fn has_fields(metadata: &Metadata<'_>) -> bool {
    [TASK, SPAN].into_iter().any(|name| metadata.fields().field(name).is_some())
}

/// Records the ids of the running task and span once, where the traced span has a field for them.
pub(super) fn record(traced: &TracedSpan, dispatch: &Dispatch, id: &Id, metadata: &Metadata<'_>) {
    let fields = metadata.fields();
    let ids = [(TASK, context::task()), (SPAN, context::span())];
    let fields_and_ids = ids.into_iter().filter_map(|(name, id)| Some((fields.field(name)?, id)));
    let mut known = fields_and_ids.filter(|(_, id)| *id != 0).peekable();
    if known.peek().is_none() || !traced.lacks_ids() {
        return;
    }
    for (field, number) in known {
        let values = [(&field, Some(&number as &dyn Value))];
        dispatch.record(id, &Record::new(&fields.value_set(&values)));
    }
}
