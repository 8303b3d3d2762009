//! How a resource was used: durations by their magnitude.

/// How it was used, as far as the clock was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Usage {
    pub(crate) contended: u64,
    pub(crate) waits: Durations,
    pub(crate) holds: Durations,
}

/// Durations in ticks, counted by their magnitude.
#[derive(Debug, Clone)]
pub(crate) struct Durations {
    pub(crate) counts: [u64; 64],
    pub(crate) longest: u64,
}

impl Default for Durations {
    fn default() -> Self {
        Self { counts: [0; 64], longest: 0 }
    }
}

impl Durations {
    pub(super) fn add(&mut self, ticks: u64) {
        self.counts[(ticks | 1).ilog2() as usize] += 1;
        self.longest = self.longest.max(ticks);
    }
}
