//! Each example of the originals' documentation behaves as documented with the wrappers.

use std::process::{ExitCode, Termination};

fn ends_well(result: impl Termination) {
    assert_eq!(format!("{:?}", result.report()), format!("{:?}", ExitCode::SUCCESS));
}

#[test]
fn examples_of_each_are_found() {
    let few: Vec<_> = FOUND.iter().filter(|(_, count)| *count == 0).collect();
    assert!(FOUND.len() == 8 && few.is_empty(), "{FOUND:?}");
}

include!(concat!(env!("OUT_DIR"), "/examples.rs"));
