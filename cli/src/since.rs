//! Reads a snapshot, and for `--since` an earlier snapshot of the same process.

use std::path::Path;

use diagnose_reports::Snapshot;

use crate::failure::Failure;
use crate::input;

/// Reads a snapshot and, if given, an earlier snapshot of the same process. Any other snapshot is
/// refused, because the difference from it would not be growth.
pub(crate) fn read(new: &Path, old: Option<&Path>) -> Result<(Snapshot, Option<Snapshot>), Failure> {
    let snapshot = input::read(new)?;
    let Some(old) = old else { return Ok((snapshot, None)) };
    let earlier = input::read(old)?;
    match reason(&snapshot, &earlier) {
        Some(reason) => Err(Failure::new(format!("`{}` {reason} `{}`", old.display(), new.display()))),
        None => Ok((snapshot, Some(earlier))),
    }
}

/// The reason why `earlier` is not an earlier snapshot of the same process as `snapshot`, if any.
fn reason(snapshot: &Snapshot, earlier: &Snapshot) -> Option<&'static str> {
    if !snapshot.process.is_same(&earlier.process) {
        return Some("is of another process than");
    }
    // This check comes before the comparison of elapsed times, because the earlier recording may
    // have been longer.
    if snapshot.began_after(earlier) {
        return Some("was taken before the start of the recording in");
    }
    (earlier.elapsed_ns >= snapshot.elapsed_ns).then_some("is not older than")
}
