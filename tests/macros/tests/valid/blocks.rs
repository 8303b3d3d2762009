//! Async blocks and other futures.

use diagnose::{FutureExt as _, diagnose};

#[diagnose]
async fn caller() -> u32 {
    let first = #[diagnose]
    async move {
        1
    };
    let second = #[diagnose(name = "second")]
    async {
        2
    };
    let third = diagnose::block!("third", async { 3 });
    let fourth = diagnose::block!(async { 4 });
    let fifth = std::future::ready(5).diagnose("fifth");
    first.await + second.await + third.await + fourth.await + fifth.await
}

#[test]
fn blocks_and_futures_are_annotated_in_a_body() {
    assert_eq!(diagnose_macros_tests::run(caller()), 15);
}
