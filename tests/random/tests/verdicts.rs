//! Of random programs, none that is proven to be stuck ever ends.

use diagnose_random_tests::{Outcome, check};

#[test]
fn none_that_is_proven_to_be_stuck_ends() {
    let (mut ended, mut stuck, mut missed) = (0, 0, 0);
    for seed in 0..1_000 {
        match check(seed) {
            Ok(Outcome::Ended) => ended += 1,
            Ok(Outcome::Stuck) => stuck += 1,
            Ok(Outcome::Missed) => missed += 1,
            Err(wrong) => panic!("{wrong}"),
        }
    }
    println!("{ended} programs ended, {stuck} were stuck and found, {missed} were not found");
    assert!(ended > 100 && stuck > 100, "both kinds are among them: {ended} {stuck}");
}
