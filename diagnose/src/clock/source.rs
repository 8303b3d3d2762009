//! The clock source, chosen once for the process.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::counter;

use crate::sync::OnceCell;

/// The source in use; one of the constants below. Relaxed: any thread can read each source at any
/// time, and a thread that still sees [`UNSET`] goes through the `OnceCell` of [`start`].
static SOURCE: AtomicU8 = AtomicU8::new(UNSET);
const UNSET: u8 = 0;
const COUNTER: u8 = 1;
const INSTANT: u8 = 2;
#[cfg(feature = "manual-clock")]
pub(super) const MANUAL: u8 = 3;

/// The moment of the first reading, in ticks and as the `Instant` that ticks are measured against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    pub(super) tick: u64,
    pub(super) instant: Instant,
    /// Maximum distance between the two readings, in ns.
    pub(super) off_ns: u64,
    counter_name: Option<&'static str>,
}

/// The current tick.
#[cfg_attr(not(debug_assertions), inline(always))]
#[must_use]
pub fn now() -> u64 {
    if SOURCE.load(Relaxed) == COUNTER { counter::read() } else { now_by_call() }
}

/// The current tick, if the processor's counter is in use: a reading that calls no function.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn read_counter() -> Option<u64> {
    match SOURCE.load(Relaxed) {
        COUNTER => Some(counter::read()),
        #[cfg(feature = "manual-clock")]
        MANUAL => super::manual::read_counter(),
        _ => None,
    }
}

#[cold]
#[inline(never)]
fn now_by_call() -> u64 {
    match SOURCE.load(Relaxed) {
        INSTANT => instant_ticks(start()),
        #[cfg(feature = "manual-clock")]
        MANUAL => super::manual::now(),
        _ => {
            let start = start();
            // Not a plain store: a manual clock that was installed meanwhile stays.
            let source = if start.counter_name.is_some() { COUNTER } else { INSTANT };
            let _ = SOURCE.compare_exchange(UNSET, source, Relaxed, Relaxed);
            now_by_call_again()
        }
    }
}

#[cold]
fn now_by_call_again() -> u64 {
    if SOURCE.load(Relaxed) == COUNTER { counter::read() } else { now_by_call() }
}

/// The first tick where ticks are nanoseconds: far from zero, as those of a counter are. A future
/// that a test creates before it switches to the manual clock, whose ticks are small, has then not
/// waited for its first poll.
const FIRST: u64 = 1 << 40;

fn instant_ticks(start: &Start) -> u64 {
    u64::try_from(start.instant.elapsed().as_nanos()).unwrap_or(u64::MAX).saturating_add(start.tick)
}

/// The first reading; the first call makes it.
pub(super) fn start() -> &'static Start {
    static START: OnceCell<Start> = OnceCell::new();
    START.get_or_init(|| {
        let counter_name = counter::trusted();
        let pair = match counter_name {
            Some(_) => paired(counter::read),
            None => Pair { tick: FIRST, instant: Instant::now(), off_ns: 0 },
        };
        Start { tick: pair.tick, instant: pair.instant, off_ns: pair.off_ns, counter_name }
    })
}

/// A tick, and the moment at which it was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) tick: u64,
    pub(super) instant: Instant,
    /// Maximum distance between the two readings, in ns.
    pub(super) off_ns: u64,
}

/// The fastest of a few attempts. A thread can be stopped between the two readings, if only by the
/// first touch of a page. Then all times would be off by that share of the measured time.
pub(super) fn paired(read: impl Fn() -> u64) -> Pair {
    let attempt = || {
        let before = Instant::now();
        let tick = read();
        let took = before.elapsed();
        let off_ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        Pair { tick, instant: before.checked_add(took / 2).unwrap_or(before), off_ns }
    };
    let first = attempt();
    (1..8).map(|_| attempt()).fold(first, |best, pair| if pair.off_ns < best.off_ns { pair } else { best })
}

/// Returns whether ticks come from a counter, whose tick length must be measured, and are not
/// nanoseconds. Chooses the source and starts the clock if needed.
pub(super) fn is_counted() -> bool {
    let _ = now();
    SOURCE.load(Relaxed) == COUNTER
}

/// The tick at which the recording began.
pub(crate) fn origin() -> u64 {
    #[cfg(feature = "manual-clock")]
    if is_manual() {
        return super::manual::FIRST;
    }
    start().tick
}

/// The time since the recording began, of the system's clock.
pub(crate) fn since_origin() -> Duration {
    start().instant.elapsed()
}

/// `Instant`, in ns since the first reading. Timers follow it, and not the counter, while the
/// machine is suspended or one of the two is set back.
pub(crate) fn instant_ns() -> u64 {
    #[cfg(feature = "manual-clock")]
    if is_manual() {
        return now();
    }
    u64::try_from(since_origin().as_nanos()).unwrap_or(u64::MAX)
}

/// The moment that lies `duration` in the future, as [`instant_ns`] will show it.
pub(crate) fn due_in(duration: Duration) -> u64 {
    instant_ns().saturating_add(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)).max(1)
}

/// The name of the clock in use, as reports show it.
pub(crate) fn name() -> &'static str {
    match SOURCE.load(Relaxed) {
        #[cfg(feature = "manual-clock")]
        MANUAL => "manual",
        INSTANT => "instant",
        _ => start().counter_name.unwrap_or("instant"),
    }
}

/// Switches to the manual clock for the rest of the process.
#[cfg(feature = "manual-clock")]
pub(super) fn use_manual() {
    SOURCE.store(MANUAL, Relaxed);
}

#[cfg(feature = "manual-clock")]
pub(super) fn is_manual() -> bool {
    SOURCE.load(Relaxed) == MANUAL
}
