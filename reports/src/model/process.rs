//! The process that a snapshot is of.

use crate::json::ToJson;

/// The recorded process.
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct Process {
    /// File name of the executable.
    pub name: String,
    /// Process id.
    pub pid: u32,
    /// Name of the machine or container; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// Version or commit of the program, as the program or its operator names it; empty if neither
    /// does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub build: String,
    /// Number of CPUs that the process may use; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u64>,
}

impl Process {
    /// Returns whether both have the same name, id and machine. The number of CPUs is not compared,
    /// because it may change while the process runs. Two runs in a restarted container count as the
    /// same process.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.name, self.pid, &self.host) == (&other.name, other.pid, &other.host)
    }
}
