//! Limits the processor time that the server's thread uses for its clients.
//!
//! ```text
//! credit  ≤ BURST  ──▶ work takes from it ──▶ below zero: the thread pauses until it is back
//!            ▲
//!            └ grows by one SHARE-th of the time that passes
//! ```
//! So a flood of requests is served slowly, and the program keeps its processors. A page that is
//! requested only now and then is served at once.

use std::time::{Duration, Instant};

use crate::os;

/// The thread uses at most one `SHARE`-th of one processor.
const SHARE: u32 = 50;
/// Processor time that may be used at once.
const BURST: Duration = Duration::from_millis(100);
/// Longest pause.
const LONGEST: Duration = Duration::from_secs(1);

/// The processor time that the thread may still use.
#[derive(Debug)]
pub(super) struct Budget {
    credit: Duration,
    debt: Duration,
    at: Instant,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self { credit: BURST, debt: Duration::ZERO, at: Instant::now() }
    }

    /// Takes `used` from the credit, and returns how long to pause.
    pub(super) fn spend(&mut self, used: Duration) -> Duration {
        let now = Instant::now();
        let passed = now.saturating_duration_since(std::mem::replace(&mut self.at, now));
        self.settle(passed / SHARE, used)
    }

    fn settle(&mut self, earned: Duration, used: Duration) -> Duration {
        let have = self.credit + earned;
        let owe = self.debt + used;
        self.credit = have.saturating_sub(owe).min(BURST);
        self.debt = owe.saturating_sub(have);
        self.debt.saturating_mul(SHARE).min(LONGEST)
    }
}

/// Measures processor time of this thread, or real time where that is unknown.
#[derive(Debug)]
pub(super) struct CpuStopwatch {
    began: Instant,
    used: Option<Duration>,
}

impl CpuStopwatch {
    pub(super) fn start() -> Self {
        Self { began: Instant::now(), used: os::processor_time() }
    }

    pub(super) fn elapsed(&self) -> Duration {
        let used = self.used.zip(os::processor_time()).map(|(before, now)| now.saturating_sub(before));
        used.unwrap_or_else(|| self.began.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{BURST, Budget, LONGEST, SHARE};

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_burst_is_free_and_what_follows_is_paid_for() {
        let mut budget = Budget { credit: BURST, debt: Duration::ZERO, at: Instant::now() };
        assert_eq!(budget.settle(Duration::ZERO, BURST), Duration::ZERO);
        assert_eq!(budget.settle(Duration::ZERO, ms(2)), ms(2) * SHARE);
        assert_eq!(budget.settle(ms(2), Duration::ZERO), Duration::ZERO, "the pause was enough");
        assert_eq!(budget.settle(Duration::ZERO, ms(1)), ms(1) * SHARE);
    }

    #[test]
    fn an_idle_day_does_not_save_more_than_a_burst() {
        let mut budget = Budget::new();
        assert_eq!(budget.settle(Duration::from_secs(86_400) / SHARE, Duration::ZERO), Duration::ZERO);
        assert_eq!(budget.settle(Duration::ZERO, BURST + ms(1)), ms(1) * SHARE);
    }

    #[test]
    fn a_long_debt_is_paid_in_several_pauses() {
        let mut budget = Budget::new();
        assert_eq!(budget.settle(Duration::ZERO, Duration::from_secs(10)), LONGEST);
        assert_eq!(budget.settle(LONGEST / SHARE, Duration::ZERO), LONGEST);
    }
}
