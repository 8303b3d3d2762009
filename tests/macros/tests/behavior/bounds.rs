//! A future is `Send` and `Sync` where the bare one is. (Where it is not: see `ui/fail`.) In a
//! container, one that must be `Clone` stays bare.

use std::future::Future;
use std::rc::Rc;
use std::sync::Arc;

use diagnose::{FutureExt as _, diagnose};
use diagnose_macros_tests::{calls, pause, run};

fn is_send<T: Send>(value: T) -> T {
    value
}

fn is_sync<T: Sync>(value: T) -> T {
    value
}

#[diagnose(label = "{a}")]
async fn plain(a: u32, b: &str, (c, _): (Arc<u8>, u8)) -> usize {
    pause().await;
    a as usize + b.len() + usize::from(*c)
}

#[diagnose]
async fn generic<T>(value: T) -> T {
    pause().await;
    value
}

#[diagnose]
async fn dropped_before_the_await(a: u32) -> u32 {
    let shared = Rc::new(a);
    let copy = *shared;
    drop(shared);
    copy
}

/// A trait object is `Sync` only if it says so.
#[diagnose]
async fn boxed(value: Box<dyn Fn() -> u32 + Send>) -> u32 {
    value()
}

#[diagnose]
async fn with_blocks() -> u32 {
    let block = #[diagnose]
    async {
        pause().await;
        1
    };
    block.await + diagnose::block!("b", async { 2 }).diagnose("c").await
}

#[test]
fn send_and_sync_are_kept() {
    assert_eq!(run(is_sync(is_send(plain(1, "ab", (Arc::new(1), 2))))), 4);
    assert_eq!(run(is_sync(is_send(generic(7)))), 7);
    assert_eq!(*run(generic(Rc::new(8))), 8);
    assert_eq!(run(dropped_before_the_await(3)), 3);
    assert_eq!(run(is_send(boxed(Box::new(|| 5)))), 5);
    assert_eq!(run(is_sync(is_send(with_blocks()))), 3);
}

/// Every type is this, as in crates that also run on one thread.
trait MaybeSend {}

impl<T> MaybeSend for T {}

struct Shares;

#[diagnose(all)]
impl Shares {
    fn shared(number: u32) -> impl Future<Output = u32> + Send + Clone {
        futures::FutureExt::shared(async move { number })
    }

    fn stream(number: u32) -> impl Future<Output = u32> + futures::stream::FusedStream<Item = u32> {
        Both(futures::future::ready(number))
    }

    async fn later() -> impl Future<Output = u32> + Copy {
        Always
    }

    fn maybe_send(number: u32) -> impl Future<Output = u32> + MaybeSend + Unpin + std::fmt::Debug {
        std::future::ready(number)
    }
}

#[diagnose]
trait ReturnsOrdered {
    fn ordered(&self) -> impl Future<Output = u32> + Ord + Copy {
        Always
    }
}

impl ReturnsOrdered for Shares {}

#[diagnose]
mod inside {
    pub(super) fn shown() -> impl std::future::Future<Output = u32> + std::fmt::Display {
        super::Always
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Always;

impl Future for Always {
    type Output = u32;

    fn poll(self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<u32> {
        std::task::Poll::Ready(4)
    }
}

impl std::fmt::Display for Always {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("always")
    }
}

/// A future that is a stream too.
struct Both(futures::future::Ready<u32>);

impl Future for Both {
    type Output = u32;

    fn poll(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<u32> {
        std::pin::Pin::new(&mut self.0).poll(context)
    }
}

impl futures::Stream for Both {
    type Item = u32;

    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<u32>> {
        self.poll(context).map(Some)
    }
}

impl futures::stream::FusedStream for Both {
    fn is_terminated(&self) -> bool {
        futures::future::FusedFuture::is_terminated(&self.0)
    }
}

#[test]
fn a_future_that_must_be_more_than_a_timed_one_is_left_alone_in_a_container() {
    let shared = Shares::shared(1);
    assert_eq!(run(shared.clone()) + run(shared), 2);
    assert_eq!(run(Shares::stream(2)), 2);
    assert_eq!(run(Shares::maybe_send(3)), 3);
    assert_eq!(run(Shares.ordered()), 4);
    assert_eq!(inside::shown().to_string(), "always");
    assert_eq!(run(inside::shown()), 4);
    assert_eq!(run(run(Shares::later())), 4);
    assert_eq!(calls("Shares::maybe_send"), ["1 Shares::maybe_send"]);
    assert_eq!(calls("Shares::later"), ["1 Shares::later"]);
    for untimed in ["Shares::shared", "Shares::stream", "ReturnsOrdered::ordered", "shown"] {
        assert!(calls(untimed).is_empty(), "{untimed}");
    }
}
