//! The source files of the workspace, for the house rules in `tests/`.

use std::path::{Path, PathBuf};

/// A source file.
#[derive(Debug, Clone)]
pub struct Source {
    /// The path relative to the workspace, with `/`.
    pub path: String,
    /// The whole text of the file.
    pub text: String,
}

impl Source {
    /// Creates a source that is no file, for the tests of a rule.
    #[must_use]
    pub fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    /// The lines of the file, except those that are only comments.
    pub fn code(&self) -> impl Iterator<Item = &str> {
        self.text.lines().filter(|line| !is_comment(line))
    }

    /// The code that is compiled into the crate: without comments, and without the tests at the end
    /// of the file.
    #[must_use]
    pub fn shipped(&self) -> String {
        let code: String = self.code().flat_map(|line| [line, "\n"]).collect();
        code.split("\nmod tests {").next().unwrap_or_default().to_owned()
    }
}

/// Whether the line is a comment and nothing else.
#[must_use]
pub fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// The offsets in bytes at which `word` occurs in `text` as a whole word.
pub fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |&at| !text[..at].ends_with(is_name) && !text[at + word.len()..].starts_with(is_name))
}

/// Returns every Rust file that is written by hand.
///
/// # Panics
/// If the workspace cannot be read.
#[must_use]
pub fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for member in ["diagnose", "diagnose-macros", "reports", "cli", "examples", "tests"] {
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
