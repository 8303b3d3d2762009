//! Identifies a recording: the host, the build of the program, and the time.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::env;
use crate::os;
use crate::sync::Mutex;

/// Maximum length of the name of a build, in characters; longer ones are cut.
const MAX_BUILD: usize = 100;

/// The build that the program has set.
static BUILD: Mutex<Option<String>> = Mutex::new(None);

/// Returns the name of this machine or container; empty if unknown. It is read each time: a lock
/// around a copy could stay locked in a forked child.
pub(crate) fn host() -> String {
    let name = os::host().or_else(|| std::env::var("HOSTNAME").ok());
    name.unwrap_or_default().trim().to_owned()
}

/// Sets the build of the program. `DIAGNOSE_BUILD` overrides it.
pub(crate) fn set_build(build: Option<String>) {
    *BUILD.lock() = build;
}

/// Returns the build of the program; empty if neither the program nor `DIAGNOSE_BUILD` names it.
pub(crate) fn build() -> String {
    // In a forked child, the lock may stay locked.
    let of_program = || BUILD.try_lock().and_then(|build| build.clone());
    let build = env::text("DIAGNOSE_BUILD").or_else(of_program).unwrap_or_default();
    build.chars().take(MAX_BUILD).collect()
}

/// Returns the wall-clock time in ms since 1970-01-01 UTC; 0 if the clock is before that.
pub(crate) fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn the_host_is_what_the_kernel_calls_it() {
        let kernel = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        assert_eq!(super::host(), kernel.trim());
    }
}
