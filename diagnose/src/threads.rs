//! Preparation of a thread before its first record.

/// Prepares the calling thread, and the process if it is the first one.
#[cold]
pub(crate) fn prepare() {
    #[cfg(feature = "native-stacks")]
    crate::watchdog::prepare_thread();
    #[cfg(unix)]
    crate::fork::watch();
}
