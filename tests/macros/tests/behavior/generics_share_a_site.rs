//! All instances of a generic function are one site.

use diagnose::diagnose;
use diagnose_macros_tests::{calls, run, sites};

#[diagnose]
async fn shared<T: Default, const N: usize>(values: [T; N]) -> (T, usize) {
    (values.into_iter().next().unwrap_or_default(), N)
}

#[test]
fn one_site_for_all_types() {
    assert_eq!(run(shared([1_u8, 2])), (1, 2));
    assert_eq!(run(shared::<String, 0>([])), (String::new(), 0));
    assert_eq!(sites("shared").len(), 1);
    assert_eq!(calls("shared"), ["2 shared"]);
}
