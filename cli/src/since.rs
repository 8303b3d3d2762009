//! Reads a snapshot, and an earlier one of its process for `--since`.

use std::path::Path;

use diagnose_reports::Snapshot;

use crate::failure::Failure;
use crate::input;

/// Reads a snapshot and, if given, an earlier one of the same process. A snapshot that cannot be
/// compared with is refused, because growth since then would be that of another process.
pub(crate) fn read(new: &Path, old: Option<&Path>) -> Result<(Snapshot, Option<Snapshot>), Failure> {
    let snapshot = input::read(new)?;
    let Some(old) = old else { return Ok((snapshot, None)) };
    let earlier = input::read(old)?;
    match reason(&snapshot, &earlier) {
        Some(reason) => Err(Failure::new(format!("`{}` {reason} `{}`", old.display(), new.display()))),
        None => Ok((snapshot, Some(earlier))),
    }
}

/// Why `earlier` is not an earlier snapshot of the same process as `snapshot`.
fn reason(snapshot: &Snapshot, earlier: &Snapshot) -> Option<&'static str> {
    if !snapshot.process.is_same(&earlier.process) {
        return Some("is of another process than");
    }
    // Before the comparison of elapsed times: the earlier recording may have been a longer one.
    if snapshot.began_after(earlier) {
        return Some("was taken before the start of the recording in");
    }
    (earlier.elapsed_ns >= snapshot.elapsed_ns).then_some("is not older than")
}
