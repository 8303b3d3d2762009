//! The length of a tick: segments of the tick scale, checked against each other.
//!
//! A clock pair is a moment at which the counter and [`Instant`](std::time::Instant) were read
//! together. A segment lies between two clock pairs. The length of a tick does not change, so all
//! segments must agree on it:
//!
//! ```text
//! counter   ├───────┼──────────┼──────────────────────────┼────────────┤  suspend in segment 3:
//! Instant   ├───────┼──────────┼────┼────────────┤                      only the counter went on
//! ```
//! A segment that disagrees contains a jump of one clock: a suspend, a restored virtual machine, a
//! clock that was set back. It is counted and ignored: the earlier measurement stays. If two
//! segments agree with each other against the trusted one, the two replace it.

/// A moment, in both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClockPair {
    pub(super) tick: u64,
    /// `Instant`, in ns since the first reading. Negative if it was set back behind that.
    pub(super) ns: i64,
    /// Maximum distance between the two readings, in ns.
    pub(super) off_ns: u64,
}

/// The time between two clock pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    ticks: u64,
    ns: u64,
    off_ns: u64,
}

/// Minimum length of a segment, in ns. A clock that takes 50 ns to read is off by 0.01 % of it.
pub(super) const SHORTEST_NS: u64 = 1_000_000;

/// A segment's reading error may be at most one part in this many. One that was interrupted while
/// it was measured is ignored.
const MOST_OFF: u64 = 100;

/// Segments agree up to one part in this many: above the slewing of an `Instant` (0.05 %), below
/// the precision of a report.
const TOLERANCE: u128 = 1_000;

impl Segment {
    /// `None` if one of the clocks did not advance.
    fn between(begin: &ClockPair, end: &ClockPair) -> Option<Self> {
        let ticks = end.tick.checked_sub(begin.tick).filter(|ticks| *ticks > 0)?;
        let ns = end.ns.checked_sub(begin.ns).and_then(|ns| u64::try_from(ns).ok()).filter(|ns| *ns > 0)?;
        Some(Self { ticks, ns, off_ns: begin.off_ns.saturating_add(end.off_ns) })
    }

    fn is_long_enough(&self) -> bool {
        self.ns >= SHORTEST_NS && self.off_ns <= self.ns / MOST_OFF
    }

    fn agrees(&self, other: &Self) -> bool {
        // ns / ticks = other.ns / other.ticks, without the division.
        let ours = u128::from(self.ns) * u128::from(other.ticks);
        let theirs = u128::from(other.ns) * u128::from(self.ticks);
        let off = u128::from(self.off_ns) * u128::from(other.ticks)
            + u128::from(other.off_ns) * u128::from(self.ticks);
        ours.abs_diff(theirs) <= ours.max(theirs) / TOLERANCE + off
    }

    /// Nanoseconds per tick, as a fraction over 2^32.
    fn per_tick(&self) -> u64 {
        per_tick(self.ns, self.ticks)
    }
}

/// Nanoseconds per tick, as a fraction over 2^32.
pub(super) fn per_tick(ns: u64, ticks: u64) -> u64 {
    let per_tick = (u128::from(ns) << 32) / u128::from(ticks.max(1));
    u64::try_from(per_tick).unwrap_or(u64::MAX).max(1)
}

/// The measurements so far.
#[derive(Debug, Default)]
pub(super) struct Segments {
    /// First and last clock pair of the current run of segments, in which no clock has jumped.
    run: Option<(ClockPair, ClockPair)>,
    /// The longest segment that another has confirmed.
    trusted: Option<Segment>,
    /// The last segment that has not been confirmed.
    alone: Option<Segment>,
    jumps: u64,
}

impl Segments {
    /// Adds a clock pair, and checks the segment up to it. A segment that is too short is left to
    /// grow until the next pair.
    pub(super) fn add(&mut self, now: ClockPair) {
        let Some((begin, last)) = self.run else {
            self.run = Some((now, now));
            return;
        };
        let is_back = now.ns < last.ns || now.tick < last.tick;
        let Some(step) = Segment::between(&last, &now).filter(Segment::is_long_enough) else {
            if is_back {
                self.jump(now);
            }
            return;
        };
        let is_as_known = self.trusted.is_some_and(|trusted| trusted.agrees(&step));
        let is_as_before = self.alone.is_some_and(|alone| alone.agrees(&step));
        if is_as_known {
            self.run = Some((begin, now));
            self.trust(Segment::between(&begin, &now).unwrap_or(step));
            self.alone = None;
        } else if is_as_before {
            // Without a trusted segment, the run up to `last` is the one that confirms this.
            let begin = if self.trusted.is_none() { begin } else { last };
            self.run = Some((begin, now));
            self.trusted = Segment::between(&begin, &now);
            self.alone = None;
        } else {
            let is_first = self.trusted.is_none() && self.alone.is_none();
            if is_first {
                self.run = Some((begin, now));
            } else {
                self.jump(now);
                if self.trusted.is_none() {
                    self.run = Some((last, now));
                }
            }
            self.alone = Some(step);
        }
    }

    /// A longer segment measures better.
    fn trust(&mut self, segment: Segment) {
        if self.trusted.is_none_or(|trusted| trusted.ns < segment.ns) {
            self.trusted = Some(segment);
        }
    }

    fn jump(&mut self, now: ClockPair) {
        self.jumps += 1;
        self.run = Some((now, now));
    }

    /// Returns whether two segments agree.
    pub(super) fn is_settled(&self) -> bool {
        self.trusted.is_some()
    }

    /// Nanoseconds per tick, as a fraction over 2^32: confirmed if possible, otherwise from one
    /// segment.
    pub(super) fn per_tick(&self) -> Option<u64> {
        self.trusted.or(self.alone).map(|segment| segment.per_tick())
    }

    /// Length of the confirmed segment, in ns; zero if there is none.
    #[cfg(test)]
    fn measured_ns(&self) -> u64 {
        self.trusted.map_or(0, |segment| segment.ns)
    }

    /// Number of segments that contained a jump.
    pub(super) fn jumps(&self) -> u64 {
        self.jumps
    }
}

#[cfg(test)]
mod tests {
    use super::{ClockPair, Segments};

    /// Segments of a counter with three ticks per ns, from readings of the counter and of
    /// `Instant`, both in ms.
    fn after(moments: &[(u64, i64)]) -> Segments {
        let mut segments = Segments::default();
        for &(counter_ms, instant_ms) in moments {
            segments.add(ClockPair {
                tick: 7_000_000 + counter_ms * 3_000_000,
                ns: instant_ms * 1_000_000,
                off_ns: 60,
            });
        }
        segments
    }

    const THIRD: u64 = (1 << 32) / 3;

    #[test]
    fn two_segments_that_agree_are_trusted() {
        assert_eq!(after(&[(0, 0)]).per_tick(), None);
        assert!(!after(&[(0, 0), (5, 5)]).is_settled());
        let segments = after(&[(0, 0), (5, 5), (7, 7)]);
        assert_eq!((segments.per_tick(), segments.measured_ns()), (Some(THIRD), 7_000_000));
        assert_eq!(segments.jumps(), 0);
    }

    #[test]
    fn a_suspend_changes_no_length() {
        // For 460 ms only the counter advances.
        let segments = after(&[(0, 0), (100, 100), (102, 102), (762, 302), (764, 304), (800, 340)]);
        assert_eq!((segments.per_tick(), segments.jumps()), (Some(THIRD), 1));
        // Only `Instant` advances.
        let segments = after(&[(0, 0), (100, 100), (102, 102), (302, 762), (304, 764)]);
        assert_eq!((segments.per_tick(), segments.jumps()), (Some(THIRD), 1));
    }

    #[test]
    fn a_suspend_before_the_first_capture_is_outvoted() {
        let segments = after(&[(0, 0), (660, 200), (661, 201), (662, 202)]);
        assert_eq!((segments.per_tick(), segments.jumps()), (Some(THIRD), 1));
        assert_eq!(segments.measured_ns(), 2_000_000);
    }

    #[test]
    fn a_measure_that_was_wrong_is_corrected() {
        // The first two segments agree by chance.
        let segments = after(&[(0, 0), (4, 2), (8, 4), (18, 14), (28, 24), (38, 34)]);
        assert_eq!(segments.per_tick(), Some(THIRD));
    }

    #[test]
    fn clocks_that_are_set_back_change_no_length() {
        let segments = after(&[(0, 0), (100, 100), (200, 200), (201, -5_000), (301, -4_900), (401, -4_800)]);
        assert_eq!((segments.per_tick(), segments.jumps()), (Some(THIRD), 1));
        let segments = after(&[(100, 100), (200, 200), (300, 300), (1, 400), (101, 500)]);
        assert_eq!((segments.per_tick(), segments.jumps()), (Some(THIRD), 1));
    }

    #[test]
    fn an_interrupted_anchor_is_ignored() {
        let mut segments = after(&[(0, 0), (5, 5), (10, 10)]);
        segments.add(ClockPair { tick: 7_000_000 + 36_000_000, ns: 22_000_000, off_ns: 10_000_000 });
        segments.add(ClockPair { tick: 7_000_000 + 60_000_000, ns: 20_000_000, off_ns: 60 });
        assert_eq!((segments.per_tick(), segments.jumps()), (Some(THIRD), 0));
    }

    #[test]
    fn clocks_that_stand_still_give_no_scale() {
        let segments = after(&[(0, 0), (1_000, 0), (2_000, 0)]);
        assert_eq!((segments.per_tick(), segments.jumps()), (None, 0));
        let segments = after(&[(0, 0), (0, 1_000), (0, 2_000)]);
        assert_eq!((segments.per_tick(), segments.jumps()), (None, 0));
    }

    #[test]
    fn a_short_suspend_in_a_long_run_counts_less_than_a_thousandth() {
        let segments = after(&[(0, 0), (10, 10), (20, 20), (100_020, 99_970), (100_030, 99_980)]);
        let per_tick = segments.per_tick().unwrap();
        assert!(per_tick.abs_diff(THIRD) <= THIRD / 1_000, "{per_tick}");
    }
}
