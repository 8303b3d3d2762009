//! `random [FIRST] [COUNT]`: runs `COUNT` random programs, starting with seed `FIRST`, and prints
//! the results. Fails if a verdict was wrong or missing, and prints the first such programs.

use diagnose_random_tests::{Outcome, check};

/// The number of failures of each kind that are printed in full.
const STORIES: u64 = 5;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|it| it.parse::<u64>().expect("a number"));
    let first = arguments.next().unwrap_or(0);
    let count = arguments.next().unwrap_or(100_000);
    let (mut ended, mut stuck, mut idle, mut missed, mut wrong) = (0, 0, 0, 0, 0);
    for seed in first..first + count {
        let (counter, story) = match check(seed) {
            Outcome::Ended => (&mut ended, None),
            Outcome::Stuck => (&mut stuck, None),
            Outcome::Idle => (&mut idle, None),
            Outcome::Missed(story) => (&mut missed, Some(story)),
            Outcome::Wrong(story) => (&mut wrong, Some(story)),
        };
        *counter += 1;
        if let Some(story) = story.filter(|_| *counter <= STORIES) {
            println!("{story}");
        }
    }
    println!(
        "{count} programs: {ended} ended, {stuck} were stuck and found, {idle} were idle, {missed} were not found, {wrong} verdicts were wrong"
    );
    if missed + wrong > 0 {
        std::process::exit(1);
    }
}
