//! Writes `diagnose/lint/clippy.toml`.

use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    let diagnose = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../diagnose");
    fs::create_dir_all(diagnose.join("lint"))?;
    fs::write(diagnose.join("lint/clippy.toml"), diagnose_lint_tests::configuration(&diagnose))
}
