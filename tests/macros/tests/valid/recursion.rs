//! Recursive functions.

use diagnose::diagnose;

#[diagnose]
async fn sum(numbers: &[u32]) -> u32 {
    match numbers {
        [] => 0,
        [first, rest @ ..] => first + Box::pin(sum(rest)).await,
    }
}

#[test]
fn a_boxed_future_may_be_recursive() {
    assert_eq!(diagnose_macros_tests::run(sum(&[1, 2, 3])), 6);
}
