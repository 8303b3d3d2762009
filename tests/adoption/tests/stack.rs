//! A large future needs no more stack than without wrappers: twice its size.

use diagnose::{async_std, smol, tokio};
use std::thread;

/// A future of 256 KiB.
#[allow(clippy::large_stack_arrays)]
async fn large() -> usize {
    let bytes = [1_u8; 256 << 10];
    std::future::ready(()).await;
    bytes.iter().copied().map(usize::from).sum()
}

fn on_small_stack(test: impl FnOnce() -> usize + Send + 'static) {
    let thread = thread::Builder::new().stack_size(800 << 10).spawn(test).unwrap();
    assert_eq!(thread.join().unwrap(), 256 << 10);
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

#[test]
fn tokio_spawns_and_blocks_on_a_large_future() {
    diagnose_isolation::isolated!();
    on_small_stack(|| runtime().block_on(large()));
    on_small_stack(|| runtime().block_on(async { tokio::spawn(large()).await.unwrap() }));
    on_small_stack(|| {
        let runtime = runtime();
        let task = runtime.spawn(large());
        runtime.block_on(task).unwrap()
    });
    on_small_stack(|| {
        let mut set = tokio::task::JoinSet::new();
        set.spawn_local_on(large(), &tokio::task::LocalSet::new());
        set.len() << 18
    });
}

#[test]
fn smol_spawns_a_large_future() {
    diagnose_isolation::isolated!();
    on_small_stack(|| smol::block_on(smol::spawn(large())));
}

#[test]
fn async_std_spawns_a_large_future() {
    diagnose_isolation::isolated!();
    on_small_stack(|| async_std::task::block_on(async_std::task::spawn(large())));
}
