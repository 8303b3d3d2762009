//! Work that takes processor time and that the compiler cannot remove.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Computes for `ms` milliseconds of wall time, and returns a result.
#[must_use]
pub fn compute(ms: u64) -> u64 {
    let end = Instant::now() + Duration::from_millis(ms);
    let mut sum = 0_u64;
    while Instant::now() < end {
        sum = sum.wrapping_add(primes_below(black_box(2_000)));
    }
    sum
}

/// Counts the primes below a number, the slow way.
#[must_use]
pub fn primes_below(limit: u64) -> u64 {
    let is_prime = |number: &u64| (2..*number).take_while(|it| it * it <= *number).all(|it| number % it != 0);
    (2..limit).filter(is_prime).map(black_box).count() as u64
}
