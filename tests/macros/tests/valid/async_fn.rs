//! An async function.

use diagnose::diagnose;

#[diagnose]
async fn add(a: u32, (b, _): (u32, u32), mut rest: Vec<u32>) -> Result<u32, std::num::ParseIntError> {
    rest.push("1".parse()?);
    Ok(a + b + rest.iter().sum::<u32>())
}

#[test]
fn an_async_function_takes_patterns_and_returns_errors() {
    assert_eq!(diagnose_macros_tests::run(add(1, (2, 3), vec![4])), Ok(8));
}
