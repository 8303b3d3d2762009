//! The complete snapshot as JSON, for this crate and for other tools.
//!
//! The fields of [`Snapshot`] in order, indented, with a final line break; long lists are folded
//! (see `model/folding`). `verdicts` come last, then `findings` and `lock_inversions` if there are
//! any. All three are for other tools, since this crate computes them anew. A reader checks
//! `version` before anything else.

use std::io;

use crate::analysis::findings::Finding;
use crate::analysis::hangs::Verdict;
use crate::analysis::lock_order::LockInversion;
use crate::json::{Json, ToJson};
use crate::model::Snapshot;
use crate::view::View;

/// The contents of a file.
struct JsonFile<'a> {
    snapshot: &'a Snapshot,
    verdicts: Vec<Verdict>,
    findings: Vec<Finding>,
    lock_inversions: Vec<LockInversion>,
}

impl ToJson for JsonFile<'_> {
    fn write_fields(&self, json: &mut Json<'_>) {
        self.snapshot.write_fields(json);
        json.field("verdicts", &self.verdicts);
        if !self.findings.is_empty() {
            json.field("findings", &self.findings);
        }
        if !self.lock_inversions.is_empty() {
            json.field("lock_inversions", &self.lock_inversions);
        }
    }
}

/// Writes the whole snapshot, one field at a time. It does not depend on the view.
pub(crate) fn write(snapshot: &Snapshot, _view: View, out: &mut dyn io::Write) -> io::Result<()> {
    let verdicts = snapshot.verdicts();
    let findings = snapshot.findings_with(None, &verdicts);
    let file = JsonFile { snapshot, verdicts, findings, lock_inversions: snapshot.lock_inversions() };
    let mut json = Json::indented(out);
    file.write_json(&mut json);
    json.finish()?;
    out.write_all(b"\n")
}
