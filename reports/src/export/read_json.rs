//! Reads a snapshot from the JSON that `json` writes.

use std::io;

use serde::Deserialize;

use crate::error::Error;
use crate::model::{Snapshot, VERSION};

/// The fields that every version of the format has.
#[derive(Deserialize)]
#[serde(expecting = "an object with the fields of a snapshot")]
struct Header {
    version: u32,
    #[serde(default)]
    producer: String,
}

impl Snapshot {
    /// Reads a snapshot from JSON, up to the end of `input`.
    ///
    /// # Errors
    /// The reader fails, the text is not a snapshot of this [`VERSION`], or
    /// nodes refer to sites or parents that do not exist.
    ///
    /// # Examples
    /// ```
    /// use diagnose_reports::{Format, Snapshot, write};
    ///
    /// let snapshot = Snapshot::default();
    /// let mut file = Vec::new();
    /// write(&snapshot, Format::Json.into(), &mut file)?;
    /// assert_eq!(Snapshot::read_json(&file[..])?, snapshot);
    ///
    /// let error = Snapshot::read_json(&b"{\"version\": 7}"[..]).unwrap_err();
    /// assert_eq!(error.to_string(), "the snapshot has version 7, but this reader knows version 6 only");
    /// # Ok::<(), diagnose_reports::Error>(())
    /// ```
    pub fn read_json(mut input: impl io::Read) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes).map_err(Error::read)?;
        let header: Header = serde_json::from_slice(&bytes).map_err(Error::parse)?;
        if header.version != VERSION {
            return Err(Error::version(header.version, header.producer));
        }
        let of_version = |error| Error::parse_version(error, header.version, header.producer);
        let snapshot: Self = serde_json::from_slice(&bytes).map_err(of_version)?;
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
