//! Where stacks are not walked: without the feature `native-stacks`, and on other systems and processors.

/// Nothing.
pub(super) fn of(_: u64) -> Vec<String> {
    Vec::new()
}

/// Nothing.
#[cfg(feature = "native-stacks")]
#[must_use]
pub fn addresses_of(_: u64) -> Vec<usize> {
    Vec::new()
}

/// Nothing.
#[cfg(feature = "native-stacks")]
#[must_use]
pub fn interrupt_thread(_: u64) -> usize {
    0
}

/// Nothing.
#[cfg(feature = "native-stacks")]
pub(crate) fn prepare_thread() {}
