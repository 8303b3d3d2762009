//! The marked lines of a program, found in its own source.

use std::ops::RangeInclusive;

use crate::row::{Row, Section};

/// The lines at which a program waits, and those that acquire what it waits for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// The name of the file, without folders.
    pub file: String,
    /// Lines that end with `// waits`.
    pub waits: Vec<u64>,
    /// Lines that end with `// holds`.
    pub holds: Vec<u64>,
    /// Lines with the mark `shown`: the chain must contain all of them.
    pub shown: Vec<u64>,
}

/// The marks in the function of a row.
///
/// # Panics
/// If the section does not have that function.
#[must_use]
pub fn marks(section: &Section, row: &Row) -> Marks {
    let range = function(section.text, row.name).unwrap_or_else(|| panic!("no function `{}`", row.name));
    let mut marks = Marks { file: file_name(section.file).to_owned(), ..Marks::default() };
    for (number, line) in (1..).zip(section.text.lines()).filter(|(number, _)| range.contains(number)) {
        let Some((_, comment)) = line.rsplit_once("// ") else { continue };
        for word in comment.split(", ") {
            match word {
                "waits" => marks.waits.push(number),
                "holds" => marks.holds.push(number),
                "shown" => marks.shown.push(number),
                _ => {}
            }
        }
    }
    marks
}

/// The last part of a path.
#[must_use]
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The lines of a function that is not indented; `None` if there is no such function.
#[must_use]
pub fn function(text: &str, name: &str) -> Option<RangeInclusive<u64>> {
    let heads = [format!("async fn {name}()"), format!("fn {name}(runtime: &Runtime)")];
    let mut lines = (1..).zip(text.lines());
    let (first, _) = lines.find(|(_, line)| heads.iter().any(|head| line.starts_with(head)))?;
    let (last, _) = lines.find(|(_, line)| *line == "}")?;
    Some(first..=last)
}
