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
use crate::say::{say, work_or_say};

/// Time between two checks for the file.
const PAUSE: Duration = Duration::from_millis(500);

/// Watches for `path` instead of the previous path.
pub(crate) fn watch(path: Option<PathBuf>, action: impl Fn() + Send + 'static) {
    /// Number of calls so far: the thread of an older call ends.
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Relaxed) + 1;
    let Some(path) = path else { return };
    let mut trigger = Trigger { path, has_failed: false };
    let thread = own_thread::spawn("diagnose-trigger", move || {
        while CALLS.load(Relaxed) == call {
            match trigger.is_requested() {
                Ok(true) => {
                    let _ = work_or_say("the dump for a trigger file", &action);
                }
                Ok(false) => {}
                Err(error) => own_thread::work(|| say!("diagnose: {error}")),
            }
            thread::sleep(PAUSE);
        }
    });
    if let Err(error) = thread {
        say!("diagnose: cannot start the thread that watches the trigger file: {error}");
    }
}

/// A file that is watched for.
struct Trigger {
    path: PathBuf,
    /// Whether it could not be removed the last time.
    has_failed: bool,
}

impl Trigger {
    /// Returns whether the file was there, and removes it. A file of another user may not be
    /// removed, until that user does: only the first failure is an error.
    fn is_requested(&mut self) -> Result<bool, String> {
        let removed = remove(&self.path);
        let had_failed = std::mem::replace(&mut self.has_failed, removed.is_err());
        match removed {
            Err(error) if !had_failed => {
                Err(format!("cannot remove the trigger file `{}`: {error}", self.path.display()))
            }
            removed => Ok(removed.unwrap_or(false)),
        }
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
    use std::fs;
    use std::path::PathBuf;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::{Trigger, remove, watch};

    fn path(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("diagnose-{name}-{}", std::process::id()))
    }

    #[test]
    fn a_panic_in_a_dump_does_not_end_the_watch() {
        let path = path("watched");
        let (send, calls) = channel();
        watch(Some(path.clone()), move || {
            send.send(()).unwrap();
            panic!("a defect in a dump");
        });
        for _ in 0..2 {
            fs::write(&path, "").unwrap();
            calls.recv_timeout(Duration::from_secs(60)).expect("a dump");
            assert!(!path.exists());
        }
        watch(None, || {});
    }

    #[test]
    fn a_file_that_cannot_be_removed_is_said_once_and_does_not_end_the_watch() {
        let mut trigger = Trigger { path: path("folder"), has_failed: false };
        for _ in 0..2 {
            fs::create_dir(&trigger.path).unwrap();
            trigger.is_requested().unwrap_err();
            assert_eq!(trigger.is_requested(), Ok(false), "it was said");
            fs::remove_dir(&trigger.path).unwrap();
            assert_eq!(trigger.is_requested(), Ok(false), "it is gone");
        }
        fs::write(&trigger.path, "").unwrap();
        assert_eq!(trigger.is_requested(), Ok(true));
    }

    #[test]
    fn a_file_that_is_gone_is_no_error() {
        let path = path("removed");
        fs::write(&path, "").unwrap();
        assert!(remove(&path).unwrap() && !path.exists());
        assert!(!remove(&path).unwrap());
        fs::create_dir(&path).unwrap();
        assert!(remove(&path).is_err(), "a folder stays");
        fs::remove_dir(path).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn a_device_or_a_socket_stays() {
        let path = path("stays");
        let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert_eq!(remove(&path).unwrap_err().to_string(), "it is not a regular file");
        fs::remove_file(path).unwrap();
        drop(listener);
    }
}
