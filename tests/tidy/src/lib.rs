//! The source files of the workspace, for the house rules in `tests/`.

use std::path::{Path, PathBuf};

/// A source file.
#[derive(Debug)]
pub struct Source {
    /// Relative to the workspace, with `/`.
    pub path: String,
    /// All of it.
    pub text: String,
}

/// Every Rust file that is written by hand.
///
/// # Panics
/// If the workspace cannot be read.
#[must_use]
pub fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for member in ["diagnose", "diagnose-macros", "reports", "examples", "tests"] {
        collect(&root.join(member), &mut files);
    }
    files.sort();
    let source = |file: PathBuf| {
        let path = file.strip_prefix(&root).expect("it is below").to_string_lossy().replace('\\', "/");
        Source { path, text: std::fs::read_to_string(&file).expect("it is text") }
    };
    files.into_iter().map(source).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" {
            collect(&path, files);
        } else if path.extension().is_some_and(|it| it == "rs") && !name.contains(".expanded.") {
            files.push(path);
        }
    }
}
