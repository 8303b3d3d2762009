//! The snapshot itself as JSON: complete, for reading back here or with other tools.
//!
//! Field by field what [`Snapshot`] is, indented, in the order of its fields, with a line break at the end; long lists folded
//! (see `model/alike`). Last come its
//! `verdicts`, and `lock_inversions` if there are any, for other tools: whoever reads the file back here computes them anew.
//! The number `version` decides whether a reader understands the file; it is looked at before anything else
//! is.

use std::io::{self, Write as _};

use serde::{Deserialize, Serialize};

use crate::analysis::hangs::Verdict;
use crate::analysis::lock_order::LockInversion;
use crate::error::Error;
use crate::model::{Snapshot, VERSION};

/// So many bytes go to the writer at once.
const BUFFER: usize = 64 << 10;

/// What every version of the format has had.
#[derive(Deserialize)]
#[serde(expecting = "an object with the fields of a snapshot")]
struct Header {
    version: u32,
    #[serde(default)]
    producer: String,
}

/// What a file holds.
#[derive(Serialize)]
struct Page<'a> {
    #[serde(flatten)]
    snapshot: &'a Snapshot,
    verdicts: Vec<Verdict>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lock_inversions: Vec<LockInversion>,
}

/// Writes the whole snapshot, a field at a time.
pub(crate) fn write(snapshot: &Snapshot, out: &mut dyn io::Write) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(BUFFER, out);
    let page = Page { snapshot, verdicts: snapshot.verdicts(), lock_inversions: snapshot.lock_inversions() };
    serde_json::to_writer_pretty(&mut out, &page)?;
    out.write_all(b"\n")?;
    out.flush()
}

impl Snapshot {
    /// Reads a snapshot that was written as JSON, up to the end of `input`.
    ///
    /// # Errors
    /// When the reader fails, when it holds something else than a snapshot or one of another version, and
    /// when its nodes refer to sites or parents that are not there.
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
    /// assert_eq!(error.to_string(), "the snapshot has version 7, but this reader knows version 2 only");
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

/// Holds the promises that the model makes about indexes.
fn check_references(snapshot: &Snapshot) -> Result<(), Error> {
    for (index, node) in snapshot.nodes.iter().enumerate() {
        if node.site >= snapshot.sites.len() {
            return Err(Error::inconsistent(format!(
                "node {index} refers to site {}, which is not there",
                node.site
            )));
        }
        if let Some(parent) = node.parent.filter(|&parent| parent >= index) {
            return Err(Error::inconsistent(format!(
                "the parent of node {index} is {parent}, which does not stand before it"
            )));
        }
    }
    Ok(())
}
