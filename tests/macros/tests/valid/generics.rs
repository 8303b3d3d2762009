//! Generic functions.

use std::fmt::Display;

use diagnose::diagnose;

#[diagnose]
async fn join<'a, T, U: ?Sized, const N: usize>(
    parts: [T; N],
    between: &'a U,
    end: impl Display,
) -> impl Display
where
    T: AsRef<str> + 'a,
    U: AsRef<str>,
{
    let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
    parts.join(between.as_ref()) + &end.to_string()
}

#[test]
fn a_function_has_lifetimes_types_constants_and_bounds() {
    assert_eq!(diagnose_macros_tests::run(join(["a", "b"], "-", 7)).to_string(), "a-b7");
}
