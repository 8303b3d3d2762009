//! The watchdog's share of a processor for work that happens in bursts, and how it is measured.
//!
//! ```text
//! one long poll after the other, each of which takes a snapshot of 5 ms:
//! spent   5 ms, 10 ms, 15 ms, …  all of them, as long as there are not too many in a short time
//! ```

use std::time::{Duration, Instant};

use crate::os;

/// Work may take one part in `SHARE` of the time.
const SHARE: u32 = 100;
/// Maximum amount of work at once: the share of five seconds.
const BURST: Duration = Duration::from_millis(50);

/// Time that was spent, minus the share of the time that has passed since.
#[derive(Debug, Default)]
pub(super) struct Budget {
    spent: Duration,
    paid: Option<Instant>,
}

impl Budget {
    /// Returns whether more may be done at `now`.
    pub(super) fn allows(&mut self, now: Instant) -> bool {
        let since = self.paid.replace(now).map_or(Duration::ZERO, |paid| now.saturating_duration_since(paid));
        self.spent = self.spent.saturating_sub(since / SHARE);
        self.spent < BURST
    }

    pub(super) fn spend(&mut self, took: Duration) {
        self.spent = self.spent.saturating_add(took);
    }
}

/// When something was last done, and how much processor time it took.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WatchTurn {
    pub(super) ended: Option<Instant>,
    pub(super) took: Duration,
}

impl WatchTurn {
    /// Returns the time since then; `Duration::MAX` if it was never done.
    pub(super) fn ago(self) -> Duration {
        self.ended.map_or(Duration::MAX, |ended| ended.elapsed())
    }
}

/// Measures processor time where it is known, because other threads may have the processor in
/// between. Otherwise it measures real time.
pub(super) struct Stopwatch {
    began: Instant,
    used: Option<Duration>,
}

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self { began: Instant::now(), used: os::processor_time() }
    }

    pub(super) fn turn(&self) -> WatchTurn {
        let used = self.used.zip(os::processor_time()).map(|(before, now)| now.saturating_sub(before));
        let ended = Instant::now();
        WatchTurn { ended: Some(ended), took: used.unwrap_or_else(|| ended - self.began) }
    }
}

#[cfg(test)]
mod tests {
    use super::{BURST, Budget, Duration, Instant, SHARE};

    /// Returns the number of looks during `long`, if one is wanted every `pause` and each takes
    /// `took`.
    fn done(pause: Duration, long: Duration, took: Duration) -> u32 {
        let (mut budget, from) = (Budget::default(), Instant::now());
        let mut done = 0;
        let mut at = Duration::ZERO;
        while at < long {
            if budget.allows(from + at) {
                budget.spend(took);
                done += 1;
            }
            at += pause;
        }
        done
    }

    #[test]
    fn a_few_long_polls_in_a_row_are_all_looked_at() {
        let ms = Duration::from_millis;
        assert_eq!(done(ms(830), ms(8 * 830), ms(5)), 8, "snapshots of a build without optimization");
        assert_eq!(done(ms(25), ms(8 * 25), ms(5)), 8);
    }

    #[test]
    fn in_the_long_run_looks_take_their_share() {
        let (ms, hour) = (Duration::from_millis, Duration::from_secs(3600));
        for took in [ms(1), ms(5), ms(300)] {
            let spent = done(ms(25), hour, took) * took;
            assert!(spent <= hour / SHARE + BURST + took, "{spent:?} of looks of {took:?}");
            assert!(spent + took >= hour / SHARE, "{spent:?} of looks of {took:?}");
        }
    }

    #[test]
    fn one_look_over_the_budget_waits_until_it_is_paid_for() {
        let (mut budget, from) = (Budget::default(), Instant::now());
        assert!(budget.allows(from));
        budget.spend(Duration::from_secs(1));
        assert!(!budget.allows(from + Duration::from_secs(94)));
        assert!(budget.allows(from + Duration::from_secs(96)));
    }
}
