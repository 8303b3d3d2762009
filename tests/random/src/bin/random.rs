//! `random [FIRST] [COUNT]`: runs so many random programs, from that seed on.

use diagnose_random_tests::{Outcome, check};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|it| it.parse::<u64>().expect("a number"));
    let first = arguments.next().unwrap_or(0);
    let count = arguments.next().unwrap_or(100_000);
    let (mut ended, mut stuck, mut missed, mut wrong) = (0, 0, 0, 0);
    for seed in first..first + count {
        match check(seed) {
            Ok(Outcome::Ended) => ended += 1,
            Ok(Outcome::Stuck) => stuck += 1,
            Ok(Outcome::Missed) => missed += 1,
            Err(what) => {
                wrong += 1;
                println!("{what}");
                if wrong == 5 {
                    break;
                }
            }
        }
    }
    println!(
        "{ended} programs ended, {stuck} were stuck and found, {missed} not found, {wrong} verdicts were wrong"
    );
    if wrong > 0 {
        std::process::exit(1);
    }
}
