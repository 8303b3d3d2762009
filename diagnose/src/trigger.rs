//! Writes a dump when a file appears, on a thread of its own. It is for systems without signals,
//! and for users who may not send one.
//!
//! The file is looked for twice a second, and removed before the dump: its absence shows that the
//! request was accepted. Its content does not matter. If several processes watch one file, the one
//! that removes it writes the dump.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use crate::own_thread;
use crate::say::say;

/// Time between two checks for the file.
const PAUSE: Duration = Duration::from_millis(500);

/// Watches for `path` instead of the previous path.
pub(crate) fn watch(path: Option<PathBuf>, action: impl Fn() + Send + 'static) {
    /// Number of calls so far: the thread of an older call ends.
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Relaxed) + 1;
    let Some(path) = path else { return };
    let thread = own_thread::spawn("diagnose-trigger", move || {
        while CALLS.load(Relaxed) == call {
            match remove(&path) {
                Ok(true) => own_thread::work(&action),
                Ok(false) => {}
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

/// Removes the file. Returns `false` if there was none, as when another process was quicker. A
/// device such as `/dev/null`, which root could remove, stays.
fn remove(path: &Path) -> io::Result<bool> {
    let removed = path.symlink_metadata().and_then(|metadata| {
        let is_file = metadata.is_file() || metadata.is_symlink();
        if is_file { fs::remove_file(path) } else { Err(io::Error::other("it is not a regular file")) }
    });
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        removed => removed.map(|()| true),
    }
}

#[cfg(test)]
mod tests {
    use super::remove;

    #[test]
    fn a_file_that_is_gone_is_no_error() {
        let path = std::env::temp_dir().join(format!("diagnose-removed-{}", std::process::id()));
        std::fs::write(&path, "").unwrap();
        assert!(remove(&path).unwrap() && !path.exists());
        assert!(!remove(&path).unwrap());
        std::fs::create_dir(&path).unwrap();
        assert!(remove(&path).is_err(), "a folder stays");
        std::fs::remove_dir(path).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn a_device_or_a_socket_stays() {
        let path = std::env::temp_dir().join(format!("diagnose-stays-{}", std::process::id()));
        let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert_eq!(remove(&path).unwrap_err().to_string(), "it is not a regular file");
        std::fs::remove_file(path).unwrap();
        drop(listener);
    }
}
