//! Writes a dump when a file appears, on a thread of its own. It is for systems without signals,
//! and for users who may not send one.
//!
//! The file is looked for twice a second, and removed before the dump: its absence shows that the
//! request was accepted. Its content does not matter. Of several processes that watch one file, the
//! one that removes it writes the dump.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use crate::own_thread;
use crate::say::say;

/// Time between two looks.
const PAUSE: Duration = Duration::from_millis(500);

/// Looks for `path` instead of the previous path.
pub(crate) fn watch(path: Option<PathBuf>, action: impl Fn() + Send + 'static) {
    /// Number of calls so far: the thread of an older call ends.
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Relaxed) + 1;
    let Some(path) = path else { return };
    let thread = own_thread::spawn("diagnose-trigger", move || {
        while CALLS.load(Relaxed) == call {
            let removed = path.symlink_metadata().and_then(|_| fs::remove_file(&path));
            match removed {
                Ok(()) => own_thread::work(&action),
                // It is not there, or another process was quicker.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => {
                    return own_thread::work(|| {
                        say!(
                            "diagnose: cannot remove the trigger file `{}`: {error}; diagnose stops watching it",
                            path.display()
                        );
                    });
                }
            }
            thread::sleep(PAUSE);
        }
    });
    if let Err(error) = thread {
        say!("diagnose: cannot start the thread that watches the trigger file: {error}");
    }
}
