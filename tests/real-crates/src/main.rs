//! Puts `#[diagnose]` on every async function with a body in the Rust files of a folder. The script
//! `tests/real-crates/run` calls it.
//!
//! ```text
//! annotate FOLDER      prints how many functions were annotated
//! ```
//! Nothing else in the files changes: attributes are inserted as text, where the parser says that a
//! function begins.

use std::path::Path;
use std::{env, fs, io};

use diagnose_real_crates::annotate;

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).ok_or_else(|| io::Error::other("usage: annotate FOLDER"))?;
    println!("{}", in_folder(Path::new(&folder))?);
    Ok(())
}

fn in_folder(folder: &Path) -> io::Result<usize> {
    let mut n_annotated = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            n_annotated += in_folder(&path)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = fs::read_to_string(&path)?;
            // A file that does not parse by itself, such as a template, is left alone.
            if let Some((annotated, count)) = annotate(&source) {
                fs::write(&path, annotated)?;
                n_annotated += count;
            }
        }
    }
    Ok(n_annotated)
}
