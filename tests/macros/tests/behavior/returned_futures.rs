//! A function that returns a future without being async: the future is timed, and what comes before
//! it still happens when the function is called.

use std::fmt::Display;
use std::future::Future;
use std::pin::Pin;

use diagnose::diagnose;
use diagnose_macros_tests::{calls, drops, note, pause, run};
use futures::future::{BoxFuture, FutureExt as _, LocalBoxFuture};

#[diagnose]
fn opaque(text: &str) -> impl Future<Output = usize> + Send {
    note("called");
    let length = text.len();
    async move {
        note("polled");
        pause().await;
        length
    }
}

#[diagnose]
fn opaque_early(none: bool) -> impl Future<Output = usize> {
    if none {
        return std::future::ready(0);
    }
    std::future::ready(1)
}

#[diagnose]
fn boxed_borrow<'a>(text: &'a str) -> Pin<Box<dyn Future<Output = &'a str> + Send + 'a>> {
    Box::pin(async move {
        pause().await;
        text
    })
}

#[diagnose]
fn boxed_either(first: bool) -> Pin<Box<dyn Future<Output = u32>>> {
    if first {
        return Box::pin(async { 1 });
    }
    if std::hint::black_box(first) { Box::pin(std::future::ready(2)) } else { Box::pin(async { 3 }) }
}

#[diagnose]
fn aliased(number: u32) -> BoxFuture<'static, u32> {
    async move { number }.boxed()
}

#[diagnose(root, name = "local")]
fn aliased_local(number: u32) -> LocalBoxFuture<'static, u32> {
    std::future::ready(number).boxed_local()
}

#[diagnose]
async fn caller() {
    assert_eq!(boxed_borrow("abc").await, "abc");
}

#[test]
fn statements_before_the_future_stay_where_they_were() {
    let _ = drops();
    let future = opaque("four");
    assert_eq!(drops(), ["called"]);
    assert!(calls("opaque").is_empty(), "only its polls are timed");
    assert_eq!(run(future), 4);
    assert_eq!(drops(), ["polled"]);
    assert_eq!(calls("opaque"), ["1 opaque"]);
}

#[test]
fn futures_of_all_return_paths_are_timed() {
    assert_eq!((run(opaque_early(true)), run(opaque_early(false))), (0, 1));
    assert_eq!(calls("opaque_early"), ["2 opaque_early"]);
    assert_eq!((run(boxed_either(true)), run(boxed_either(false))), (1, 3));
    assert_eq!(calls("boxed_either"), ["2 boxed_either"]);
}

#[test]
fn boxed_futures_and_their_aliases_are_recognized() {
    run(caller());
    assert_eq!(calls("boxed_borrow"), ["1 boxed_borrow < caller"]);
    assert_eq!(run(aliased(4)), 4);
    assert_eq!(calls("aliased"), ["1 aliased"]);
    assert_eq!(run(aliased_local(5)), 5);
    assert_eq!(calls("local"), ["1 local"]);
}

#[diagnose]
fn opaque_output(number: u32) -> BoxFuture<'static, impl Display> {
    async move { number }.boxed()
}

#[diagnose]
fn opaque_output_early(
    text: &str,
) -> Pin<Box<dyn Future<Output = Result<impl Display + use<>, String>> + '_>> {
    if text.is_empty() {
        return Box::pin(async { Err("empty".to_owned()) });
    }
    let length = text.len();
    Box::pin(async move {
        pause().await;
        Ok(length)
    })
}

#[test]
fn the_output_of_a_boxed_future_may_be_opaque() {
    assert_eq!(run(opaque_output(6)).to_string(), "6");
    assert_eq!(calls("opaque_output"), ["1 opaque_output"]);
    assert_eq!(run(opaque_output_early("")).err(), Some("empty".to_owned()));
    assert_eq!(run(opaque_output_early("two")).unwrap().to_string(), "3");
    assert_eq!(calls("opaque_output_early"), ["2 opaque_output_early"]);
}
