//! A function may call itself through a box, and its future may still be sent.

use diagnose::diagnose;
use diagnose_macros_tests::{calls, pause, run};

#[diagnose]
async fn down(from: u32) -> u32 {
    pause().await;
    if from == 0 { 0 } else { 1 + Box::pin(down(from - 1)).await }
}

#[diagnose]
async fn even(n: u32) -> bool {
    if n == 0 { true } else { Box::pin(odd(n - 1)).await }
}

#[diagnose]
async fn odd(n: u32) -> bool {
    if n == 0 { false } else { Box::pin(even(n - 1)).await }
}

#[test]
fn recursion_is_a_path() {
    fn is_send<T: Send>(value: T) -> T {
        value
    }
    assert_eq!(run(is_send(down(2))), 2);
    assert!(!run(is_send(even(1))));
    assert_eq!(calls("down"), ["1 down", "1 down < down", "1 down < down < down"]);
    assert_eq!(calls("odd"), ["1 odd < even"]);
}
