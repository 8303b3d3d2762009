//! Counts the solver's steps, so that tests can show linear time without a clock.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts one visit to an edge, a node, a holding, a wait or a link.
#[inline(always)]
pub(crate) fn step() {
    #[cfg(test)]
    STEPS.set(STEPS.get() + 1);
}

/// The number of steps that `work` takes, and its result.
#[cfg(test)]
pub(crate) fn count<T>(work: impl FnOnce() -> T) -> (u64, T) {
    let before = STEPS.get();
    let result = work();
    (STEPS.get() - before, result)
}

#[cfg(test)]
pub(crate) mod tests;
