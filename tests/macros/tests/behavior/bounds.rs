//! A future is `Send` and `Sync` where the bare one is. (Where it is not: see `ui/fail`.)

use std::rc::Rc;
use std::sync::Arc;

use diagnose::{FutureExt as _, diagnose};
use diagnose_macros_tests::{pause, run};

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
