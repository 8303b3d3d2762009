//! `random [FIRST] [COUNT]`: runs so many random programs, from that seed on, and says how they went. Fails if a verdict was
//! wrong, or one was missing; of those, the first are told.

use diagnose_random_tests::{Outcome, check};

/// So many stories of each kind are told.
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
