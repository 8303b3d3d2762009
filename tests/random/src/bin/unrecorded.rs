//! `unrecorded [FIRST] [COUNT]`: runs `COUNT` random programs with unrecorded steps, starting with
//! seed `FIRST`, and prints the results. The second half runs beside a thread that is older than
//! the programs. Fails if a proof was wrong, or if more than one in a thousand programs that ended
//! had a likely verdict. Prints the first of both kinds.

use std::thread;
use std::time::Duration;

use diagnose_random_tests::{Suspicion, check_unrecorded, start_older_thread};

/// The number of failures of each kind that are printed in full.
const STORIES: u64 = 5;
/// How long the older thread runs before the next program starts. It exceeds the resolution of the
/// kernel, which reports the start of a thread in hundredths of a second.
const OLDER: Duration = Duration::from_millis(100);

fn main() {
    let mut arguments = std::env::args().skip(1).map(|it| it.parse::<u64>().expect("a number"));
    let first = arguments.next().unwrap_or(0);
    let count = arguments.next().unwrap_or(100_000);
    let (mut quiet, mut stuck, mut doubted, mut alarmed, mut wrong) = (0, 0, 0, 0, 0);
    for seed in first..first + count {
        if seed == first + count / 2 {
            start_older_thread();
            thread::sleep(OLDER);
        }
        let (counter, story) = match check_unrecorded(seed) {
            Suspicion::Quiet => (&mut quiet, None),
            Suspicion::Stuck => (&mut stuck, None),
            Suspicion::LikelyWrong(story) => (&mut doubted, Some(story)),
            Suspicion::LikelyEnded(story) => (&mut alarmed, Some(story)),
            Suspicion::Wrong(story) => (&mut wrong, Some(story)),
        };
        *counter += 1;
        if let Some(story) = story.filter(|_| *counter <= STORIES) {
            println!("{story}");
        }
    }
    println!(
        "{count} programs: {quiet} ended with nothing likely, {stuck} did not end, {doubted} did not end and had a likely verdict of a task that went on, {alarmed} ended and had a likely verdict, {wrong} proofs were wrong"
    );
    // At most one in a thousand; one of fewer says nothing.
    if wrong > 0 || alarmed * 1_000 > (quiet + alarmed).max(1_000) {
        std::process::exit(1);
    }
}
