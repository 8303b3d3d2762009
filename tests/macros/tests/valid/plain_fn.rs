//! Functions that are not async.

use diagnose::diagnose;

#[diagnose]
fn first<'a, T>(values: &'a [T]) -> Option<&'a T> {
    let value = values.first()?;
    Some(value)
}

#[test]
fn a_plain_function_is_timed_with_its_early_return() {
    assert_eq!(first(&[7]), Some(&7));
}
