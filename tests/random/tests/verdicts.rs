//! Of random programs, none that is proven to be stuck ever ends, and none that is stuck goes unnamed.

use diagnose_random_tests::{Outcome, check};

#[test]
fn none_is_wrong_and_none_is_missing() {
    let (mut ended, mut stuck) = (0, 0);
    for seed in 0..1_000 {
        match check(seed) {
            Ok(Outcome::Ended) => ended += 1,
            Ok(Outcome::Stuck) => stuck += 1,
            Err(wrong) => panic!("{wrong}"),
        }
    }
    println!("{ended} programs ended, {stuck} were stuck");
    assert!(ended > 100 && stuck > 100, "both kinds are among them: {ended} {stuck}");
}
