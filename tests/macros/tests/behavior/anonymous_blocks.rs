//! A block without an attribute, and the body of an async closure, is a span of its own inside an
//! annotated function.

use std::cell::Cell;

use diagnose::diagnose;
use diagnose_macros_tests::{calls, pause, run};
use futures::future::{BoxFuture, FutureExt as _};

/// The calls of `{block}` below one function.
fn blocks_of(function: &str) -> Vec<String> {
    let mut lines = calls("{block}");
    lines.retain(|line| line.ends_with(function));
    lines
}

#[diagnose]
async fn nests() -> u32 {
    let outer = async {
        async { pause().await }.await;
        1
    };
    outer.await
}

#[test]
fn a_block_is_a_child_of_its_enclosing_span() {
    assert_eq!(run(nests()), 1);
    assert_eq!(blocks_of("nests"), ["1 {block} < nests", "1 {block} < {block} < nests"]);
}

#[diagnose]
async fn leaves_out() -> u32 {
    let left_out = #[diagnose(skip)]
    async {
        let inner = async { pause().await };
        inner.await;
        #[diagnose(name = "asked for")]
        async { 2 }.await
    };
    left_out.await
}

#[test]
fn in_a_skipped_block_only_annotated_blocks_are_timed() {
    assert_eq!(run(leaves_out()), 2);
    assert_eq!(blocks_of("leaves_out"), [""; 0]);
    assert_eq!(calls("asked for"), ["1 asked for < leaves_out"]);
}

#[diagnose]
async fn calls_closures() -> u32 {
    let kept = 1;
    let closure = async |by: u32| {
        pause().await;
        if by == 2 {
            return kept;
        }
        kept + by
    };
    let bare = |by: u32| async move { by };
    closure(2).await + closure(3).await + bare(4).await
}

#[test]
fn an_async_closure_is_a_block_per_call() {
    assert_eq!(run(calls_closures()), 1 + 4 + 4);
    assert_eq!(blocks_of("calls_closures"), ["1 {block} < calls_closures", "2 {block} < calls_closures"]);
}

fn is_send<F: Future + Send>(future: F) -> F {
    future
}

#[diagnose]
async fn sends_calls() -> u32 {
    let closure = async |job: Box<dyn Fn() -> u32 + Send>, mut count: Cell<u32>| {
        count.set(job());
        pause().await;
        *count.get_mut() += job();
        count.get()
    };
    is_send(closure(Box::new(|| 3), Cell::new(0))).await
}

/// Otherwise a call would be `Send` only with arguments that are `Sync`.
#[test]
fn an_async_closure_owns_its_arguments() {
    assert_eq!(run(sends_calls()), 6);
}

#[diagnose]
fn is_boxed() -> BoxFuture<'static, u32> {
    Box::pin(async { 1 })
}

#[diagnose]
fn is_aliased(which: bool) -> BoxFuture<'static, u32> {
    async move { u32::from(which) }.boxed()
}

#[diagnose]
fn ends_early(which: bool) -> BoxFuture<'static, u32> {
    if which {
        return Box::pin(async { 1 });
    }
    match u32::from(which) {
        1 => Box::pin(async { 2 }),
        _ => Box::pin(async { async { 3 }.await }),
    }
}

#[diagnose]
fn is_last() -> impl Future<Output = u32> {
    async move { 4 }
}

#[test]
fn the_future_of_a_function_is_not_a_block() {
    assert_eq!(run(is_boxed()) + run(is_aliased(true)) + run(is_last()), 6);
    assert_eq!(run(ends_early(true)) + run(ends_early(false)), 4);
    for function in ["is_boxed", "is_aliased", "is_last"] {
        assert_eq!(blocks_of(function), [""; 0]);
    }
    assert_eq!(blocks_of("ends_early"), ["1 {block} < ends_early"]);
}

#[diagnose]
fn starts() -> BoxFuture<'static, Result<Box<dyn Send>, Box<dyn std::error::Error>>> {
    let future = async move {
        let task = tokio::spawn(async move { "1".parse::<u32>() });
        Ok(Box::new(task.await??) as Box<dyn Send>)
    };
    Box::pin(future)
}

#[tokio::test]
async fn type_inference_is_unchanged() {
    assert!(starts().await.is_ok());
    assert_eq!(blocks_of("starts"), ["1 {block} < starts"], "a spawned block is a root");
}

#[diagnose]
async fn computes() -> u32 {
    let sum = async |n: u32| if n > 3 { 1 } else { 2 } + std::future::ready(n).await;
    sum(4).await + sum(1).await
}

#[test]
fn the_body_of_a_closure_may_begin_with_a_block() {
    assert_eq!(run(computes()), 8);
}
