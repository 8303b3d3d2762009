//! Which clock is read, decided once for the process.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::counter;

use crate::sync::OnceCell;

/// The source in use; one of the constants below. Relaxed: each source can be read from any thread at any time, and
/// whoever still sees [`UNSET`] goes through the `OnceCell` of [`start`].
static SOURCE: AtomicU8 = AtomicU8::new(UNSET);
const UNSET: u8 = 0;
const COUNTER: u8 = 1;
const INSTANT: u8 = 2;
#[cfg(feature = "manual-clock")]
pub(super) const MANUAL: u8 = 3;

/// The moment of the first reading, in ticks and in the time that ticks are measured against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    pub(super) tick: u64,
    pub(super) instant: Instant,
    counter_name: Option<&'static str>,
}

/// The present tick.
#[cfg_attr(not(debug_assertions), inline(always))]
#[must_use]
pub fn now() -> u64 {
    if SOURCE.load(Relaxed) == COUNTER { counter::read() } else { now_by_call() }
}

#[inline(never)]
fn now_by_call() -> u64 {
    match SOURCE.load(Relaxed) {
        INSTANT => instant_ticks(start()),
        #[cfg(feature = "manual-clock")]
        MANUAL => super::manual::now(),
        _ => {
            let start = start();
            // Not a plain store: a manual clock that was set in the meantime stays.
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

/// Nanoseconds since the start, plus one because a tick is never zero.
fn instant_ticks(start: &Start) -> u64 {
    u64::try_from(start.instant.elapsed().as_nanos()).unwrap_or(u64::MAX - 1) + 1
}

/// The start of time; the first call makes it.
pub(super) fn start() -> &'static Start {
    static START: OnceCell<Start> = OnceCell::new();
    START.get_or_init(|| {
        let counter_name = counter::trusted();
        let (tick, instant) =
            if counter_name.is_some() { paired(counter::read) } else { (1, Instant::now()) };
        Start { tick, instant, counter_name }
    })
}

/// A tick and the moment at which it was read. Of a few attempts the one that took least: whoever is stopped between the
/// two, if only by the first touch of a page, would have all times off by that much of the time that ticks are measured
/// over.
pub(super) fn paired(read: impl Fn() -> u64) -> (u64, Instant) {
    let attempt = || {
        let before = Instant::now();
        let tick = read();
        let took = before.elapsed();
        (took, (tick, before + took / 2))
    };
    let attempts = (0..8).map(|_| attempt());
    attempts.min_by_key(|(took, _)| *took).map_or_else(|| (read(), Instant::now()), |(_, pair)| pair)
}

/// The tick of a moment so far in the future. Ticks are measured against [`Instant`] for it, which takes two readings.
pub(crate) fn tick_in(duration: Duration) -> u64 {
    /// So long ticks are measured at least.
    const CALIBRATION: Duration = Duration::from_micros(100);
    let tick = now();
    #[cfg(feature = "manual-clock")]
    if is_manual() {
        return tick.saturating_add(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX));
    }
    let start = start();
    while start.instant.elapsed() < CALIBRATION {
        std::hint::spin_loop();
    }
    let ticks = now().saturating_sub(start.tick);
    let ahead = duration.as_nanos().saturating_mul(ticks.into()) / start.instant.elapsed().as_nanos().max(1);
    tick.saturating_add(u64::try_from(ahead).unwrap_or(u64::MAX))
}

/// The tick at which the recording began.
pub(crate) fn origin() -> u64 {
    #[cfg(feature = "manual-clock")]
    if is_manual() {
        return super::manual::FIRST;
    }
    start().tick
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
