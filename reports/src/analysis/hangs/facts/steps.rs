//! Counts what the solver looks at, in its own tests: that is linear, whatever the clock says.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// One thing more was looked at: a wire, a gate, a holding, a wait, a link.
#[inline(always)]
pub(crate) fn step() {
    #[cfg(test)]
    STEPS.set(STEPS.get() + 1);
}

/// How many steps that takes.
#[cfg(test)]
pub(crate) fn count<T>(work: impl FnOnce() -> T) -> (u64, T) {
    let before = STEPS.get();
    let result = work();
    (STEPS.get() - before, result)
}

#[cfg(test)]
mod tests;
