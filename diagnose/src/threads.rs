//! What a thread needs before it records for the first time.

/// Prepares the calling thread, and the process if it is the first one.
#[cold]
pub(crate) fn prepare() {
    #[cfg(feature = "native-stacks")]
    crate::watchdog::prepare_thread();
    #[cfg(unix)]
    crate::fork::watch();
}
