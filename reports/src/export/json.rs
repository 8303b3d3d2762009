//! The snapshot as JSON: complete, for reading it back here or with other tools.
//!
//! The fields of [`Snapshot`] in order, indented, with a final line break; long lists are folded
//! (see `model/folding`). `verdicts` come last, then `findings` and `lock_inversions` if there are
//! any: they are for other tools, since a reader of this crate computes them anew. A reader checks
//! the number `version` before anything else.

use std::io::{self, Write as _};

use serde::Serialize;

use crate::analysis::findings::Finding;
use crate::analysis::hangs::Verdict;
use crate::analysis::lock_order::LockInversion;
use crate::model::Snapshot;
use crate::view::View;

/// How many bytes are written at once.
const BUFFER: usize = 64 << 10;

/// The contents of a file.
#[derive(Serialize)]
struct JsonFile<'a> {
    #[serde(flatten)]
    snapshot: &'a Snapshot,
    verdicts: Vec<Verdict>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Finding>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lock_inversions: Vec<LockInversion>,
}

/// Writes the whole snapshot, one field at a time. It does not depend on the view.
pub(crate) fn write(snapshot: &Snapshot, _view: View, out: &mut dyn io::Write) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(BUFFER, out);
    let verdicts = snapshot.verdicts();
    let findings = snapshot.findings_with(None, &verdicts);
    let page = JsonFile { snapshot, verdicts, findings, lock_inversions: snapshot.lock_inversions() };
    serde_json::to_writer_pretty(&mut out, &page)?;
    out.write_all(b"\n")?;
    out.flush()
}
