//! Opens a file in the browser.

use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

/// How long a launcher may take to report that it has no browser.
const PATIENCE: Duration = Duration::from_secs(3);
/// Time between two checks of the launcher.
const PAUSE: Duration = Duration::from_millis(20);

/// Opens the file. Returns `false` if no browser was found.
///
/// A launcher that still runs after [`PATIENCE`] counts as the browser itself.
pub(crate) fn open(path: &Path) -> bool {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for mut command in open::commands(&path) {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(mut launcher) = command.spawn() else { continue };
        let deadline = Instant::now() + PATIENCE;
        loop {
            match launcher.try_wait() {
                Ok(Some(status)) if status.success() => return true,
                Ok(Some(_)) | Err(_) => break,
                Ok(None) if Instant::now() >= deadline => return true,
                Ok(None) => thread::sleep(PAUSE),
            }
        }
    }
    false
}
