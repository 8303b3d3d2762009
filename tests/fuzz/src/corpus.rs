//! The dumps that inputs are made from.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// Returns all dumps, sorted by file name.
///
/// # Panics
/// If the files cannot be read, or are not JSON.
#[must_use]
pub fn all() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut paths: Vec<_> = fs::read_dir(folder).expect("the corpus").flatten().map(|it| it.path()).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| fs::read(path).expect("a file of the corpus");
    paths.iter().map(|path| serde_json::from_slice(&read(path)).expect("JSON")).collect()
}
