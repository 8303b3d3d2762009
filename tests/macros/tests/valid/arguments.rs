//! Arguments of the attribute.

use diagnose::diagnose;

mod my {
    pub(super) use ::diagnose;
}

#[diagnose(name = "GET /user", label = "user={user}", root, crate = my::diagnose)]
async fn get(user: u64) -> u64 {
    user
}

#[diagnose(skip)]
async fn left_alone() {}

#[test]
fn names_labels_and_roots_are_arguments() {
    diagnose_macros_tests::run(left_alone());
    assert_eq!(diagnose_macros_tests::run(get(7)), 7);
}

/// `ref mut` borrows the argument itself.
#[diagnose]
async fn borrows_its_argument(ref mut sum: u64, (ref mut a, b): (u64, u64)) -> u64 {
    *a += b;
    *sum += *a;
    *sum
}

#[test]
fn a_pattern_may_borrow_its_argument() {
    assert_eq!(diagnose_macros_tests::run(borrows_its_argument(1, (2, 3))), 6);
}
