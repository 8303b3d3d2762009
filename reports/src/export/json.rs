//! The snapshot as JSON: complete, for reading it back here or with other tools.
//!
//! The fields of [`Snapshot`] in order, indented, with a final line break; long lists are folded
//! (see `model/folding`). `verdicts` come last, then `findings` and `lock_inversions` if there are any: they are
//! for other tools, since a reader of this crate computes them anew. A reader checks the number
//! `version` before anything else.

use std::io::{self, Write as _};

use serde::{Deserialize, Serialize};

use crate::analysis::findings::Finding;
use crate::analysis::hangs::Verdict;
use crate::analysis::lock_order::LockInversion;
use crate::error::Error;
use crate::model::{Snapshot, VERSION};
use crate::view::View;

/// How many bytes are written at once.
const BUFFER: usize = 64 << 10;

/// The fields that every version of the format has.
#[derive(Deserialize)]
#[serde(expecting = "an object with the fields of a snapshot")]
struct Header {
    version: u32,
    #[serde(default)]
    producer: String,
}

/// The contents of a file.
#[derive(Serialize)]
struct Page<'a> {
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
    let findings = snapshot.findings_with(&verdicts);
    let page = Page { snapshot, verdicts, findings, lock_inversions: snapshot.lock_inversions() };
    serde_json::to_writer_pretty(&mut out, &page)?;
    out.write_all(b"\n")?;
    out.flush()
}

impl Snapshot {
    /// Reads a snapshot from JSON, up to the end of `input`.
    ///
    /// # Errors
    /// If the reader fails, if it holds no snapshot or one of another version, and if nodes refer
    /// to sites or parents that do not exist.
    ///
    /// # Examples
    /// ```
    /// use diagnose_reports::model::VERSION;
    /// use diagnose_reports::{Format, Snapshot, write};
    ///
    /// let mut snapshot = Snapshot::default();
    /// snapshot.version = VERSION;
    /// let mut file = Vec::new();
    /// write(&snapshot, Format::Json.into(), &mut file)?;
    /// assert_eq!(Snapshot::read_json(&file[..])?, snapshot);
    ///
    /// let error = Snapshot::read_json(&b"{\"version\": 7}"[..]).unwrap_err();
    /// assert_eq!(error.to_string(), "the snapshot has version 7, but this reader knows version 3 only");
    /// # Ok::<(), diagnose_reports::Error>(())
    /// ```
    pub fn read_json(mut input: impl io::Read) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes).map_err(Error::read)?;
        let header: Header = serde_json::from_slice(&bytes).map_err(Error::parse)?;
        if header.version != VERSION {
            return Err(Error::version(header.version, header.producer));
        }
        let snapshot: Self = serde_json::from_slice(&bytes).map_err(Error::parse)?;
        check_references(&snapshot)?;
        Ok(snapshot)
    }
}

/// Checks the indices that the model promises to be valid.
fn check_references(snapshot: &Snapshot) -> Result<(), Error> {
    for (index, node) in snapshot.nodes.iter().enumerate() {
        if snapshot.site(node.site).is_none() {
            return Err(Error::inconsistent(format!(
                "node {index} refers to site {}, which is not there",
                node.site
            )));
        }
        if let Some(parent) = node.parent.filter(|parent| parent.get() >= index) {
            return Err(Error::inconsistent(format!(
                "the parent of node {index} is {parent}, which does not stand before it"
            )));
        }
    }
    Ok(())
}
