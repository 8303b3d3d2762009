//! The await tree below an await whose future is not known to be a span.
//!
//! ```text
//! serve ─ boxed().await ─ work ─ pending().await
//! ```

use std::future::{Future, pending};
use std::pin::Pin;

use diagnose::diagnose;
use diagnose::model::SpanIndex;
use diagnose_isolation::isolated;

#[diagnose]
async fn work() {
    pending::<()>().await;
}

fn boxed() -> Pin<Box<dyn Future<Output = ()>>> {
    Box::pin(work())
}

#[diagnose(root)]
async fn serve() {
    boxed().await;
}

#[test]
fn a_span_in_a_box_is_below_the_await_that_polls_it() {
    isolated!();
    let mut task = Box::pin(serve());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(task.as_mut().poll(&mut context).is_pending());
    let snapshot = diagnose::snapshot();
    let deepest = SpanIndex::new(snapshot.spans.len() - 1);
    let above = |span: &SpanIndex| snapshot.spans[*span].parent;
    let names: Vec<&str> = std::iter::successors(Some(deepest), above)
        .map(|span| snapshot.sites[snapshot.spans[span].site].name.as_str())
        .collect();
    assert_eq!(names, ["pending::<()>().await", "work", "boxed().await", "serve"]);
}
