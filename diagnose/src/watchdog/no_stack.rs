//! Stands in for `native_stack` without the feature `native-stacks`, and on other systems and
//! processors.

/// Returns no lines.
pub(super) fn of(_: u64) -> Vec<String> {
    Vec::new()
}

/// Returns no addresses.
#[cfg(feature = "native-stacks")]
#[must_use]
pub fn addresses_of(_: u64) -> Vec<usize> {
    Vec::new()
}

/// Returns 0: no word of the stack was copied.
#[cfg(feature = "native-stacks")]
#[must_use]
pub fn interrupt_thread(_: u64) -> usize {
    0
}

/// Does nothing.
#[cfg(feature = "native-stacks")]
pub(crate) fn prepare_thread() {}
