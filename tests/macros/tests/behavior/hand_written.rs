//! `#[diagnose]` on `impl Future` times its polls, on `impl Stream` its items, under the type's
//! name.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use diagnose::diagnose;
use diagnose_macros_tests::{calls, run};
use futures::StreamExt as _;
use futures::stream::Stream;

struct Countdown(u32);

#[diagnose]
impl Future for Countdown {
    type Output = &'static str;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.0 == 0 {
            return Poll::Ready("lift-off");
        }
        self.0 -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

struct Numbers(u32);

#[diagnose]
impl Stream for Numbers {
    type Item = Result<u32, String>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = self.0.checked_sub(1).ok_or("over");
        let Ok(next) = next else { return Poll::Ready(None) };
        self.0 = next;
        Poll::Ready(Some(Ok(next)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, None)
    }
}

/// Ends with an error, which only the type that `poll` returns makes a trait object.
struct Fails;

#[diagnose]
impl Future for Fails {
    type Output = Box<dyn std::error::Error>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(Box::new(std::fmt::Error))
    }
}

struct Made;

#[diagnose]
impl Future for Made {
    type Output = u32;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<u32> {
        let mut made = std::pin::pin!(
            #[diagnose(name = "made_in_poll")]
            async {
                7
            }
        );
        made.as_mut().poll(context)
    }
}

#[diagnose]
impl Made {
    /// A `const fn` cannot be timed. Under the attribute on its block, it stays as it is.
    const fn later() -> impl Future<Output = u32> {
        Self
    }
}

/// A trait with the name of another.
mod other {
    pub(super) trait Stream {
        fn poll_next(&mut self) -> usize;
    }

    pub(super) trait Future {
        fn poll(&mut self);
    }

    pub(super) mod items {
        pub(crate) trait Stream {
            fn poll_next(&mut self) -> std::task::Poll<usize>;
        }
    }

    /// As in futures 0.1.
    pub(super) mod results {
        pub(crate) type Poll<T, E> = Result<Option<T>, E>;

        pub(crate) trait Future {
            fn poll(&mut self) -> Poll<usize, ()>;
        }
    }
}

struct Other(usize);

#[diagnose]
impl other::Stream for Other {
    fn poll_next(&mut self) -> usize {
        self.0 += 1;
        self.0
    }
}

#[diagnose(all)]
impl other::Future for Other {
    fn poll(&mut self) {
        self.0 += 1;
    }
}

#[diagnose]
impl other::items::Stream for Other {
    fn poll_next(&mut self) -> Poll<usize> {
        Poll::Ready(self.0)
    }
}

#[diagnose]
impl other::results::Future for Other {
    fn poll(&mut self) -> other::results::Poll<usize, ()> {
        Ok(Some(self.0))
    }
}

/// Calls and polls of a name.
fn counts(name: &str) -> (u64, u64) {
    let snapshot = diagnose::snapshot();
    let node = snapshot.nodes.iter().find(|node| snapshot.sites[node.site].name == name);
    let node = node.expect("it was recorded");
    assert_eq!(snapshot.sites[node.site].kind, diagnose::model::SiteKind::Impl);
    assert_eq!(node.calls, node.completed);
    (node.calls, node.polls)
}

#[test]
fn what_poll_returns_is_coerced_to_its_type() {
    assert!(run(Fails).is::<std::fmt::Error>());
    assert_eq!(counts("Fails"), (1, 1));
}

#[test]
fn a_future_is_a_call_once_it_is_ready() {
    assert_eq!(run(Countdown(3)), "lift-off");
    assert_eq!(counts("Countdown"), (1, 4));
}

#[diagnose]
async fn annotated() -> u32 {
    Made::later().await
}

#[test]
fn blocks_in_its_poll_are_spans_and_tasks_if_an_executor_polls_it() {
    assert_eq!(run(annotated()), 7);
    assert_eq!(calls("made_in_poll"), ["1 made_in_poll < Made < annotated"]);
    assert_eq!(run(Made::later()), 7);
    assert_eq!(calls("made_in_poll"), ["1 made_in_poll", "1 made_in_poll < Made < annotated"]);
}

#[test]
fn each_item_of_a_stream_is_a_call() {
    assert_eq!(run(Numbers(3).count()), 3);
    assert_eq!(counts("Numbers"), (3, 4));
}

#[test]
fn a_method_that_returns_no_poll_is_a_method_as_any_other() {
    let mut other = Other(0);
    assert_eq!(other::Stream::poll_next(&mut other), 1);
    other::Future::poll(&mut other);
    assert_eq!(other::items::Stream::poll_next(&mut other), Poll::Ready(2));
    assert_eq!(other::results::Future::poll(&mut other), Ok(Some(2)));
    assert_eq!(calls("Other::poll"), ["1 Other::poll"]);
    assert!(calls("Other").is_empty() && calls("Other::poll_next").is_empty());
}

macro_rules! try_ready {
    ($poll:expr) => {
        match $poll {
            Poll::Ready(Ok(value)) => value,
            Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
            Poll::Pending => return Poll::Pending,
        }
    };
}

struct Adds<F>(F);

#[diagnose]
impl<F: Future<Output = Result<u32, u32>> + Unpin> Future for Adds<F> {
    type Output = Result<u32, u32>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let number = try_ready!(Pin::new(&mut self.0).poll(context));
        Poll::Ready(Ok(number + 1))
    }
}

#[test]
fn a_poll_that_a_macro_ends_is_counted() {
    assert_eq!(run(Adds(std::future::ready(Ok(1)))), Ok(2));
    assert_eq!(run(Adds(std::future::ready(Err(1)))), Err(1));
    assert_eq!(calls("Adds"), ["2 Adds"]);
}
