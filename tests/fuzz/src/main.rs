//! `fuzz <inputs> [seed] [first]`: checks this number of inputs of a seed, and saves those that
//! fail as files.

use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, fs};

use diagnose_fuzz_tests::{check, corpus, mutate};

/// The number of failures after which the run ends.
const MAX_FAILURES: u32 = 20;

fn main() -> ExitCode {
    let mut numbers = env::args().skip(1).map(|argument| argument.parse::<u64>().expect("a number"));
    let (count, seed) = (numbers.next().unwrap_or(10_000), numbers.next().unwrap_or(1));
    let first = numbers.next().unwrap_or(0);
    // Failures are printed below. The panic hook also prints where a panic occurred.
    let corpus = corpus::all();
    let (start, mut said) = (Instant::now(), Instant::now());
    let (mut read, mut failures) = (0_u64, 0);
    for number in first..first.saturating_add(count) {
        let input = mutate::input(&corpus, seed, number);
        match check::check(&input, number) {
            Ok(is_read) => read += u64::from(is_read),
            Err(fault) => {
                let path = env::temp_dir().join(format!("diagnose-fuzz-{seed}-{number}.json"));
                let written = fs::write(&path, &input);
                println!("input {number} of seed {seed}: {fault} ({}, {written:?})", path.display());
                failures += 1;
            }
        }
        if failures >= MAX_FAILURES {
            break;
        }
        if said.elapsed() > Duration::from_secs(60) {
            said = Instant::now();
            println!("{} inputs, {read} of them read, {failures} failures", number - first + 1);
        }
    }
    println!(
        "{count} inputs of seed {seed}, {read} of them read, {failures} failures, {:.0?}",
        start.elapsed()
    );
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
